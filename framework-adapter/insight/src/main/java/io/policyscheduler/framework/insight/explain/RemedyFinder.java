package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.insight.explain.Explanation.Obstacle;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A finder of remedies for the obstacles of a node. The reasons determine what to look for: their texts are the same in all releases. A
 * remedy is a proposal, which a search has to test.
 */
final class RemedyFinder {
    private static final String INSUFFICIENT = "Insufficient ";
    private static final String TOO_MANY_PODS = "Too many pods";
    /** A reason that always comes with a more specific one. */
    private static final String POD_TERMS = "node(s) didn't match pod affinity/anti-affinity";

    /** The start of additional reasons of a claim without a volume, which a volume removes, too. */
    private static final String OF_CLAIM = "PersistentVolumeClaim ";

    /** The prefixes of taints that report the state of a node, and do not reserve it for some pods. */
    private static final List<String> STATE_TAINTS =
            List.of("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/");

    private static final Arithmetic SUMS = Arithmetic.SATURATING;
    private static final String NO_EXECUTE_ONLY = "PodToleratesNodeNoExecuteTaints";

    /** Labels that identify a node, which cannot be changed for a pod. */
    private static final Set<String> IDENTITY = Set.of(
            "kubernetes.io/hostname",
            "kubernetes.io/arch",
            "kubernetes.io/os",
            "beta.kubernetes.io/arch",
            "beta.kubernetes.io/os",
            "node.kubernetes.io/instance-type",
            "beta.kubernetes.io/instance-type",
            Node.ZONE,
            Node.REGION,
            Node.LEGACY_ZONE,
            Node.LEGACY_REGION);

    /** If more pods are in the way, the pod loses its term instead. */
    private static final int FEW = 3;

    private static final int MAX_DOMAINS = 3;
    private static final int LARGEST_EXTRA_SKEW = 20;

    private static final Set<Volume.Kind> DISKS =
            EnumSet.of(Volume.Kind.GCE_PD, Volume.Kind.AWS_EBS, Volume.Kind.ISCSI, Volume.Kind.RBD);

    /** The resources of a node that limit the volumes of a kind. */
    private static final Map<String, String> LIMITS = Map.of(
            "MaxEBSVolumeCount", "aws-ebs",
            "EBSLimits", "aws-ebs",
            "MaxGCEPDVolumeCount", "gce-pd",
            "GCEPDLimits", "gce-pd",
            "MaxAzureDiskVolumeCount", "azure-disk",
            "AzureDiskLimits", "azure-disk",
            "MaxCinderVolumeCount", "cinder",
            "CinderLimits", "cinder");

    private final Remedy.Situation situation;
    private final ClusterState state;
    private final Explainer.RequiredLabels required;
    /** True for the rules of current releases. */
    private final boolean current;

    private final TrialScheduler.SingleFilters filters;
    private final Map<TopologySpreadConstraint, Map<String, Integer>> skews = new HashMap<>();

    RemedyFinder(Remedy.Situation situation, TrialScheduler trials, Explainer.RequiredLabels required) {
        this.situation = situation;
        this.state = situation.snapshot().state();
        this.required = required;
        this.filters = trials.filters(state);
        this.current = trials.isCurrent();
        state.startCompleteCycle();
    }

    private PodInfo pod() {
        return situation.pod();
    }

    /** Returns remedies for all obstacles together; empty if no remedy is known for one of them. */
    List<Remedy> find(String nodeName, List<Obstacle> obstacles) {
        NodeInfo node = node(nodeName);
        if (node == null) {
            return List.of();
        }
        Set<Remedy> remedies = new LinkedHashSet<>();
        boolean needsClaim = false;
        for (Obstacle obstacle : obstacles) {
            for (String reason : obstacle.reasons()) {
                if (reason.equals(POD_TERMS)) {
                    continue;
                }
                List<Remedy> found = find(reason, obstacle.filter(), node);
                if (found.isEmpty() && !reason.startsWith(OF_CLAIM)) {
                    return List.of();
                }
                needsClaim |= found.isEmpty();
                remedies.addAll(found);
            }
        }
        boolean getsClaim = remedies.stream().anyMatch(remedy -> remedy.kind() == Remedy.Kind.VOLUME);
        return needsClaim && !getsClaim ? List.of() : withoutVagueLabels(remedies);
    }

