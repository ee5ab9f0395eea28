package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.Clusters;

/** Clusters for tests of several resource priorities. */
final class ResourceExamples {
    private ResourceExamples() {}

    /** Three nodes, one of them too small for {@link #smallPod()}. */
    static ClusterState cluster() {
        return Clusters.cluster(
                node("n1").cpu("4").memory("10Gi").build(),
                node("n2").cpu("3").memory("7Gi").scalar("example.com/x", 4).build(),
                node("n3").cpu("1").memory("1Gi").build(),
                pod("on-n1").requests("1500m", "1Gi").onNode("n1").build(),
                pod("on-n2").memory("0").onNode("n2").build());
    }

    /** Asks for 50m, counted 100m because of an init container without requests. */
    static PodInfo smallPod() {
        return pod("p").requests("50m", "3Gi")
                .scalar("example.com/x", 1)
                .scoring(100, 3L << 30)
                .build();
    }

    /** A node with 4 cores and 8Gi, and a pod of 1 core and 1Gi with as much overhead. */
    static ClusterState emptyNode() {
        return Clusters.cluster(node("n1").cpu("4").memory("8Gi").build());
    }

    /** A cpu overhead of one core counts as one milli-CPU while the pod is scored. */
    static PodInfo podWithOverhead() {
        return pod("p").requests("2", "2Gi").scoring(1001, 2L << 30).build();
    }

    /** A node without any allocatable resource. */
    static ClusterState bareNode() {
        return Clusters.cluster(node("n1").build());
    }
}
