package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.VolumeMatching;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.InTreeVolumes.Plugin;
import io.policyscheduler.engine.placement.InTreeVolumes.Translation;
import io.policyscheduler.engine.placement.VolumeZones;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which volumes a pod can get on a node: the findings of VolumeBinding for one pod. Mirrors
 * {@code pkg/scheduler/framework/plugins/volumebinding/binder.go}.
 */
final class PodVolumes {
    static final String NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
    static final String BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind";
    static final String NOT_ENOUGH_SPACE = "node(s) did not have enough free storage";
    static final String VOLUME_GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

    private static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

    private final ClusterView cluster;
    private final InTreeVolumes inTree;
    private final Release release;
    private final List<ClaimInfo> bound = new ArrayList<>();
    /** In the order of the pod's volumes. */
    private final List<Waiting> waiting = new ArrayList<>();
    /** Those of {@link #waiting} for which no node has been selected, the smallest first. */
    private final List<Waiting> toMatch = new ArrayList<>();

    private final @Nullable Status failure;

    /** A claim that waits for its first pod, and the volumes that it may get. */
    private record Waiting(
            ClaimInfo claim,
            @Nullable StorageClassInfo storageClass,
            @Nullable VolumeMatching candidates) {
        String selectedNode() {
            return claim.annotations().getOrEmpty(ClaimInfo.SELECTED_NODE);
        }

        boolean hasSelectedNode() {
            return claim.annotations().has(ClaimInfo.SELECTED_NODE);
        }
    }

    /** A volume picked for a claim. */
    record Match(PersistentVolumeInfo volume, ClaimInfo claim) {}

    /**
     * What is to be done on a node.
     *
     * @param status success, or why the node cannot be used
     * @param matches existing volumes picked for claims
     * @param provisions claims whose volume must be made
     */
    record Plan(Status status, List<Match> matches, List<ClaimInfo> provisions) {
        static final Plan NOTHING = new Plan(Status.SUCCESS, List.of(), List.of());

        Plan {
            matches = List.copyOf(matches);
            provisions = List.copyOf(provisions);
        }

        static Plan failed(Status status) {
            return new Plan(status, List.of(), List.of());
        }
    }

    PodVolumes(PodInfo pod, ClusterView cluster, InTreeVolumes inTree, Release release) {
        this.cluster = cluster;
        this.inTree = inTree;
        this.release = release;
        List<ClaimInfo> claims = new ArrayList<>();
        String problem = look(pod, claims);
        this.failure = problem != null ? Status.unresolvable(problem) : sort(claims);
    }

    /** True when the pod has a claim. */
    static boolean hasClaims(PodInfo pod) {
        List<Volume> volumes = pod.volumes();
        for (int i = 0; i < volumes.size(); i++) {
            if (volumes.get(i).claimName(pod) != null) {
                return true;
            }
        }
        return false;
    }

    /** Null, or why no node need be looked at. */
    @Nullable
    Status failure() {
        return failure;
    }

    private @Nullable String look(PodInfo pod, List<ClaimInfo> claims) {
        for (Volume volume : pod.volumes()) {
            String name = volume.claimName(pod);
            if (name == null) {
                continue;
            }
            boolean ephemeral = volume.kind() == Volume.Kind.EPHEMERAL;
            boolean findsLost = SchedulerChange.LOST_CLAIMS.in(release);
            ClaimInfo claim = cluster.claim(pod.namespace(), name);
            if (claim == null) {
                return ephemeral && findsLost
                        ? "waiting for ephemeral volume controller to create the persistentvolumeclaim \"" + name + "\""
                        : VolumeZones.claimNotFound(name);
            }
            if (findsLost && claim.phase().equals("Lost")) {
                return "persistentvolumeclaim \"" + name + "\" bound to non-existent persistentvolume \""
                        + claim.volumeName() + "\"";
            }
            if (claim.terminating()) {
                return "persistentvolumeclaim \"" + name + "\" is being deleted";
            }
            String foreign = ephemeral ? claim.ownerProblem(pod) : null;
            if (foreign != null) {
                return findsLost ? foreign : "persistentvolumeclaim \"" + name + "\" was not created for the pod";
            }
            claims.add(claim);
        }
        return null;
    }