    /** If one obstacle requires a label with any value and another one a specific value, the specific one is enough. */
    private static List<Remedy> withoutVagueLabels(Set<Remedy> remedies) {
        Set<String> definite = new HashSet<>();
        for (Remedy remedy : remedies) {
            Remedy.Label label = remedy.label();
            if (label != null && label.value() != null && !label.value().isEmpty()) {
                definite.add(label.key());
            }
        }
        return remedies.stream()
                .filter(remedy -> !(remedy.label() != null
                        && "".equals(remedy.label().value())
                        && definite.contains(remedy.label().key())))
                .toList();
    }

    private List<Remedy> find(String reason, String filter, NodeInfo node) {
        if (reason.startsWith(INSUFFICIENT) || reason.equals(TOO_MANY_PODS)) {
            String resource = reason.startsWith(INSUFFICIENT) ? reason.substring(INSUFFICIENT.length()) : "pods";
            return resource(node, resource);
        }
        if (reason.startsWith("node(s) had untolerated taint")
                || reason.startsWith("node(s) had taints that the pod didn't tolerate")) {
            return taints(node, filter);
        }
        if (reason.startsWith("node(s) didn't match pod topology spread constraints")) {
            return spread(filter, node);
        }
        if (reason.contains("persistentvolumeclaim \"") || reason.contains("ReadWriteOncePod")) {
            return volume(node, reason, filter);
        }
        return switch (reason) {
            case "node(s) were unschedulable" -> List.of(Remedy.uncordon(node.name()));
            case "node(s) didn't match node selector",
                    "node(s) didn't match Pod's node affinity",
                    "node(s) didn't match Pod's node affinity/selector" -> selector(node);
            case "node(s) didn't have the requested labels" -> labels(node);
            case "node(s) didn't have free ports for the requested pod ports" -> ports(node);
            case "node(s) didn't match pod affinity rules" -> affinity(node);
            case "node(s) didn't match pod anti-affinity rules" -> antiAffinity(node);
            case "node(s) didn't satisfy existing pods anti-affinity rules" -> antiAffinityOfOthers(node);
            default -> volume(node, reason, filter);
        };
    }

    private List<Remedy> spread(String filter, NodeInfo node) {
        List<Remedy> remedies = new ArrayList<>();
        for (TopologySpreadConstraint constraint : pod().spec().spreadConstraints()) {
            if (constraint.isHard()) {
                int skew = smallestSkew(constraint, filter, node.name());
                if (skew != constraint.maxSkew()) {
                    remedies.add(Remedy.skew(constraint, skew));
                }
            }
        }
        return remedies;
    }

    // Nodes: resources, taints, labels, and ports.

    private List<Remedy> resource(NodeInfo node, String resource) {
        ResourceVector request = current
                ? pod().resources().current().filter()
                : pod().resources().request();
        long requested = resource.equals(ResourceNames.PODS) ? 1 : amount(request, resource);
        long allocatable = amount(node.allocatable(), resource);
        long missing = SUMS.subtract(SUMS.add(taken(node, resource), requested), allocatable);
        return missing <= 0
                ? List.of()
                : List.of(Remedy.moreOf(node.name(), new Remedy.Shortage(resource, missing, requested, allocatable)));
    }

    private static long amount(ResourceVector amounts, String resource) {
        return switch (resource) {
            case ResourceNames.CPU -> amounts.milliCpu();
            case ResourceNames.MEMORY -> amounts.memory();
            case ResourceNames.EPHEMERAL_STORAGE -> amounts.ephemeralStorage();
            case ResourceNames.PODS -> amounts.pods();
            default -> amounts.scalar(resource);
        };
    }

