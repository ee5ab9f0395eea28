package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.World;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A node is cordoned, and the pods that a controller makes anew elsewhere become pending. As with {@code kubectl drain} those
 * of DaemonSets, mirrors of static pods and pods without a controller stay; disruption budgets are not looked at.
 *
 * @param node name of the node
 */
public record DrainNode(String node) implements WhatIf {
    private static final Taint CORDONED = new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");

    @Override
    public @Nullable String problem(World world) {
        return NodeNames.problem(world, node);
    }

    @Override
    public Changed apply(World world) {
        List<Node> nodes = new ArrayList<>(world.nodes());
        nodes.replaceAll(other -> other.name().equals(node) ? cordoned(other) : other);
        List<PodInfo> running = new ArrayList<>();
        List<PodInfo> pending = new ArrayList<>(world.pending());
        List<PodInfo> staying = new ArrayList<>();
        Set<String> moved = new HashSet<>();
        for (PodInfo pod : world.running()) {
            boolean here = pod.nodeName().equals(node);
            if (here && Controllers.isReplaced(pod) && !pod.terminating()) {
                pending.add(PodCopies.released(pod));
                moved.add(pod.uid());
                continue;
            }
            running.add(pod);
            if (here) {
                staying.add(pod);
            }
        }
        List<String> notes = new ArrayList<>();
        notes.add("drained node " + node + ": " + Controllers.count(moved.size(), "pod") + " to be placed again");
        if (!staying.isEmpty()) {
            notes.add("on " + node + " stay "
                    + staying.stream()
                            .map(pod -> pod.key() + " (" + why(pod) + ")")
                            .collect(Collectors.joining(", ")));
        }
        List<ClusterObject> objects = ClaimCopies.without(world.objects(), moved, moved);
        return new Changed(world.with(nodes, objects, running, pending), notes);
    }

    private static String why(PodInfo pod) {
        if (pod.terminating()) {
            return "being deleted";
        }
        if (Controllers.isDaemon(pod)) {
            return "DaemonSet";
        }
        return Controllers.isMirror(pod) ? "static" : "no controller";
    }

    private static Node cordoned(Node node) {
        List<Taint> taints = new ArrayList<>(node.taints());
        if (!taints.contains(CORDONED)) {
            taints.add(CORDONED);
        }
        return new Node(
                node.name(),
                node.uid(),
                node.resourceVersion(),
                node.labels(),
                node.annotations(),
                true,
                taints,
                node.allocatable(),
                node.images(),
                node.conditions(),
                node.zoneKey(),
                node.kubeletVersion(),
                node.createdMillis(),
                node.conditionsSince(),
                node.declaredFeatures());
    }
}
