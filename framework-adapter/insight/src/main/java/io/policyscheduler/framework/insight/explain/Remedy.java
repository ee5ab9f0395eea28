package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.explain.Explanation.Amounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A change that removes one reason why a node is rejected: of the node, of the pod, or of another object. Applying it is a pure function, so
 * that a search can test it. Two remedies are equal if they change the same thing in the same way.
 */
public final class Remedy {
    /** What a remedy changes. */
    public enum Kind {
        /** A node gets more of a resource. */
        RESOURCE,
        /** A node is uncordoned. */
        CORDON,
        /** A node loses a taint. */
        TAINT,
        /** The pod tolerates a taint. */
        TOLERATION,
        /** The labels of a node change. */
        LABEL,
        /** The pod requires fewer labels of a node. */
        NODE_DEMAND,
        /** Another pod is removed. */
        POD,
        /** The pod requires less of other pods. */
        POD_DEMAND,
        /** The pod allows more skew. */
        SPREAD,
        /** A node can attach more volumes. */
        VOLUME_LIMIT,
        /** A claim gets a volume. */
        VOLUME
    }

    /**
     * An amount of a resource that a node does not have.
     *
     * @param missing above 0; milli-CPU, bytes, or a count
     * @param requested the request of the pod
     * @param allocatable the total of the node
     */
    record Shortage(String resource, long missing, long requested, long allocatable) {}

    /**
     * A label that a node gets or loses.
     *
     * @param value null removes the label; an empty value means that any value is accepted
     */
    record Label(String key, @Nullable String value) {}

    private final Kind kind;
    private final @Nullable String node;
    private final Object subject;
    private final String text;
    private final double effort;
    private final UnaryOperator<Situation> change;

    /**
     * A remedy.
     *
     * @param node the node that is changed, or on which something is changed; null if the remedy applies to all nodes
     * @param subject what is changed, compared by {@code equals}
     * @param effort about 1; see {@link #effort()}
     */
    private Remedy(
            Kind kind,
            @Nullable String node,
            Object subject,
            String text,
            double effort,
            UnaryOperator<Situation> change) {
        this.kind = kind;
        this.node = node;
        this.subject = subject;
        this.text = text;
        this.effort = effort;
        this.change = change;
    }

    /** Returns what the remedy changes. */
    public Kind kind() {
        return kind;
    }

    /** Returns the change in a few words with amounts, without the node. */
    public String text() {
        return text;
    }

    /** Returns the node that is changed, or on which something is changed; null if the remedy applies to all nodes. */
    public @Nullable String node() {
        return node;
    }

    /** Returns the size of the change, about 1, which orders solutions with the same number of remedies. */
    public double effort() {
        return effort;
    }

    /** Returns true if the node would need more of a resource than it has in total, so that removing pods is not enough. */
    public boolean exceedsNode() {
        return subject instanceof Shortage shortage && shortage.requested() > shortage.allocatable();
    }

    /** Returns the shortage that the remedy ends; null for other kinds. */
    @Nullable
    Shortage shortage() {
        return subject instanceof Shortage shortage ? shortage : null;
    }

    /** Returns the label that a node gets or loses; null for other kinds. */
    @Nullable
    Label label() {
        return subject instanceof Label label ? label : null;
    }