    private long taken(NodeInfo node, String resource) {
        RequestTotals totals = node.currentRequests();
        return switch (resource) {
            case ResourceNames.CPU -> current ? totals.milliCpu() : node.requestedMilliCpu();
            case ResourceNames.MEMORY -> current ? totals.memory() : node.requestedMemory();
            case ResourceNames.EPHEMERAL_STORAGE ->
                current ? totals.ephemeralStorage() : node.requestedEphemeralStorage();
            case ResourceNames.PODS -> node.podCount();
            default -> current ? totals.scalar(resource) : node.requestedScalar(resource);
        };
    }

    private List<Remedy> taints(NodeInfo node, String filter) {
        List<Remedy> remedies = new ArrayList<>();
        for (Taint taint : node.node().taints()) {
            boolean repels = taint.effect().equals("NoExecute")
                    || (taint.effect().equals("NoSchedule") && !filter.equals(NO_EXECUTE_ONLY));
            if (!repels || Toleration.anyTolerates(pod().tolerations(), taint)) {
                continue;
            }
            if (taint.key().equals(Taint.UNSCHEDULABLE.key())) {
                remedies.add(Remedy.uncordon(node.name()));
            } else if (STATE_TAINTS.stream().anyMatch(taint.key()::startsWith)) {
                remedies.add(Remedy.untaint(node.name(), taint));
            } else {
                remedies.add(Remedy.tolerate(taint));
            }
        }
        return remedies;
    }

    private List<Remedy> labels(NodeInfo node) {
        List<Remedy> remedies = new ArrayList<>();
        for (String key : required.present()) {
            if (!node.node().labels().has(key)) {
                remedies.add(Remedy.label(node.name(), new Remedy.Label(key, "")));
            }
        }
        for (String key : required.absent()) {
            if (node.node().labels().has(key)) {
                remedies.add(Remedy.label(node.name(), new Remedy.Label(key, null)));
            }
        }
        return remedies;
    }

    private List<Remedy> ports(NodeInfo node) {
        List<HostPort> requested = hostPorts(pod());
        List<Remedy> remedies = new ArrayList<>();
        for (PodInfo other : node.pods()) {
            Set<Integer> taken = new TreeSet<>();
            for (HostPort used : hostPorts(other)) {
                if (requested.stream().anyMatch(used::conflictsWith)) {
                    taken.add(used.port());
                }
            }
            if (!taken.isEmpty()) {
                String numbers = taken.toString().replaceAll("[\\[\\]]", "");
                String why = taken.size() == 1 ? "it uses host port " + numbers : "it uses host ports " + numbers;
                remedies.add(Remedy.withoutPod(node.name(), other, why));
            }
        }
        return remedies;
    }

    private List<HostPort> hostPorts(PodInfo pod) {
        List<HostPort> ports = new ArrayList<>();
        for (Container container : pod.spec().containers()) {
            if (current ? container.runsOn() : !container.init()) {
                ports.addAll(container.hostPorts());
            }
        }
        return ports;
    }

    // Node selectors and node affinity.

    /** Returns the fewest changes; empty if none is known. */
    private List<Remedy> selector(NodeInfo node) {
        Set<Remedy> remedies = new LinkedHashSet<>();
        pod().spec().nodeSelector().forEach((key, value) -> {
            if (!node.node().labels().has(key, value)) {
                remedies.add(label(node, key, value, key + "=" + value));
            }
        });
        List<NodeSelectorTerm> terms = pod().affinity().requiredNode();
        if (terms == null || NodeSelectorTerm.anyMatches(terms, node.node().labels(), node.name())) {
            return List.copyOf(remedies);
        }
        List<Remedy> fewest = null;
        for (NodeSelectorTerm term : terms) {
            List<Remedy> ofTerm = ofTerm(node, term);
            if (ofTerm != null && (fewest == null || ofTerm.size() < fewest.size())) {
                fewest = ofTerm;
            }
        }
        if (fewest == null) {
            return List.of();
        }
        remedies.addAll(fewest);
        return List.copyOf(remedies);
    }

