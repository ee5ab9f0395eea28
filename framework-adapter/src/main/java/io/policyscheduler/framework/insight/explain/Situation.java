package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.World;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A pod that is to be placed, and the cluster without it. Immutable.
 *
 * @param world does not contain the pod
 * @param pod has no node
 */
public record Situation(World world, PodInfo pod) {
    /** The pod taken from its node, or from those that wait. */
    public static Situation of(World world, PodInfo pod) {
        Situation all = new Situation(world, pod);
        PodInfo free = pod.nodeName().isEmpty() ? pod : pod.withNodeName("").withNominatedNodeName("");
        return new Situation(all.withoutPod(pod).world, free);
    }

    /** Other pods that have been promised a place. */
    public NominatedPods nominated() {
        return node -> world.pending().stream()
                .filter(other -> other.nominatedNodeName().equals(node))
                .toList();
    }

    /** The same with another pod in place of the pod. */
    public Situation withPod(PodInfo other) {
        return new Situation(world, other);
    }

    /** The same with one node changed; nothing changes when there is no such node. */
    public Situation withNode(String name, UnaryOperator<Node> change) {
        List<Node> nodes = new ArrayList<>(world.nodes());
        nodes.replaceAll(node -> node.name().equals(name) ? change.apply(node) : node);
        return new Situation(world.with(nodes, world.objects(), world.running(), world.pending()), pod);
    }

    /** The same without one of the other pods. */
    public Situation withoutPod(PodInfo other) {
        Predicate<PodInfo> stays = each -> !each.isSame(other);
        return new Situation(
                world.with(
                        world.nodes(),
                        world.objects(),
                        world.running().stream().filter(stays).toList(),
                        world.pending().stream().filter(stays).toList()),
                pod);
    }

    /** The same with an object that is neither node nor pod, which takes the place of the one of its kind and name. */
    public Situation withObject(ClusterObject object) {
        List<ClusterObject> objects = new ArrayList<>(world.objects());
        objects.removeIf(
                other -> other.getClass() == object.getClass() && other.key().equals(object.key()));
        objects.add(object);
        return new Situation(world.with(world.nodes(), objects, world.running(), world.pending()), pod);
    }
}
