package io.policyscheduler.engine.cluster.index;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class NodeAmountsTest {
    private final ClusterState cluster = cluster(
            node("n1").cpu("4").memory("1Gi").ephemeralStorage("10").pods(2).build());

    private List<Long> of(String name, RequestRules rules) {
        cluster.startCycle();
        NodeAmounts amounts = Objects.requireNonNull(cluster.index()).amounts(rules);
        NodeInfo node = Objects.requireNonNull(cluster.node(name));
        int slot = node.slot();
        return List.of(
                amounts.allocatableMilliCpu(slot),
                amounts.allocatableMemory(slot),
                amounts.allocatableStorage(slot),
                amounts.free(slot),
                amounts.milliCpu(slot),
                amounts.memory(slot),
                amounts.storage(slot),
                amounts.nonZeroMilliCpu(slot),
                amounts.nonZeroMemory(slot));
    }

    @Test
    void followsNodesAndPods() {
        for (RequestRules rules : RequestRules.values()) {
            assertEquals(List.of(4000L, 1L << 30, 10L, 2L, 0L, 0L, 0L, 0L, 0L), of("n1", rules));
        }
        PodInfo first = pod("p1").requests("1", "100").onNode("n1").build();
        cluster.addPod(first);
        cluster.addPod(pod("p2").ephemeralStorage("3").onNode("n1").build());
        for (RequestRules rules : RequestRules.values()) {
            assertEquals(
                    List.of(4000L, 1L << 30, 10L, 0L, 1000L, 100L, 3L, 1100L, 100L + 200 * 1024 * 1024),
                    of("n1", rules));
        }
        cluster.removePod(first);
        cluster.putNode(node("n1").cpu("8").memory("1Gi").pods(0).build());
        cluster.putNode(node("n2").cpu("1").memory("1").pods(Long.MIN_VALUE).build());
        cluster.addPod(pod("p3").onNode("n2").build());
        assertEquals(
                List.of(8000L, 1L << 30, 0L, -1L, 0L, 0L, 3L, 100L, 200L * 1024 * 1024), of("n1", RequestRules.V1_17));
        assertEquals(
                List.of(1000L, 1L, 0L, Long.MIN_VALUE, 0L, 0L, 0L, 100L, 200L * 1024 * 1024),
                of("n2", RequestRules.V1_17));
    }
}