    private Remedy label(NodeInfo node, String key, @Nullable String value, String demand) {
        return IDENTITY.contains(key)
                ? Remedy.withoutRequirement(key, demand)
                : Remedy.label(node.name(), new Remedy.Label(key, value));
    }

    /** Returns null if no label makes the term match. */
    private @Nullable List<Remedy> ofTerm(NodeInfo node, NodeSelectorTerm term) {
        // Only the expressions can be changed, not the fields.
        boolean fields = new NodeSelectorTerm(List.of(), term.fields())
                .matches(node.node().labels(), node.name());
        if (!fields && !term.fields().isEmpty()) {
            return null;
        }
        List<Remedy> remedies = new ArrayList<>();
        for (LabelRequirement expression : term.expressions()) {
            if (expression.error() != null) {
                return null;
            }
            if (!expression.matches(node.node().labels())) {
                Remedy remedy = ofExpression(node, expression);
                if (remedy == null) {
                    return null;
                }
                remedies.add(remedy);
            }
        }
        return remedies.isEmpty() ? null : remedies;
    }

    private @Nullable Remedy ofExpression(NodeInfo node, LabelRequirement expression) {
        String demand = expression.key() + " " + expression.operator()
                + (expression.values().isEmpty() ? "" : " " + String.join(",", expression.values()));
        String first = expression.values().isEmpty() ? "" : expression.values().get(0);
        return switch (expression.operator()) {
            case "In" -> label(node, expression.key(), first, demand);
            case "Exists" -> label(node, expression.key(), "", demand);
            case "NotIn", "DoesNotExist" -> label(node, expression.key(), null, demand);
            case "Gt" -> number(node, expression.key(), first, 1, demand);
            case "Lt" -> number(node, expression.key(), first, -1, demand);
            default -> null;
        };
    }

    private @Nullable Remedy number(NodeInfo node, String key, String bound, int step, String demand) {
        try {
            return label(node, key, Long.toString(Math.addExact(Long.parseLong(bound), step)), demand);
        } catch (ArithmeticException | NumberFormatException e) {
            return null;
        }
    }

    // Inter-pod affinity.

    private static List<PodAffinityTerm> required(Affinity.@Nullable PodTerms terms) {
        return terms == null ? List.of() : terms.required();
    }

    /** Returns the pods in the topology domain of the node; none if the node does not have the label. */
    private List<PodInfo> podsInDomain(NodeInfo node, String topologyKey) {
        List<PodInfo> pods = new ArrayList<>();
        String value = node.node().labels().get(topologyKey);
        if (value != null) {
            for (NodeInfo other : state.nodes()) {
                if (other.node().labels().has(topologyKey, value)) {
                    pods.addAll(other.name().equals(node.name()) ? node.pods() : other.pods());
                }
            }
        }
        return pods;
    }

    private List<PodInfo> matching(NodeInfo node, PodAffinityTerm term) {
        return podsInDomain(node, term.topologyKey()).stream()
                .filter(other -> matches(pod(), term, other))
                .toList();
    }

    /** Remedies for the anti-affinity of the pod. */
    private List<Remedy> antiAffinity(NodeInfo node) {
        List<Remedy> remedies = new ArrayList<>();
        for (PodAffinityTerm term : required(pod().affinity().podAntiAffinity())) {
            List<PodInfo> matching = matching(node, term);
            if (matching.size() > FEW) {
                remedies.add(Remedy.withoutPodTerm(true, term, "several such pods run in each domain"));
            } else {
                matching.forEach(other -> remedies.add(
                        Remedy.withoutPod(node.name(), other, "the anti-affinity of the new pod matches it")));
            }
        }
        return remedies;
    }

