package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.whatif.PodTemplates.ClaimCopies;
import io.policyscheduler.framework.insight.whatif.PodTemplates.Controllers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A change of a cluster, as a pure function. */
public interface WhatIf {
    /**
     * The result of a change.
     *
     * @param notes what was changed, one line each, for users
     */
    record Changed(ClusterSnapshot snapshot, List<String> notes) {
        public Changed {
            notes = List.copyOf(notes);
        }
    }

    /** Why the change is not possible in this cluster, in one line; null if it is possible. */
    @Nullable
    String problem(ClusterSnapshot snapshot);

    /** Applies the change, which must be possible. */
    Changed apply(ClusterSnapshot snapshot);

    /**
     * Adds nodes like an existing one: ready, with its labels, taints, resources, CSI drivers and capacities, devices, and copies
     * of its DaemonSet pods. Transient state is not copied: cordon, taints of a starting or unhealthy node, other pods, and local
     * volumes. They are named {@code LIKE-new-1} and so on, and so are the labels that have the name of the model.
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
        public @Nullable String problem(ClusterSnapshot snapshot) {
            return NodeNames.problem(snapshot, like);
        }

        @Override
        public Changed apply(ClusterSnapshot snapshot) {
            Node original = NodeNames.find(snapshot, like);
            Set<String> taken = new HashSet<>();
            snapshot.nodes().forEach(node -> taken.add(node.name()));
            List<Node> nodes = new ArrayList<>(snapshot.nodes());
            List<ClusterObject> objects = new ArrayList<>(snapshot.objects());
            List<String> names = new ArrayList<>();
            for (int number = 1; names.size() < count; number++) {
                String name = like + "-new-" + number;
                if (taken.add(name)) {
                    names.add(name);
                    nodes.add(copy(original, like, name));
                }
            }
            List<Node> added = nodes.subList(snapshot.nodes().size(), nodes.size());
            int localVolumes = 0;
            for (ClusterObject object : snapshot.objects()) {
                for (Node node : added) {
                    ClusterObject copy = copy(object, original, node);
                    if (copy != null) {
                        objects.add(copy);
                    }
                }
                localVolumes += isLocal(object, original, added.get(0)) ? 1 : 0;
            }
            PodTemplates copies =
                    new PodTemplates(snapshot.with(nodes, objects, snapshot.running(), snapshot.pending()));
            List<PodInfo> pods = new ArrayList<>();
            List<PodInfo> daemons = snapshot.running().stream()
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
                notes.add("omitted, because a new node does not have it: " + leftOut);
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
                left.add((conditions.size() == 1 ? "the condition " : "the conditions ")
                        + String.join(", ", conditions));
            }
            if (localVolumes > 0) {
                left.add(Controllers.count(localVolumes, "local volume"));
            }
            return String.join("; ", left);
        }

        private static String freshStatus(String condition) {
            return condition.equals("Ready") ? "True" : "False";
        }

        /** A copy of an object that belongs to the node, for a new node; null if the object does not belong to the node alone. */
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

    /**
     * Cordons a node; its pods with a controller become pending. As with {@code kubectl drain}, pods of DaemonSets, mirror pods and
     * pods without a controller stay; disruption budgets are ignored.
     *
     * @param node name of the node
     */
    public record DrainNode(String node) implements WhatIf {
        @Override
        public @Nullable String problem(ClusterSnapshot snapshot) {
            return NodeNames.problem(snapshot, node);
        }

        @Override
        public Changed apply(ClusterSnapshot snapshot) {
            List<Node> nodes = new ArrayList<>(snapshot.nodes());
            nodes.replaceAll(other -> other.name().equals(node) ? cordoned(other) : other);
            List<PodInfo> running = new ArrayList<>();
            List<PodInfo> pending = new ArrayList<>(snapshot.pending());
            List<PodInfo> staying = new ArrayList<>();
            Set<String> moved = new HashSet<>();
            for (PodInfo pod : snapshot.running()) {
                boolean here = pod.nodeName().equals(node);
                if (here && Controllers.isReplaced(pod) && !pod.terminating()) {
                    pending.add(PodTemplates.released(pod));
                    moved.add(pod.uid());
                    continue;
                }
                running.add(pod);
                if (here) {
                    staying.add(pod);
                }
            }
            List<String> notes = new ArrayList<>();
            notes.add("drained node " + node + ": " + Controllers.count(moved.size(), "pod")
                    + (moved.size() == 1 ? " is scheduled again" : " are scheduled again"));
            if (!staying.isEmpty()) {
                notes.add("not evicted from " + node + ": "
                        + staying.stream()
                                .map(pod -> pod.key() + " (" + why(pod) + ")")
                                .collect(Collectors.joining(", ")));
            }
            List<ClusterObject> objects = ClaimCopies.without(snapshot.objects(), moved, moved);
            return new Changed(snapshot.with(nodes, objects, running, pending), notes);
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
            if (!taints.contains(Taint.UNSCHEDULABLE)) {
                taints.add(Taint.UNSCHEDULABLE);
            }
            return node.withTaints(true, taints);
        }
    }

