package io.policyscheduler.framework.insight.whatif;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.primitives.Ints;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.insight.whatif.Audit.Batches;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BatchesTest {
    private static List<List<Integer>> all(Batches batches) {
        List<List<Integer>> all = new ArrayList<>();
        for (int[] batch = batches.next(); batch != null; batch = batches.next()) {
            all.add(Ints.asList(batch));
        }
        return all;
    }

    private static PodBuilder of(String app) {
        return pod("p").label("app", app).controller("ReplicaSet", app, app);
    }

    @Test
    void siblingsAreTogether() {
        PodInfo web = of("web").build();
        PodInfo db = of("db").build();
        PodInfo elsewhere = web.withNodeName("b");
        PodInfo otherSpec = of("web").requests("1", "1Gi").build();
        PodInfo otherNamespace = of("web").namespace("other").build();
        assertEquals(
                List.of(List.of(0, 2, 5), List.of(1), List.of(3), List.of(4)),
                all(Batches.ofSiblings(List.of(web, db, elsewhere, otherSpec, otherNamespace, web))));
        assertEquals(List.of(), all(Batches.ofSiblings(List.of())));
    }

    @Test
    void manySiblingsAreForSeveralThreads() {
        List<List<Integer>> batches =
                all(Batches.ofSiblings(Collections.nCopies(1000, of("web").build())));
        assertTrue(batches.size() > 4, () -> batches.size() + " batches");
        List<Integer> places = new ArrayList<>();
        batches.forEach(places::addAll);
        assertEquals(IntStream.range(0, 1000).boxed().toList(), places);
    }

    @Test
    void inTheirOrderTheyAreOneBatch() {
        assertEquals(
                List.of(List.of(0, 1, 2)),
                all(Batches.ofAll(List.of(of("a").build(), of("b").build(), of("a").build()))));
    }
}