    /** Remedies for the anti-affinity of running pods. */
    private List<Remedy> antiAffinityOfOthers(NodeInfo node) {
        List<Remedy> remedies = new ArrayList<>();
        for (NodeInfo place : state.nodesWithAffinity()) {
            for (PodInfo other : place.podsWithAffinity()) {
                for (PodAffinityTerm term : required(other.affinity().podAntiAffinity())) {
                    String value = place.node().labels().get(term.topologyKey());
                    if (value != null
                            && node.node().labels().has(term.topologyKey(), value)
                            && matches(other, term, pod())) {
                        remedies.add(Remedy.withoutPod(node.name(), other, "its anti-affinity matches the new pod"));
                    }
                }
            }
        }
        return remedies;
    }

    /** Remedies for the affinity of the pod. */
    private List<Remedy> affinity(NodeInfo node) {
        List<PodAffinityTerm> terms = required(pod().affinity().podAffinity());
        List<Remedy> remedies = new ArrayList<>();
        for (PodAffinityTerm term : terms) {
            if (matching(node, term).isEmpty()) {
                remedies.add(without(term));
            }
        }
        // One pod has to match all terms. If each term matches another pod, all terms are in the way.
        if (remedies.isEmpty()) {
            terms.forEach(term -> remedies.add(without(term)));
        }
        return remedies;
    }

    private Remedy without(PodAffinityTerm term) {
        Set<String> domains = new TreeSet<>();
        for (NodeInfo place : state.nodes()) {
            String value = place.node().labels().get(term.topologyKey());
            if (value != null && place.pods().stream().anyMatch(other -> matches(pod(), term, other))) {
                domains.add(value);
            }
        }
        String where = domains.stream()
                .limit(MAX_DOMAINS)
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
        String why = domains.isEmpty()
                ? "no such pod runs"
                : "such pods run in " + where + (domains.size() > MAX_DOMAINS ? ", ..." : "");
        return Remedy.withoutPodTerm(false, term, why);
    }

    // Volumes.

    /** Returns remedies for a reason that concerns volumes; empty if it does not, or if no remedy is known. */
    private List<Remedy> volume(NodeInfo node, String reason, String filter) {
        if (reason.contains("ReadWriteOncePod")) {
            return claimsInUse(node);
        }
        if (reason.contains("persistentvolumeclaim \"") && reason.endsWith(" not found")) {
            return unboundClaims(node.name());
        }
        return switch (reason) {
            case "node(s) had no available disk" -> disksInUse(node);
            case "node(s) exceed max volume count" -> List.of(limit(node, LIMITS.get(filter)));
            case "node(s) didn't find available persistent volumes to bind",
                    "node(s) did not have enough free storage",
                    "pod has unbound immediate PersistentVolumeClaims" -> unboundClaims(node.name());
            default -> List.of();
        };
    }

    private List<Remedy> disksInUse(NodeInfo node) {
        List<Remedy> remedies = new ArrayList<>();
        for (PodInfo other : node.pods()) {
            for (Volume requested : pod().volumes()) {
                boolean used = DISKS.contains(requested.kind())
                        && other.volumes().stream()
                                .anyMatch(volume -> volume.kind() == requested.kind()
                                        && volume.id().equals(requested.id())
                                        && volume.detail().equals(requested.detail()));
                if (used) {
                    remedies.add(Remedy.withoutPod(node.name(), other, "it uses disk " + requested.id()));
                    break;
                }
            }
        }
        return remedies;
    }

    private List<Remedy> claimsInUse(NodeInfo node) {
        List<Remedy> remedies = new ArrayList<>();
        for (PodInfo other : situation.snapshot().running()) {
            if (!other.namespace().equals(pod().namespace())) {
                continue;
            }
            for (Volume requested : pod().volumes()) {
                if (requested.kind() == Volume.Kind.CLAIM && other.volumes().contains(requested)) {
                    remedies.add(Remedy.withoutPod(
                            node.name(), other, "it uses the claim " + pod().namespace() + "/" + requested.id()));
                    break;
                }
            }
        }
        return remedies;
    }

    private Remedy limit(NodeInfo node, @Nullable String inTree) {
        int volumes = pod().volumes().size();
        int attached = state.volumeAttachments(node.name()).size();
        for (PodInfo other : node.pods()) {
            attached += other.volumes().size();
        }
        return Remedy.attachLimit(
                node.name(),
                volumes,
                attached + volumes,
                inTree == null ? "" : ResourceNames.ATTACHABLE_PREFIX + inTree);
    }