    /**
     * Removes a node and its pods.
     *
     * @param node name of the node
     */
    public record RemoveNode(String node) implements WhatIf {
        @Override
        public @Nullable String problem(ClusterSnapshot snapshot) {
            return NodeNames.problem(snapshot, node);
        }

        @Override
        public Changed apply(ClusterSnapshot snapshot) {
            List<Node> nodes = snapshot.nodes().stream()
                    .filter(other -> !other.name().equals(node))
                    .toList();
            List<ClusterObject> objects = snapshot.objects().stream()
                    .filter(object -> !(object instanceof CsiNodeInfo drivers
                            && drivers.name().equals(node)))
                    .toList();
            List<PodInfo> running = snapshot.running().stream()
                    .filter(pod -> !pod.nodeName().equals(node))
                    .toList();
            Set<String> uids = new HashSet<>();
            snapshot.running().stream()
                    .filter(pod -> pod.nodeName().equals(node))
                    .forEach(pod -> uids.add(pod.uid()));
            return new Changed(
                    snapshot.with(nodes, ClaimCopies.without(objects, uids, Set.of()), running, snapshot.pending()),
                    List.of("removed node " + node + " with " + Controllers.count(uids.size(), "pod")));
        }
    }

    /**
     * Scales a workload. Additional replicas are pending copies of its newest pod; pending pods are removed first, then the newest,
     * of a StatefulSet those with the highest number. Pods of a Deployment are those of the ReplicaSets named after it and their
     * {@code pod-template-hash}. A StatefulSet's new pods get new claims without a volume.
     *
     * @param replicas the new number, 0 or more
     */
    public record Scale(Kind kind, String namespace, String name, int replicas) implements WhatIf {
        private static final String TEMPLATE_HASH = "pod-template-hash";
        /** By start time. Pending pods start last; of two pending ones, the last one counts as newest. */
        private static final Comparator<PodInfo> BY_AGE = Comparator.comparing(
                        (PodInfo pod) -> pod.nodeName().isEmpty())
                .thenComparing(pod -> pod.startTimeMillis() == PodInfo.NO_TIME)
                .thenComparingLong(PodInfo::startTimeMillis);

        /** The kinds of workloads. */
        public enum Kind {
            DEPLOYMENT("deploy", "ReplicaSet"),
            REPLICA_SET("rs", "ReplicaSet"),
            STATEFUL_SET("sts", "StatefulSet"),
            REPLICATION_CONTROLLER("rc", "ReplicationController");

            private final String shortName;
            private final String owner;

            Kind(String shortName, String owner) {
                this.shortName = shortName;
                this.owner = owner;
            }
        }

        private String label() {
            return namespace + "/" + kind.shortName + "/" + name;
        }

        @Override
        public @Nullable String problem(ClusterSnapshot snapshot) {
            if (!pods(snapshot).isEmpty()) {
                return null;
            }
            Set<String> names = new TreeSet<>();
            all(snapshot).forEach(pod -> names.addAll(names(pod)));
            String near = Suggestions.nearest(namespace + "/" + name, names);
            return "no pod of " + label() + " waits or runs" + (near == null ? "" : " (did you mean " + near + "?)");
        }

        private static Stream<PodInfo> all(ClusterSnapshot snapshot) {
            return Stream.concat(snapshot.running().stream(), snapshot.pending().stream());
        }

        /** The workload's pods, oldest first. */
        private List<PodInfo> pods(ClusterSnapshot snapshot) {
            Comparator<PodInfo> order = kind == Kind.STATEFUL_SET ? Comparator.comparingInt(Scale::ordinal) : BY_AGE;
            return all(snapshot)
                    .filter(pod -> !pod.terminating() && names(pod).contains(namespace + "/" + name))
                    .sorted(order)
                    .toList();
        }

        /** The names of workloads of this kind that the pod can belong to. */
        private List<String> names(PodInfo pod) {
            OwnerReference owner = pod.controller();
            if (owner == null || !owner.kind().equals(kind.owner)) {
                return List.of();
            }
            if (kind != Kind.DEPLOYMENT) {
                return List.of(pod.namespace() + "/" + owner.name());
            }
            String suffix = "-" + pod.labels().getOrEmpty(TEMPLATE_HASH);
            return suffix.length() == 1 || !owner.name().endsWith(suffix)
                    ? List.of()
                    : List.of(pod.namespace() + "/"
                            + owner.name().substring(0, owner.name().length() - suffix.length()));
        }

        /** The ordinal of a StatefulSet pod; -1 if its name has none. */
        private static int ordinal(PodInfo pod) {
            String text = pod.name().substring(pod.name().lastIndexOf('-') + 1);
            return text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
        }

