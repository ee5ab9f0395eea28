package io.policyscheduler.framework.insight.compare;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.Comparison.Nominations;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NominatedPodsTest {
    private static final PodInfo A = pod("a").nominatedTo("n1").build();
    private static final PodInfo B = pod("b").nominatedTo("n1").build();
    private static final PodInfo C = pod("c").nominatedTo("n2").build();
    private static final PodInfo FREE = pod("free").build();

    private static String text(Nominations nominations) {
        List<String> nodes = new ArrayList<>(nominations.nodes());
        nodes.replaceAll(
                node -> node + nominations.on(node).stream().map(PodInfo::name).toList());
        return nodes + (nominations.isEmpty() ? " empty" : "");
    }

    /** Nodes without nominated pods are not named, because a pod is not evaluated a second time there. */
    @Test
    void untilThePodsHaveNodes() {
        Nominations nominations = new Nominations(List.of(A, FREE, B, C));
        assertEquals("[n1[a, b], n2[c]]", text(nominations));
        nominations.kept(FREE);
        nominations.kept(A);
        assertEquals("[n1[b], n2[c]]", text(nominations));
        nominations.kept(B);
        nominations.kept(B);
        assertEquals("[n2[c]]", text(nominations));
        assertEquals(List.of(), nominations.on("n1"));
        nominations.kept(C);
        assertEquals("[] empty", text(nominations));
        assertEquals("[] empty", text(new Nominations(List.of(FREE))));
    }
}
