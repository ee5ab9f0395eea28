package io.policyscheduler.framework.compare;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.ClusterObject;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.Node;
import io.policyscheduler.engine.cluster.PodInfo;
import java.util.List;

/**
 * A cluster at one moment, of which any number of deciders can have a copy of their own. Immutable.
 *
 * @param nodes in the order in which the API server lists them
 * @param objects everything that is neither node nor pod
 * @param running pods that have a node and are not finished
 * @param pending pods without a node that are neither finished nor being deleted
 */
public record World(List<Node> nodes, List<ClusterObject> objects, List<PodInfo> running, List<PodInfo> pending) {
    public World {
        nodes = ImmutableList.copyOf(nodes);
        objects = ImmutableList.copyOf(objects);
        running = ImmutableList.copyOf(running);
        pending = ImmutableList.copyOf(pending);
    }

    /** This and another world together; nothing may be in both. */
    public World with(World other) {
        return new World(
                both(nodes, other.nodes),
                both(objects, other.objects),
                both(running, other.running),
                both(pending, other.pending));
    }

    private static <T> List<T> both(List<T> first, List<T> second) {
        return ImmutableList.<T>builder().addAll(first).addAll(second).build();
    }

    /** A copy that can be changed: the nodes with the pods that run on them. */
    public ClusterState state() {
        ClusterState state = new ClusterState();
        nodes.forEach(state::putNode);
        objects.forEach(state::putObject);
        running.forEach(state::addPod);
        return state;
    }
}