        @Override
        public Changed apply(ClusterSnapshot snapshot) {
            List<PodInfo> pods = pods(snapshot);
            String note = "scaled " + label() + " from " + pods.size() + " to " + replicas;
            if (replicas <= pods.size()) {
                return fewer(snapshot, pods.subList(replicas, pods.size()), note);
            }
            PodInfo newest = pods.get(pods.size() - 1);
            PodTemplates copies = new PodTemplates(snapshot);
            List<PodInfo> more = new ArrayList<>();
            int number = kind == Kind.STATEFUL_SET ? ordinal(newest) + 1 : 1;
            String prefix = kind == Kind.STATEFUL_SET ? name + "-" : owner(newest) + "-more-";
            while (pods.size() + more.size() < replicas) {
                String copied = copies.freeName(namespace, prefix, number);
                number = Integer.parseInt(copied.substring(prefix.length())) + 1;
                more.add(copies.pending(newest, copied));
            }
            List<String> notes = new ArrayList<>();
            notes.add(note + ": " + more.size() + " more like " + newest.key());
            int claims = copies.madeClaims().size();
            if (claims > 0) {
                notes.add(Controllers.count(claims, "claim") + " made for them, without a volume");
            }
            return new Changed(copies.with(List.of(), more), notes);
        }

        private static String owner(PodInfo pod) {
            return pod.controller() == null ? pod.name() : pod.controller().name();
        }

        private static Changed fewer(ClusterSnapshot snapshot, List<PodInfo> leaving, String note) {
            Set<String> uids = new HashSet<>();
            leaving.forEach(pod -> uids.add(pod.uid()));
            long running =
                    leaving.stream().filter(pod -> !pod.nodeName().isEmpty()).count();
            ClusterSnapshot left = snapshot.with(
                    snapshot.nodes(),
                    ClaimCopies.without(snapshot.objects(), uids, Set.of()),
                    snapshot.running().stream()
                            .filter(pod -> !uids.contains(pod.uid()))
                            .toList(),
                    snapshot.pending().stream()
                            .filter(pod -> !uids.contains(pod.uid()))
                            .toList());
            return new Changed(
                    left,
                    List.of(note + ": " + running + " running and " + (leaving.size() - running) + " pending gone"));
        }
    }

    /** Parses changes. Errors are IllegalArgumentExceptions with one line that contains the expected format. */
    public static final class Parser {
        private static final Pattern ADD = Pattern.compile("(\\d{1,9}):like=([^,=]+)");
        /** The maximum of one change. */
        private static final int MOST_NODES = 100_000;

        private static final Pattern SCALE = Pattern.compile("(?:([^/=]+)/)?([^/=]+)/([^/=]+)=(\\d{1,6})");

        private static final Map<String, Scale.Kind> KINDS = Map.of(
                "deploy", Scale.Kind.DEPLOYMENT,
                "deployment", Scale.Kind.DEPLOYMENT,
                "rs", Scale.Kind.REPLICA_SET,
                "replicaset", Scale.Kind.REPLICA_SET,
                "sts", Scale.Kind.STATEFUL_SET,
                "statefulset", Scale.Kind.STATEFUL_SET,
                "rc", Scale.Kind.REPLICATION_CONTROLLER,
                "replicationcontroller", Scale.Kind.REPLICATION_CONTROLLER);

        private Parser() {}

        /** {@code 10:like=n3}. */
        public static AddNodes addNodes(String text) {
            Matcher matcher = ADD.matcher(text);
            if (!matcher.matches() || Integer.parseInt(matcher.group(1)) == 0) {
                throw new IllegalArgumentException("\"" + text + "\" is not NUMBER:like=NODE, such as 10:like=n3");
            }
            int number = Integer.parseInt(matcher.group(1));
            if (number > MOST_NODES) {
                throw new IllegalArgumentException("\"" + text + "\": at most " + MOST_NODES + " nodes can be added");
            }
            return new AddNodes(number, matcher.group(2));
        }

        /** {@code deploy/web=50} in the namespace default, {@code shop/deploy/web=50} in another. */
        public static Scale scale(String text) {
            Matcher matcher = SCALE.matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "\"" + text + "\" is not [NAMESPACE/]KIND/NAME=NUMBER, such as deploy/web=50");
            }
            Scale.Kind kind = KINDS.get(matcher.group(2));
            if (kind == null) {
                List<String> names = new ArrayList<>(KINDS.keySet());
                names.sort(null);
                String near = Suggestions.nearest(matcher.group(2), names);
                throw new IllegalArgumentException("\"" + text + "\": " + matcher.group(2)
                        + " is not deploy, rs, sts or rc" + (near == null ? "" : " (did you mean " + near + "?)"));
            }
            String namespace = matcher.group(1) == null ? "default" : matcher.group(1);
            return new Scale(kind, namespace, matcher.group(3), Integer.parseInt(matcher.group(4)));
        }
    }

    /** Checks names of nodes. */
    static final class NodeNames {
        private NodeNames() {}

        /** Null if the node exists, else the error. */
        static @Nullable String problem(ClusterSnapshot snapshot, String name) {
            List<String> names = snapshot.nodes().stream().map(Node::name).toList();
            return names.contains(name) ? null : "no node " + name + Suggestions.hint(name, names);
        }

        static Node find(ClusterSnapshot snapshot, String name) {
            return snapshot.nodes().stream()
                    .filter(node -> node.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no node " + name));
        }
    }
}
