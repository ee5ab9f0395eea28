package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import java.util.ArrayList;
import java.util.List;

/** A copy of a cluster on which pods are placed one after the other; or several, which are always alike, for several threads. */
final class Stage {
    /** More passes than any mix of zones takes until the order of nodes repeats itself. */
    private static final int PASSES = 100;

    private final List<ClusterState> clusters = new ArrayList<>();
    private final Promises promises;
    private final DeciderSource.Volumes volumes;

    /**
     * The world as it is.
     *
     * @param volumes of the way of deciding whose placements are made here
     * @param copies at least one
     */
    Stage(World world, List<PodInfo> pending, DeciderSource.Volumes volumes, int copies) {
        this.promises = new Promises(pending);
        this.volumes = volumes;
        for (int i = 0; i < copies; i++) {
            ClusterState cluster = world.state();
            settle(cluster);
            clusters.add(cluster);
        }
    }

    /** Until then a pass may name a node twice, so that the same question has several answers. */
    private static void settle(ClusterState cluster) {
        for (int i = 0; i < PASSES && cluster.index() == null; i++) {
            cluster.startCycle();
        }
    }

    /** The copy with a number; of one alone it is that one. */
    ClusterState cluster(int copy) {
        return clusters.get(copy % clusters.size());
    }

    Promises promises() {
        return promises;
    }

    void remove(PodInfo bound) {
        clusters.forEach(cluster -> cluster.removePod(bound));
    }

    void putBack(PodInfo bound) {
        clusters.forEach(cluster -> cluster.addPod(bound));
    }

    /** The pod runs on the node from now on. */
    void place(PodInfo pod, String node) {
        for (ClusterState cluster : clusters) {
            NodeInfo info = cluster.node(node);
            if (info != null) {
                volumes.assume(cluster, pod, info);
            }
            cluster.addPod(pod.withNodeName(node));
        }
        promises.kept(pod);
    }
}
