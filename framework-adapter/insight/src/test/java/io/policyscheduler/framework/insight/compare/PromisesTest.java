package io.policyscheduler.framework.insight.compare;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.Comparison.Nominations;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PromisesTest {
    private static final PodInfo A = pod("a").nominatedTo("n1").build();
    private static final PodInfo B = pod("b").nominatedTo("n1").build();
    private static final PodInfo C = pod("c").nominatedTo("n2").build();
    private static final PodInfo FREE = pod("free").build();

    private static String told(Nominations promises) {
        List<String> nodes = new ArrayList<>(promises.nodes());
        nodes.replaceAll(
                node -> node + promises.on(node).stream().map(PodInfo::name).toList());
        return nodes + (promises.isEmpty() ? " empty" : "");
    }

    /** Nodes without nominated pods are not named, because a pod is not evaluated a second time there. */
    @Test
    void untilThePodsHaveNodes() {
        Nominations promises = new Nominations(List.of(A, FREE, B, C));
        assertEquals("[n1[a, b], n2[c]]", told(promises));
        promises.kept(FREE);
        promises.kept(A);
        assertEquals("[n1[b], n2[c]]", told(promises));
        promises.kept(B);
        promises.kept(B);
        assertEquals("[n2[c]]", told(promises));
        assertEquals(List.of(), promises.on("n1"));
        promises.kept(C);
        assertEquals("[] empty", told(promises));
        assertEquals("[] empty", told(new Nominations(List.of(FREE))));
    }
}