    private List<Remedy> unboundClaims(String node) {
        List<Remedy> remedies = new ArrayList<>();
        PodInfo pod = pod();
        for (Volume volume : pod.volumes()) {
            boolean ephemeral = volume.kind() == Volume.Kind.EPHEMERAL;
            if (volume.kind() != Volume.Kind.CLAIM && !ephemeral) {
                continue;
            }
            String name = ephemeral ? pod.name() + "-" + volume.id() : volume.id();
            ClaimInfo claim = state.claim(pod.namespace(), name);
            if (claim == null) {
                remedies.add(Remedy.boundClaim(missing(pod.namespace(), name, ephemeral ? pod.uid() : ""), true));
            } else if (!claim.isFullyBound() && !claim.terminating()) {
                String selected = claim.annotations().getOrEmpty(ClaimInfo.SELECTED_NODE);
                if (!selected.isEmpty() && !selected.equals(node)) {
                    remedies.add(Remedy.unselectedNode(claim, state.node(selected) != null));
                    continue;
                }
                remedies.add(Remedy.boundClaim(claim, false));
            }
        }
        return remedies;
    }

    private static ClaimInfo missing(String namespace, String name, String controllerUid) {
        return new ClaimInfo(
                namespace,
                name,
                "",
                "",
                Labels.EMPTY,
                false,
                "",
                null,
                List.of("ReadWriteOnce"),
                null,
                "",
                0,
                "",
                "",
                controllerUid);
    }

    // The cluster.

    /** Returns the node with the nominated pods that the scheduler would count for the pod; null if there is no such node. */
    private @Nullable NodeInfo node(String name) {
        NodeInfo known = state.node(name);
        if (known == null) {
            return null;
        }
        NodeInfo node = known.copy();
        for (PodInfo other : situation.nominated().on(name)) {
            if (other.priority() >= pod().priority()) {
                node.addPod(other.withNodeName(name));
            }
        }
        return node;
    }

    /** Returns true if a term of {@code owner} matches {@code other}. */
    private boolean matches(PodInfo owner, PodAffinityTerm term, PodInfo other) {
        LabelSelector namespaces = current ? term.namespaceSelector() : null;
        if (namespaces == null) {
            return term.matches(owner, other);
        }
        NamespaceInfo namespace = state.namespace(other.namespace());
        boolean meant = term.namespaces().contains(other.namespace())
                || namespaces.matches(namespace == null ? Labels.EMPTY : namespace.labels());
        return meant && term.selector() != null && term.selector().matches(other.labels());
    }

    /**
     * Returns the smallest skew with which a constraint alone does not reject the node: its own if the node is feasible, 0 if no skew in
     * the range that is tried is enough.
     */
    private int smallestSkew(TopologySpreadConstraint constraint, String filter, String node) {
        return skews.computeIfAbsent(constraint, unused -> skewsOf(constraint, filter))
                .getOrDefault(node, 0);
    }

    private Map<String, Integer> skewsOf(TopologySpreadConstraint constraint, String filter) {
        Map<String, Integer> smallest = new HashMap<>();
        PodInfo alone = withSpread(List.of(constraint));
        for (int extra = 0; extra <= LARGEST_EXTRA_SKEW && smallest.size() < state.nodeCount(); extra++) {
            int skew = constraint.maxSkew() + extra;
            PodInfo relaxed = extra == 0 ? alone : withSpread(List.of(Remedy.withSkew(constraint, skew)));
            Evaluation evaluation = filters.evaluate(filter, relaxed, situation.nominated());
            evaluation.feasible().forEach(node -> smallest.putIfAbsent(node, skew));
        }
        return smallest;
    }

    private PodInfo withSpread(List<TopologySpreadConstraint> constraints) {
        PodInfo pod = pod();
        return pod.withSpec(
                pod.spec().toBuilder().spreadConstraints(constraints).build());
    }
}