    private @Nullable Status sort(List<ClaimInfo> claims) {
        boolean immediate = false;
        for (ClaimInfo claim : claims) {
            if (claim.isFullyBound()) {
                bound.add(claim);
                continue;
            }
            StorageClassInfo storageClass =
                    claim.className().isEmpty() ? null : cluster.storageClass(claim.className());
            if (storageClass != null && storageClass.bindingMode() == null) {
                return Status.error(VolumeZones.noBindingMode(claim.className()));
            }
            if (storageClass == null
                    || !storageClass.isDelayed()
                    || !claim.volumeName().isEmpty()) {
                immediate = true;
                continue;
            }
            boolean selected = claim.annotations().has(ClaimInfo.SELECTED_NODE);
            Waiting entry =
                    new Waiting(claim, storageClass, selected ? null : VolumeMatching.ofCurrent(claim, cluster));
            waiting.add(entry);
            if (!selected) {
                toMatch.add(entry);
            }
        }
        toMatch.sort(Comparator.comparingLong(entry -> entry.claim().requestedStorage()));
        return immediate ? Status.unresolvable("pod has unbound immediate PersistentVolumeClaims") : null;
    }

    /**
     * Returns the nodes that the node affinity of bound local volumes names, or null if they name none. As in Kubernetes, host names count
     * as names of nodes.
     */
    @Nullable
    Set<String> namedNodes() {
        Set<String> all = null;
        for (ClaimInfo claim : bound) {
            PersistentVolumeInfo volume = cluster.volume(claim.volumeName());
            if (volume == null) {
                return null;
            }
            Set<String> names = hosts(volume);
            if (names.isEmpty()) {
                continue;
            }
            if (all == null) {
                all = names;
            } else {
                all.retainAll(names);
            }
        }
        return all;
    }

    private static Set<String> hosts(PersistentVolumeInfo volume) {
        Set<String> all = new TreeSet<>();
        List<NodeSelectorTerm> terms = volume.requiredTerms();
        for (NodeSelectorTerm term : terms == null ? List.<NodeSelectorTerm>of() : terms) {
            Set<String> ofTerm = null;
            for (LabelRequirement requirement : term.expressions()) {
                if (requirement.key().equals(Node.HOSTNAME)
                        && requirement.operator().equals("In")) {
                    if (ofTerm == null) {
                        ofTerm = new TreeSet<>(requirement.values());
                    } else {
                        ofTerm.retainAll(requirement.values());
                    }
                }
            }
            if (ofTerm != null) {
                all.addAll(ofTerm);
            }
        }
        return all;
    }

    /** What the pod's claims come to on the node. */
    Plan plan(NodeInfo info) {
        Node node = info.node();
        String ofBound = checkBound(node);
        if (waiting.isEmpty()) {
            return ofBound == null ? Plan.NOTHING : Plan.failed(Status.unresolvable(ofBound));
        }
        List<Match> matches = new ArrayList<>();
        List<ClaimInfo> provisions = new ArrayList<>();
        String ofWaiting = decideWaiting(node, matches, provisions);
        if (ofBound == null && ofWaiting == null) {
            return new Plan(Status.SUCCESS, matches, provisions);
        }
        return Plan.failed(Status.rejected(false, inOrder(ofBound, ofWaiting)));
    }

    private static List<String> inOrder(@Nullable String ofBound, @Nullable String ofWaiting) {
        List<String> reasons = new ArrayList<>();
        if (NODE_CONFLICT.equals(ofBound)) {
            reasons.add(ofBound);
        }
        if (ofWaiting != null) {
            reasons.add(ofWaiting);
        }
        if (VOLUME_GONE.equals(ofBound)) {
            reasons.add(ofBound);
        }
        return reasons;
    }

