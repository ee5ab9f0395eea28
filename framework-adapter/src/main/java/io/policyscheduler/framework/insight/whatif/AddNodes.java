package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.insight.compare.World;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * More nodes like one that is there: with its labels, taints and resources, with copies of the pods that a DaemonSet has on it,
 * and without its other pods. They are named {@code LIKE-new-1} and so on, and so says their hostname label.
 *
 * @param count above 0
 * @param like name of the node
 */
public record AddNodes(int count, String like) implements WhatIf {
    private static final String HOSTNAME = "kubernetes.io/hostname";

    @Override
    public @Nullable String problem(World world) {
        return NodeNames.problem(world, like);
    }

    @Override
    public Changed apply(World world) {
        Node original = NodeNames.find(world, like);
        Set<String> taken = new HashSet<>();
        world.nodes().forEach(node -> taken.add(node.name()));
        List<Node> nodes = new ArrayList<>(world.nodes());
        List<ClusterObject> objects = new ArrayList<>(world.objects());
        List<String> names = new ArrayList<>();
        for (int number = 1; names.size() < count; number++) {
            String name = like + "-new-" + number;
            if (taken.add(name)) {
                names.add(name);
                nodes.add(copy(original, name));
            }
        }
        for (ClusterObject object : world.objects()) {
            if (object instanceof CsiNodeInfo drivers && drivers.name().equals(like)) {
                names.forEach(name -> objects.add(new CsiNodeInfo(name, drivers.annotations(), drivers.drivers())));
            }
        }
        PodCopies copies = new PodCopies(world.with(nodes, objects, world.running(), world.pending()));
        List<PodInfo> pods = new ArrayList<>();
        List<PodInfo> daemons = world.running().stream()
                .filter(pod -> pod.nodeName().equals(like) && Controllers.isDaemon(pod))
                .toList();
        for (String name : names) {
            daemons.forEach(pod -> pods.add(copies.running(pod, pod.name() + "-" + name, name)));
        }
        String daemonNote = pods.isEmpty() ? "" : ", with " + Controllers.count(pods.size(), "DaemonSet pod");
        String last = names.size() == 1 ? "" : " to " + names.get(names.size() - 1);
        return new Changed(
                copies.with(pods, List.of()),
                List.of("added " + Controllers.count(count, "node") + " like " + like + ": " + names.get(0) + last
                        + daemonNote));
    }

    private static Node copy(Node original, String name) {
        Map<String, String> labels = original.labels().toMap();
        labels.computeIfPresent(HOSTNAME, (key, old) -> name);
        return new Node(
                name,
                "copy-of-" + original.uid() + "-" + name,
                "",
                Labels.copyOf(labels),
                original.annotations(),
                original.unschedulable(),
                original.taints(),
                original.allocatable(),
                original.images(),
                original.conditions(),
                original.zoneKey(),
                original.kubeletVersion(),
                original.createdMillis(),
                original.conditionsSince(),
                original.declaredFeatures());
    }
}
