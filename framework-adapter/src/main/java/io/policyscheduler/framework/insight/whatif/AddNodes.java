package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.insight.compare.World;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * More nodes like one that is there: fresh and ready, with its labels, taints, resources, CSI drivers and capacities, devices, and
 * with copies of the pods that a DaemonSet has on it. The state of the model is left out: its cordon, the taints of a node that
 * starts or is not healthy, its other pods, and its local volumes. They are named {@code LIKE-new-1} and so on, and so are the
 * labels that have the name of the model.
 *
 * @param count above 0
 * @param like name of the node
 */
public record AddNodes(int count, String like) implements WhatIf {
    private static final String HOSTNAME = "kubernetes.io/hostname";
    /** Taints that controllers, cloud providers, autoscalers, and agents remove when a node is ready. */
    private static final Pattern STATE = Pattern.compile(
            "node\\.kubernetes\\.io/.*|node\\.cloudprovider\\.kubernetes\\.io/.*"
                    + "|ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler"
                    + "|(startup|ignore|status)-taint\\.cluster-autoscaler\\.kubernetes\\.io/.*"
                    + "|karpenter\\.sh/(unregistered|disrupted|disruption)|.*(not-ready|notready|not-initialized|uninitialized|unregistered)");

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
                nodes.add(copy(original, like, name));
            }
        }
        List<Node> added = nodes.subList(world.nodes().size(), nodes.size());
        int localVolumes = 0;
        for (ClusterObject object : world.objects()) {
            for (Node node : added) {
                ClusterObject copy = copy(object, original, node);
                if (copy != null) {
                    objects.add(copy);
                }
            }
            localVolumes += isLocal(object, original, added.get(0)) ? 1 : 0;
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
        List<String> notes = new ArrayList<>();
        notes.add("added " + Controllers.count(count, "node") + " like " + like + ": " + names.get(0) + last
                + daemonNote);
        String leftOut = leftOut(original, localVolumes);
        if (!leftOut.isEmpty()) {
            notes.add("left out, because a new node does not have it: " + leftOut);
        }
        return new Changed(copies.with(pods, List.of()), notes);
    }

    private static String leftOut(Node original, int localVolumes) {
        List<String> left = new ArrayList<>();
        if (original.unschedulable()) {
            left.add("the cordon");
        }
        List<String> taints = original.taints().stream()
                .map(Node.Taint::key)
                .filter(key -> STATE.matcher(key).matches())
                .distinct()
                .toList();
        if (!taints.isEmpty()) {
            left.add((taints.size() == 1 ? "the taint " : "the taints ") + String.join(", ", taints));
        }
        List<String> conditions = new ArrayList<>();
        original.conditions().forEach((type, status) -> {
            if (!status.equals(freshStatus(type))) {
                conditions.add(type + "=" + status);
            }
        });
        if (!conditions.isEmpty()) {
            left.add((conditions.size() == 1 ? "the condition " : "the conditions ") + String.join(", ", conditions));
        }
        if (localVolumes > 0) {
            left.add(Controllers.count(localVolumes, "local volume"));
        }
        return String.join("; ", left);
    }

    private static String freshStatus(String condition) {
        return condition.equals("Ready") ? "True" : "False";
    }

    /** What the model provides besides its resources, for a new node; null if the object is not of the model alone. */
    private @Nullable ClusterObject copy(ClusterObject object, Node original, Node node) {
        String name = node.name();
        if (object instanceof CsiNodeInfo drivers && drivers.name().equals(like)) {
            return new CsiNodeInfo(name, drivers.annotations(), drivers.drivers());
        }
        if (object instanceof StorageCapacityInfo storage
                && storage.nodeTopology() != null
                && storage.nodeTopology().matches(original.labels())
                && !storage.nodeTopology().matches(node.labels())) {
            List<LabelRequirement> own = new ArrayList<>();
            for (LabelRequirement requirement : storage.nodeTopology().requirements()) {
                String value = node.labels().get(requirement.key());
                own.add(
                        value == null || requirement.matches(node.labels())
                                ? requirement
                                : LabelRequirement.equalTo(requirement.key(), value));
            }
            return new StorageCapacityInfo(
                    storage.namespace(),
                    storage.name() + "-" + name,
                    storage.storageClassName(),
                    new LabelSelector(own),
                    storage.capacity(),
                    storage.maximumVolumeSize());
        }
        if (object instanceof ResourceSliceInfo slice && slice.nodeName().equals(like)) {
            return new ResourceSliceInfo(
                    slice.name() + "-" + name,
                    slice.driver(),
                    slice.pool().equals(like) ? name : slice.pool() + "-" + name,
                    slice.generation(),
                    slice.poolSlices(),
                    name,
                    slice.nodeTerms(),
                    slice.allNodes(),
                    slice.perDevice(),
                    slice.sharedCounters(),
                    slice.devices());
        }
        return null;
    }

    private static boolean isLocal(ClusterObject object, Node original, Node node) {
        return object instanceof PersistentVolumeInfo volume
                && volume.requiredTerms() != null
                && NodeSelectorTerm.anyMatches(volume.requiredTerms(), original.labels(), original.name())
                && !NodeSelectorTerm.anyMatches(volume.requiredTerms(), node.labels(), node.name());
    }

    private static Node copy(Node original, String like, String name) {
        Map<String, String> labels = original.labels().toMap();
        labels.replaceAll((key, old) -> old.equals(like) || key.equals(HOSTNAME) ? name : old);
        Map<String, String> conditions = original.conditions().toMap();
        conditions.replaceAll((type, status) -> freshStatus(type));
        return new Node(
                name,
                "copy-of-" + original.uid() + "-" + name,
                "",
                Labels.copyOf(labels),
                original.annotations(),
                false,
                original.taints().stream()
                        .filter(taint -> !STATE.matcher(taint.key()).matches())
                        .toList(),
                original.allocatable(),
                original.images(),
                Labels.copyOf(conditions),
                original.zoneKey(),
                original.kubeletVersion(),
                original.createdMillis(),
                Map.of(),
                original.declaredFeatures());
    }
}
