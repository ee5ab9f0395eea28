package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import java.util.List;

/** A copy of a cluster on which pods are placed one after the other. */
final class Stage {
    /** More passes than any mix of zones takes until the order of nodes repeats itself. */
    private static final int PASSES = 100;

    private final ClusterState cluster;
    private final Promises promises;
    private final DeciderSource.Volumes volumes;

    /** @param volumes of the way of deciding whose placements are made here */
    Stage(World world, List<PodInfo> pending, DeciderSource.Volumes volumes) {
        this.cluster = world.state();
        this.promises = new Promises(pending);
        this.volumes = volumes;
        // Until then a pass may name a node twice, so that the same question has several answers.
        for (int i = 0; i < PASSES && cluster.index() == null; i++) {
            cluster.startCycle();
        }
    }

    ClusterState cluster() {
        return cluster;
    }

    Promises promises() {
        return promises;
    }

    void remove(PodInfo bound) {
        cluster.removePod(bound);
    }

    void putBack(PodInfo bound) {
        cluster.addPod(bound);
    }

    /** The pod runs on the node from now on. */
    void place(PodInfo pod, String node) {
        NodeInfo info = cluster.node(node);
        if (info != null) {
            volumes.assume(cluster, pod, info);
        }
        cluster.addPod(pod.withNodeName(node));
        promises.kept(pod);
    }
}
