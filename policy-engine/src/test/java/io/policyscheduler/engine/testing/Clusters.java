package io.policyscheduler.engine.testing;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Objects;

/** Builds a cluster from objects in the given order, at the start of a cycle. */
public final class Clusters {
    private Clusters() {}

    public static ClusterState cluster(ClusterObject... objects) {
        ClusterState state = new ClusterState();
        for (ClusterObject object : objects) {
            if (object instanceof Node node) {
                state.putNode(node);
            } else if (object instanceof PodInfo pod) {
                state.addPod(pod);
            } else {
                state.putObject(object);
            }
        }
        state.startCycle();
        return state;
    }

    /** Returns the node of this name, which must exist. */
    public static NodeInfo info(ClusterState state, String name) {
        return Objects.requireNonNull(state.node(name), name);
    }
}
