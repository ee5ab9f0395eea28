package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.World;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node is gone, and its pods with it.
 *
 * @param node name of the node
 */
public record RemoveNode(String node) implements WhatIf {
    @Override
    public @Nullable String problem(World world) {
        return NodeNames.problem(world, node);
    }

    @Override
    public Changed apply(World world) {
        List<Node> nodes = world.nodes().stream()
                .filter(other -> !other.name().equals(node))
                .toList();
        List<ClusterObject> objects = world.objects().stream()
                .filter(object -> !(object instanceof CsiNodeInfo drivers
                        && drivers.name().equals(node)))
                .toList();
        List<PodInfo> running = world.running().stream()
                .filter(pod -> !pod.nodeName().equals(node))
                .toList();
        Set<String> uids = new HashSet<>();
        world.running().stream().filter(pod -> pod.nodeName().equals(node)).forEach(pod -> uids.add(pod.uid()));
        return new Changed(
                world.with(nodes, ClaimCopies.without(objects, uids, Set.of()), running, world.pending()),
                List.of("removed node " + node + " with " + Controllers.count(uids.size(), "pod")));
    }
}