    private @Nullable String checkBound(Node node) {
        for (int i = 0; i < bound.size(); i++) {
            PersistentVolumeInfo volume = cluster.volume(bound.get(i).volumeName());
            if (volume == null && !SchedulerChange.MISSING_VOLUMES_REJECT.in(release)) {
                throw new PluginException(
                        "could not find v1.PersistentVolume \"" + bound.get(i).volumeName() + "\"");
            }
            if (volume == null) {
                return VOLUME_GONE;
            }
            Plugin plugin = inTree.ofSource(volume.source());
            List<NodeSelectorTerm> terms = volume.requiredTerms();
            if (plugin != null && inTree.isMigrated(plugin, cluster.csiNode(node.name()))) {
                Translation translation = inTree.translate(plugin, volume);
                if (translation.error() != null) {
                    throw new PluginException("could not translate pv: " + translation.error());
                }
                terms = translation.requiredTerms();
            }
            if (!VolumeMatching.affinityMatches(terms, node.labels())) {
                return NODE_CONFLICT;
            }
        }
        return null;
    }

    private @Nullable String decideWaiting(Node node, List<Match> matches, List<ClaimInfo> provisions) {
        List<Waiting> toProvision = new ArrayList<>();
        for (Waiting entry : waiting) {
            if (entry.hasSelectedNode()) {
                if (!entry.selectedNode().equals(node.name())) {
                    return BIND_CONFLICT;
                }
                toProvision.add(entry);
            }
        }
        for (Waiting entry : toMatch) {
            VolumeMatching candidates = Objects.requireNonNull(entry.candidates());
            if (candidates.error() != null) {
                throw new PluginException(candidates.error());
            }
            PersistentVolumeInfo volume = candidates.find(node.labels(), candidate -> isTaken(candidate, matches));
            if (volume == null) {
                toProvision.add(entry);
            } else {
                matches.add(new Match(volume, entry.claim()));
            }
        }
        for (Waiting entry : toProvision) {
            String problem = provisionProblem(entry, node);
            if (problem != null) {
                return problem;
            }
            provisions.add(entry.claim());
        }
        return null;
    }

    private static boolean isTaken(PersistentVolumeInfo volume, List<Match> matches) {
        for (int i = 0; i < matches.size(); i++) {
            if (matches.get(i).volume().name().equals(volume.name())) {
                return true;
            }
        }
        return false;
    }

    private @Nullable String provisionProblem(Waiting entry, Node node) {
        StorageClassInfo storageClass = Objects.requireNonNull(entry.storageClass());
        String provisioner = storageClass.provisioner();
        if (provisioner.isEmpty() || provisioner.equals(NO_PROVISIONER) || !isAllowed(storageClass, node.labels())) {
            return BIND_CONFLICT;
        }
        return hasCapacity(entry.claim(), storageClass, node.labels()) ? null : NOT_ENOUGH_SPACE;
    }

    private static boolean isAllowed(StorageClassInfo storageClass, Labels nodeLabels) {
        if (storageClass.allowedTopologies().isEmpty()) {
            return true;
        }
        for (List<LabelRequirement> term : storageClass.allowedTopologies()) {
            if (!term.isEmpty() && term.stream().allMatch(requirement -> requirement.matches(nodeLabels))) {
                return true;
            }
        }
        return false;
    }

    private boolean hasCapacity(ClaimInfo claim, StorageClassInfo storageClass, Labels nodeLabels) {
        CsiDriverInfo driver = cluster.csiDriver(storageClass.provisioner());
        if (claim.requestedStorage() == 0 || driver == null || !driver.storageCapacity()) {
            return true;
        }
        for (StorageCapacityInfo capacity : cluster.storageCapacities(storageClass.name())) {
            if (capacity.suffices(claim.requestedStorage(), nodeLabels)) {
                return true;
            }
        }
        return false;
    }
}
