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

    private ClusterSnapshot world(List<PodInfo> running, PodInfo... pending) {
        return new ClusterSnapshot(List.of(node), List.of(), running, List.of(pending));
    }

    private String next(ClusterSnapshot world) {
        return waiting.next(world).map(PodInfo::name).orElse("nobody");
    }

    @Test
    void thePriorityGoesBeforeTheName() {
        PodInfo high = PodBuilder.pod("z").priority(5).build();
        ClusterSnapshot world = world(List.of(), second, first, high);
        assertEquals(
                List.of("z", "a", "b"),
                PendingPods.of(world).stream().map(PodInfo::name).toList());
    }

    @Test
    void whoWasTriedInVainWaitsForAnotherChange() {
        ClusterSnapshot world = world(List.of(), first, second);
        waiting.inVain(first);
        // Failed attempts before the cluster was read do not count.
        assertEquals("a", next(world));
        waiting.inVain(first);
        assertEquals("b", next(world));
        waiting.inVain(second);
        assertEquals("nobody", next(world));
        ClusterSnapshot grown = new ClusterSnapshot(
                List.of(node, NodeBuilder.node("m").build()), List.of(), List.of(), List.of(first, second));
        assertEquals("a", next(grown));
    }

    @Test
    void ownPlacementsCountWhenAllHaveBeenTried() {
        assertEquals("a", next(world(List.of(), first, second)));
        waiting.inVain(first);
        assertEquals("b", next(world(List.of(), first, second)));
        waiting.placed(second);
        ClusterSnapshot after = world(List.of(second.withNodeName("n")), first);
        assertEquals("a", next(after));
        waiting.inVain(first);
        assertEquals("nobody", next(after));
        // A kubelet's status of a running pod frees no room; a terminating pod may.
        assertEquals(
                "nobody",
                next(world(
                        List.of(second.toBuilder()
                                .nodeName("n")
                                .phase("Running")
                                .build()),
                        first)));
        assertEquals("a", next(world(List.of(), first)));
    }
}
