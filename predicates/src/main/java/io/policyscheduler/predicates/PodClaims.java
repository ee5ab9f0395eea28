package io.policyscheduler.predicates;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.VolumeMatching;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.InTreeVolumes.Plugin;
import io.policyscheduler.engine.placement.InTreeVolumes.Translation;
import io.policyscheduler.engine.placement.VolumeZones;
import io.policyscheduler.predicates.VolumeBinder.VolumeDecision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one pod, sorted into bound ones and those that wait for a node, with what can be said before looking at
 * nodes. Mirrors {@code FindPodVolumes} of {@code pkg/controller/volume/scheduling/scheduler_binder.go}.
 */
final class PodClaims {
    private static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

    private final ClusterView cluster;
    private final InTreeVolumes inTree;
    private final List<Bound> bound = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>();
    /** The waiting claims without a selected node, the smallest request first. */
    private final List<Waiting> toMatch = new ArrayList<>();

    private final @Nullable String error;

    PodClaims(PodInfo pod, ClusterView cluster, FeatureGates gates, InTreeVolumes inTree) {
        this.cluster = cluster;
        this.inTree = inTree;
        this.error = sort(pod, gates);
        toMatch.sort(Comparator.comparingLong(w -> w.claim.requestedStorage()));
    }

    /**
     * A bound claim.
     *
     * @param volume null when it is gone
     * @param plugin the in-tree plugin whose migration changes the volume's node affinity, or null
     * @param translation what the volume is once {@code plugin} is migrated; null without plugin
     */
    private record Bound(
            ClaimInfo claim,
            @Nullable PersistentVolumeInfo volume,
            @Nullable Plugin plugin,
            @Nullable Translation translation) {}

    /** A claim that is bound once a node is chosen. {@code selectedNode} is null unless one was chosen before. */
    private record Waiting(
            ClaimInfo claim,
            StorageClassInfo storageClass,
            @Nullable String selectedNode,
            VolumeMatching candidates) {}

    private @Nullable String sort(PodInfo pod, FeatureGates gates) {
        boolean immediate = false;
        for (Volume volume : pod.volumes()) {
            if (volume.kind() != Volume.Kind.CLAIM) {
                continue;
            }
            ClaimInfo claim = cluster.claim(pod.namespace(), volume.id());
            if (claim == null) {
                String key = "\"" + pod.namespace() + "/" + volume.id() + "\"";
                return "error getting PVC " + key + ": could not find v1.PersistentVolumeClaim " + key;
            }
            if (claim.isFullyBound()) {
                bound.add(bound(claim));
                continue;
            }
            String className = claim.className();
            StorageClassInfo storageClass = className.isEmpty() ? null : cluster.storageClass(className);
            if (storageClass != null && storageClass.bindingMode() == null) {
                return VolumeZones.noBindingMode(className);
            }
            if (storageClass != null
                    && storageClass.isDelayed()
                    && claim.volumeName().isEmpty()) {
                addWaiting(claim, storageClass, gates);
            } else {
                immediate = true;
            }
        }
        return immediate ? "pod has unbound immediate PersistentVolumeClaims" : null;
    }

    private Bound bound(ClaimInfo claim) {
        PersistentVolumeInfo volume = cluster.volume(claim.volumeName());
        Plugin plugin = volume == null ? null : inTree.ofSource(volume.source());
        return volume != null && plugin != null && inTree.isEnabled(plugin)
                ? new Bound(claim, volume, plugin, inTree.translate(plugin, volume))
                : new Bound(claim, volume, null, null);
    }

    private void addWaiting(ClaimInfo claim, StorageClassInfo storageClass, FeatureGates gates) {
        Waiting added = new Waiting(
                claim,
                storageClass,
                claim.annotations().get(ClaimInfo.SELECTED_NODE),
                new VolumeMatching(claim, cluster, gates));
        waiting.add(added);
        if (added.selectedNode == null) {
            toMatch.add(added);
        }
    }

    /** Null, or the error that every node gives. */
    @Nullable
    String error() {
        return error;
    }

    /** True when the pod has no claim. */
    boolean isEmpty() {
        return bound.isEmpty() && waiting.isEmpty();
    }

    /** What the claims need on {@code node}. */
    VolumeDecision decide(NodeInfo node) {
        if (error != null) {
            return VolumeDecision.error(error);
        }
        boolean reachable = true;
        for (int i = 0; i < bound.size() && reachable; i++) {
            Bound claim = bound.get(i);
            if (claim.volume == null) {
                return VolumeDecision.error("could not find v1.PersistentVolume \"" + claim.claim.volumeName() + "\"");
            }
            List<NodeSelectorTerm> terms = claim.volume.requiredTerms();
            if (claim.plugin != null && claim.translation != null) {
                CsiNodeInfo csiNode = cluster.csiNode(node.name());
                if (inTree.isMigrated(claim.plugin, csiNode)) {
                    if (claim.translation.error() != null) {
                        return VolumeDecision.error("could not translate pv: " + claim.translation.error());
                    }
                    terms = claim.translation.requiredTerms();
                }
            }
            reachable = VolumeMatching.affinityMatches(terms, node.node().labels());
        }
        if (waiting.isEmpty()) {
            return reachable ? VolumeDecision.NOTHING_TO_DO : VolumeDecision.OUT_OF_REACH;
        }
        return decideWaiting(node, reachable);
    }

    private VolumeDecision decideWaiting(NodeInfo node, boolean reachable) {
        List<Waiting> toProvision = new ArrayList<>();
        for (Waiting claim : waiting) {
            if (claim.selectedNode != null) {
                if (!claim.selectedNode.equals(node.name())) {
                    return new VolumeDecision(reachable, false, List.of(), List.of(), null);
                }
                toProvision.add(claim);
            }
        }
        Labels labels = node.node().labels();
        List<VolumeDecision.Match> matches = new ArrayList<>();
        for (Waiting claim : toMatch) {
            if (claim.candidates.error() != null) {
                return VolumeDecision.error(claim.candidates.error());
            }
            PersistentVolumeInfo volume = claim.candidates.find(labels, candidate -> isTaken(candidate, matches));
            if (volume == null) {
                toProvision.add(claim);
            } else {
                matches.add(new VolumeDecision.Match(volume, claim.claim));
            }
        }
        List<ClaimInfo> provisions = new ArrayList<>();
        for (Waiting claim : toProvision) {
            if (!canProvision(claim.storageClass, labels)) {
                return new VolumeDecision(reachable, false, matches, List.of(), null);
            }
            provisions.add(claim.claim);
        }
        return new VolumeDecision(reachable, true, matches, provisions, null);
    }

    private static boolean isTaken(PersistentVolumeInfo volume, List<VolumeDecision.Match> matches) {
        for (int i = 0; i < matches.size(); i++) {
            if (matches.get(i).volume().name().equals(volume.name())) {
                return true;
            }
        }
        return false;
    }

    private static boolean canProvision(StorageClassInfo storageClass, Labels nodeLabels) {
        String provisioner = storageClass.provisioner();
        if (provisioner.isEmpty() || provisioner.equals(NO_PROVISIONER)) {
            return false;
        }
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
}