    /** Returns the situation after the change. */
    public Situation apply(Situation before) {
        return change.apply(before);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Remedy remedy
                && kind == remedy.kind
                && Objects.equals(node, remedy.node)
                && subject.equals(remedy.subject);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, node, subject);
    }

    @Override
    public String toString() {
        return text;
    }

    /** The node gets more of a resource, because it is larger or other pods leave. */
    static Remedy moreOf(String node, Shortage shortage) {
        String resource = shortage.resource();
        long missing = shortage.missing();
        long free = Math.max(0, shortage.requested() - missing);
        // Pods that leave can free what they use, but no more.
        String verb = missing <= shortage.allocatable() - free ? "free up " : "add ";
        String more = resource.equals(ResourceNames.PODS)
                ? "room for " + missing + (missing == 1 ? " more pod" : " more pods")
                : verb + Amounts.of(resource, missing);
        String text = more + " (pod requests " + Amounts.number(resource, shortage.requested()) + ", node has "
                + Amounts.number(resource, free) + " of "
                + Amounts.number(resource, shortage.allocatable()) + " free)";
        return new Remedy(
                Kind.RESOURCE,
                node,
                shortage,
                text,
                // Half for a small amount, more if a larger part of the node is missing.
                0.5 + (double) missing / Math.max(shortage.allocatable(), 1),
                before -> before.withNode(node, old -> larger(old, resource, missing)));
    }

    /** The node is uncordoned, and loses the taint of a cordoned node. */
    static Remedy uncordon(String node) {
        return new Remedy(
                Kind.CORDON, node, "", "uncordon the node", 0.5, before -> before.withNode(node, Node::uncordoned));
    }

    /** The node loses a taint that reports a problem, such as not being ready. */
    static Remedy untaint(String node, Taint taint) {
        return new Remedy(
                Kind.TAINT,
                node,
                taint,
                "repair the node, which has the taint " + text(taint),
                1.2,
                before -> before.withNode(
                        node,
                        old -> old.withTaints(
                                old.unschedulable(),
                                old.taints().stream()
                                        .filter(other -> !other.equals(taint))
                                        .toList())));
    }

    /** The node gets or loses a label. */
    static Remedy label(String node, Label label) {
        String key = label.key();
        String value = label.value();
        String text = value == null
                ? "remove the label " + key
                : "add the label " + key + (value.isEmpty() ? "" : "=" + value);
        return new Remedy(
                Kind.LABEL,
                node,
                label,
                text,
                1,
                before -> before.withNode(node, old -> {
                    Map<String, String> labels = old.labels().toMap();
                    if (value == null) {
                        labels.remove(key);
                    } else {
                        labels.put(key, value);
                    }
                    return copy(old, Labels.copyOf(labels), old.allocatable());
                }));
    }

    /** The pod tolerates a taint. */
    static Remedy tolerate(Taint taint) {
        return new Remedy(Kind.TOLERATION, null, taint, "add a toleration for " + text(taint), 1, before -> {
            List<Toleration> tolerations = new ArrayList<>(before.pod().tolerations());
            tolerations.add(new Toleration(taint.key(), "Equal", taint.value(), taint.effect()));
            return before.withSpec(spec -> spec.tolerations(tolerations));
        });
    }

    /**
     * The pod no longer requires anything of a label that identifies a node, such as its name or zone.
     *
     * @param key a label key
     * @param requirement the requirement as text
     */
    static Remedy withoutRequirement(String key, String requirement) {
        return new Remedy(
                Kind.NODE_DEMAND,
                null,
                List.of(key, requirement),
                "remove the pod's requirement of " + requirement,
                1.5,
                before -> {
                    PodInfo pod = before.pod();
                    Map<String, String> selector = pod.spec().nodeSelector().toMap();
                    selector.remove(key);
                    Affinity affinity = pod.affinity();
                    return before.withSpec(spec -> spec.nodeSelector(Labels.copyOf(selector))
                            .affinity(new Affinity(
                                    withoutKey(affinity.requiredNode(), key),
                                    affinity.preferredNode(),
                                    affinity.podAffinity(),
                                    affinity.podAntiAffinity())));
                });
    }

    /**
     * The pod loses a required term of inter-pod affinity.
     *
     * @param anti true for a term of podAntiAffinity
     * @param why why the term rejects the node, as text
     */
    static Remedy withoutPodTerm(boolean anti, PodAffinityTerm term, String why) {
        return new Remedy(
                Kind.POD_DEMAND,
                null,
                List.of(anti, term),
                "remove the pod " + (anti ? "anti-affinity" : "affinity") + " to " + text(term.selector()) + " by "
                        + term.topologyKey() + " (" + why + ")",
                1.5,
                before -> {
                    Affinity affinity = before.pod().affinity();
                    return before.withSpec(spec -> spec.affinity(new Affinity(
                            affinity.requiredNode(),
                            affinity.preferredNode(),
                            anti ? affinity.podAffinity() : withoutTerm(affinity.podAffinity(), term),
                            anti ? withoutTerm(affinity.podAntiAffinity(), term) : affinity.podAntiAffinity())));
                });
    }

    /**
     * A hard spread constraint allows more skew, or is removed.
     *
     * @param maxSkew the new value; 0 removes the constraint
     */
    static Remedy skew(TopologySpreadConstraint constraint, int maxSkew) {
        String which = "for spreading " + text(constraint.selector()) + " by " + constraint.topologyKey();
        return new Remedy(
                Kind.SPREAD,
                null,
                List.of(constraint, maxSkew),
                maxSkew == 0
                        ? "remove the constraint " + which
                        : "set maxSkew to " + maxSkew + " instead of " + constraint.maxSkew() + " " + which,
                maxSkew == 0 ? 1.6 : 1.4,
                before -> before.withSpec(spec -> spec.spreadConstraints(relaxed(before.pod(), constraint, maxSkew))));
    }

    /** Returns the spread constraints of a pod, of which one has another skew, or is missing if the skew is 0. */
    static List<TopologySpreadConstraint> relaxed(PodInfo pod, TopologySpreadConstraint constraint, int maxSkew) {
        List<TopologySpreadConstraint> constraints = new ArrayList<>();
        for (TopologySpreadConstraint other : pod.spec().spreadConstraints()) {
            if (!other.equals(constraint)) {
                constraints.add(other);
            } else if (maxSkew > 0) {
                constraints.add(withSkew(other, maxSkew));
            }
        }
        return constraints;
    }

    /** Returns a copy of a constraint with another skew. */
    static TopologySpreadConstraint withSkew(TopologySpreadConstraint constraint, int maxSkew) {
        return new TopologySpreadConstraint(
                maxSkew,
                constraint.topologyKey(),
                constraint.whenUnsatisfiable(),
                constraint.selector(),
                constraint.minDomains(),
                constraint.nodeAffinityPolicy(),
                constraint.nodeTaintsPolicy(),
                constraint.matchLabelKeys());
    }

    /**
     * Another pod is removed.
     *
     * @param node the node that the pod makes infeasible
     * @param why what the pod does, such as {@code it uses host port 80}
     */
    static Remedy withoutPod(String node, PodInfo other, String why) {
        return new Remedy(
                Kind.POD,
                node,
                List.of(other, why),
                "remove the pod " + other.key() + " (" + why + ")",
                other.priority() > 0 ? 1.8 : 1.3,
                before -> before.withoutPod(other));
    }

    /**
     * A node can attach more volumes.
     *
     * @param volumes the number of volumes of the pod
     * @param limit the new limit of each kind of volume that has a lower one
     * @param inTree the resource of the limit of in-tree volumes, which a node need not have; empty for CSI
     */
    static Remedy attachLimit(String node, int volumes, int limit, String inTree) {
        return new Remedy(
                Kind.VOLUME_LIMIT,
                node,
                List.of(volumes, limit, inTree),
                "room to attach " + volumes + (volumes == 1 ? " more volume" : " more volumes"),
                1,
                before -> {
                    Situation after = before.withNode(node, old -> raised(old, limit, inTree));
                    for (ClusterObject object : before.snapshot().objects()) {
                        if (object instanceof CsiNodeInfo drivers
                                && drivers.name().equals(node)) {
                            after = after.withObject(raised(drivers, limit));
                        }
                    }
                    return after;
                });
    }

    /**
     * A claim of the pod has a volume that every node can use.
     *
     * @param claim as it is, or as it could be
     * @param missing true if the claim does not exist
     */
    static Remedy boundClaim(ClaimInfo claim, boolean missing) {
        String size = claim.requestedStorage() == 0 ? "" : " of " + Amounts.bytes(claim.requestedStorage());
        String of = claim.className().isEmpty() ? "" : " of class " + claim.className();
        return new Remedy(
                Kind.VOLUME,
                null,
                List.of(claim, missing),
                missing
                        ? "create the claim " + claim.key() + " and a volume for it"
                        : "create a volume" + size + of + " for the claim " + claim.key(),
                1,
                before -> withVolume(before, claim));
    }

    /**
     * Returns a remedy that lets a scheduler select a node for a claim again.
     *
     * @param claim has the annotation {@code volume.kubernetes.io/selected-node}
     * @param exists whether the selected node exists
     */
    static Remedy unselectedNode(ClaimInfo claim, boolean exists) {
        String selected = claim.annotations().getOrEmpty(ClaimInfo.SELECTED_NODE);
        Map<String, String> annotations = claim.annotations().toMap();
        annotations.remove(ClaimInfo.SELECTED_NODE);
        return new Remedy(
                Kind.VOLUME,
                null,
                List.of(claim, ClaimInfo.SELECTED_NODE),
                "remove the annotation " + ClaimInfo.SELECTED_NODE + " from the claim " + claim.key() + ", which names "
                        + (exists ? "another node: " : "a node that does not exist: ") + selected,
                exists ? 1 : 0.5,
                before -> before.withObject(claim.withAnnotations(Labels.copyOf(annotations))));
    }

    private static Node larger(Node old, String resource, long missing) {
        ResourceVector has = old.allocatable();
        Map<String, Long> scalars = new TreeMap<>();
        for (int i = 0; i < has.scalarCount(); i++) {
            scalars.put(has.scalarName(i), has.scalarAmount(i));
        }
        long milliCpu = has.milliCpu();
        long memory = has.memory();
        long storage = has.ephemeralStorage();
        long pods = has.pods();
        switch (resource) {
            case ResourceNames.CPU -> milliCpu = Arithmetic.SATURATING.add(milliCpu, missing);
            case ResourceNames.MEMORY -> memory = Arithmetic.SATURATING.add(memory, missing);
            case ResourceNames.EPHEMERAL_STORAGE -> storage = Arithmetic.SATURATING.add(storage, missing);
            case ResourceNames.PODS -> pods = Arithmetic.SATURATING.add(pods, missing);
            default -> scalars.merge(resource, missing, Arithmetic.SATURATING::add);
        }
        return copy(old, old.labels(), ResourceVector.of(milliCpu, memory, storage, pods, scalars));
    }

    private static Node raised(Node old, int limit, String inTree) {
        ResourceVector has = old.allocatable();
        Map<String, Long> scalars = new TreeMap<>();
        if (!inTree.isEmpty()) {
            scalars.put(inTree, (long) limit);
        }
        for (int i = 0; i < has.scalarCount(); i++) {
            boolean counts = has.scalarName(i).startsWith(ResourceNames.ATTACHABLE_PREFIX);
            scalars.put(has.scalarName(i), counts ? Math.max(limit, has.scalarAmount(i)) : has.scalarAmount(i));
        }
        return copy(
                old,
                old.labels(),
                ResourceVector.of(has.milliCpu(), has.memory(), has.ephemeralStorage(), has.pods(), scalars));
    }

    private static CsiNodeInfo raised(CsiNodeInfo old, int limit) {
        return new CsiNodeInfo(
                old.name(),
                old.annotations(),
                old.drivers().stream()
                        .map(driver -> driver.allocatableCount() == null
                                ? driver
                                : new CsiNodeInfo.Driver(driver.name(), Math.max(limit, driver.allocatableCount())))
                        .toList());
    }

    private static Situation withVolume(Situation before, ClaimInfo claim) {
        String name = "volume-for-" + claim.namespace() + "-" + claim.name();
        Map<String, String> annotations = claim.annotations().toMap();
        annotations.put(ClaimInfo.BIND_COMPLETED, "yes");
        annotations.remove(ClaimInfo.SELECTED_NODE);
        String uid = claim.uid().isEmpty() ? claim.key() : claim.uid();
        ClaimInfo bound = new ClaimInfo(
                claim.namespace(),
                claim.name(),
                uid,
                claim.resourceVersion(),
                Labels.copyOf(annotations),
                false,
                name,
                claim.storageClassName(),
                claim.accessModes(),
                claim.selector(),
                claim.volumeMode(),
                claim.requestedStorage(),
                "Bound",
                claim.attributesClassName(),
                claim.controllerUid());
        PersistentVolumeInfo volume = new PersistentVolumeInfo(
                name,
                name,
                "",
                Labels.EMPTY,
                Labels.EMPTY,
                false,
                claim.className(),
                null,
                new PersistentVolumeInfo.ClaimRef(claim.namespace(), claim.name(), uid),
                claim.accessModes(),
                claim.volumeMode(),
                claim.requestedStorage(),
                new Volume(Volume.Kind.OTHER, name, "", false, List.of()),
                "Bound",
                "");
        return before.withObject(bound).withObject(volume);
    }

    private static @Nullable List<NodeSelectorTerm> withoutKey(@Nullable List<NodeSelectorTerm> terms, String key) {
        if (terms == null) {
            return null;
        }
        List<NodeSelectorTerm> left = new ArrayList<>();
        for (NodeSelectorTerm term : terms) {
            List<LabelRequirement> expressions = term.expressions().stream()
                    .filter(expression -> !expression.key().equals(key))
                    .toList();
            if (expressions.isEmpty() && term.fields().isEmpty()) {
                // Every node matches a term without requirements, and the terms are alternatives.
                return null;
            }
            left.add(new NodeSelectorTerm(expressions, term.fields()));
        }
        return left;
    }

    private static Affinity.@Nullable PodTerms withoutTerm(Affinity.@Nullable PodTerms terms, PodAffinityTerm term) {
        return terms == null
                ? null
                : new Affinity.PodTerms(
                        terms.required().stream()
                                .filter(other -> !other.equals(term))
                                .toList(),
                        terms.preferred());
    }

    /** Returns a taint as kubectl prints it. */
    private static String text(Taint taint) {
        return taint.key() + (taint.value().isEmpty() ? "" : "=" + taint.value()) + ":" + taint.effect();
    }

    /** Returns a selector as kubectl prints it. */
    private static String text(@Nullable LabelSelector selector) {
        if (selector == null || selector.isEmpty()) {
            return selector == null ? "nothing" : "any pod";
        }
        return selector.requirements().stream().map(Remedy::text).collect(Collectors.joining(","));
    }

    private static String text(LabelRequirement requirement) {
        String values = String.join(",", requirement.values());
        return switch (requirement.operator()) {
            case "In" ->
                requirement.values().size() == 1
                        ? requirement.key() + "=" + values
                        : requirement.key() + " in (" + values + ")";
            case "NotIn" -> requirement.key() + " notin (" + values + ")";
            case "Exists" -> requirement.key();
            case "DoesNotExist" -> "!" + requirement.key();
            default -> requirement.key() + " " + requirement.operator() + " " + values;
        };
    }

    private static Node copy(Node node, Labels labels, ResourceVector allocatable) {
        return new Node(
                node.name(),
                node.uid(),
                node.resourceVersion(),
                labels,
                node.annotations(),
                node.unschedulable(),
                node.taints(),
                allocatable,
                node.images(),
                node.conditions(),
                Node.zoneKeyOf(labels),
                node.kubeletVersion(),
                node.createdMillis(),
                node.conditionsSince(),
                node.declaredFeatures());
    }

    /**
     * A pod to place, and the cluster without it. Immutable.
     *
     * @param snapshot the snapshot, which does not contain the pod
     * @param pod the pod, without a node
     */
    public record Situation(ClusterSnapshot snapshot, PodInfo pod) {
        /** Removes the pod from its node, or from the pending pods. */
        public static Situation of(ClusterSnapshot snapshot, PodInfo pod) {
            Situation all = new Situation(snapshot, pod);
            PodInfo free = pod.nodeName().isEmpty() ? pod : pod.withNodeName("").withNominatedNodeName("");
            return new Situation(all.withoutPod(pod).snapshot, free);
        }

        /** Returns the nominated pods among the other pending pods. */
        public NominatedPods nominated() {
            return node -> snapshot.pending().stream()
                    .filter(other -> other.nominatedNodeName().equals(node))
                    .toList();
        }

        /** Returns a copy with another pod to place. */
        public Situation withPod(PodInfo other) {
            return new Situation(snapshot, other);
        }

        private Situation withSpec(UnaryOperator<PodSpec.Builder> change) {
            return withPod(pod.withSpec(change.apply(pod.spec().toBuilder()).build()));
        }

        /** Returns a copy with one node changed; nothing changes if there is no such node. */
        public Situation withNode(String name, UnaryOperator<Node> change) {
            List<Node> nodes = new ArrayList<>(snapshot.nodes());
            nodes.replaceAll(node -> node.name().equals(name) ? change.apply(node) : node);
            return new Situation(snapshot.with(nodes, snapshot.objects(), snapshot.running(), snapshot.pending()), pod);
        }

        /** Returns a copy without one of the other pods. */
        public Situation withoutPod(PodInfo other) {
            Predicate<PodInfo> stays = each -> !each.isSame(other);
            return new Situation(
                    snapshot.with(
                            snapshot.nodes(),
                            snapshot.objects(),
                            snapshot.running().stream().filter(stays).toList(),
                            snapshot.pending().stream().filter(stays).toList()),
                    pod);
        }

        /** Returns a copy with an object that is neither a node nor a pod; it replaces the object of its kind and name. */
        public Situation withObject(ClusterObject object) {
            List<ClusterObject> objects = new ArrayList<>(snapshot.objects());
            objects.removeIf(other ->
                    other.getClass() == object.getClass() && other.key().equals(object.key()));
            objects.add(object);
            return new Situation(snapshot.with(snapshot.nodes(), objects, snapshot.running(), snapshot.pending()), pod);
        }
    }
}
