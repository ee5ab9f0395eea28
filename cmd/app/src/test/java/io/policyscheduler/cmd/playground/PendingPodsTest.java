package io.policyscheduler.cmd.playground;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.playground.PlaygroundScheduler.PendingPods;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingPodsTest {
    private final PendingPods waiting = new PendingPods();
    private final Node node = NodeBuilder.node("n").build();
    private final PodInfo first = PodBuilder.pod("a").uid("1").build();
    private final PodInfo second = PodBuilder.pod("b").uid("2").build();

    private ClusterSnapshot snapshot(List<PodInfo> running, PodInfo... pending) {
        return new ClusterSnapshot(List.of(node), List.of(), running, List.of(pending));
    }

    private String next(ClusterSnapshot snapshot) {
        return waiting.next(snapshot).map(PodInfo::name).orElse("nobody");
    }

    @Test
    void thePriorityGoesBeforeTheName() {
        PodInfo high = PodBuilder.pod("z").priority(5).build();
        ClusterSnapshot snapshot = snapshot(List.of(), second, first, high);
        assertEquals(
                List.of("z", "a", "b"),
                PendingPods.of(snapshot).stream().map(PodInfo::name).toList());
    }

    @Test
    void whoWasTriedInVainWaitsForAnotherChange() {
        ClusterSnapshot snapshot = snapshot(List.of(), first, second);
        waiting.inVain(first);
        // Failed attempts before the cluster was read do not count.
        assertEquals("a", next(snapshot));
        waiting.inVain(first);
        assertEquals("b", next(snapshot));
        waiting.inVain(second);
        assertEquals("nobody", next(snapshot));
        ClusterSnapshot grown = new ClusterSnapshot(
                List.of(node, NodeBuilder.node("m").build()), List.of(), List.of(), List.of(first, second));
        assertEquals("a", next(grown));
    }

    @Test
    void ownPlacementsCountWhenAllHaveBeenTried() {
        assertEquals("a", next(snapshot(List.of(), first, second)));
        waiting.inVain(first);
        assertEquals("b", next(snapshot(List.of(), first, second)));
        waiting.placed(second);
        ClusterSnapshot after = snapshot(List.of(second.withNodeName("n")), first);
        assertEquals("a", next(after));
        waiting.inVain(first);
        assertEquals("nobody", next(after));
        // A kubelet's status of a running pod frees no room; a terminating pod may.
        assertEquals(
                "nobody",
                next(snapshot(
                        List.of(second.toBuilder()
                                .nodeName("n")
                                .phase("Running")
                                .build()),
                        first)));
        assertEquals("a", next(snapshot(List.of(), first)));
    }
}
