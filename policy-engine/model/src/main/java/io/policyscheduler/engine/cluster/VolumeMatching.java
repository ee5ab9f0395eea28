package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The existing volumes that an unbound claim may get. Everything but the node is looked at once, so that a node costs only
 * the check of node affinities. Of equal volumes the first by name is taken. Mirrors {@code FindMatchingVolume} of
 * {@code pkg/controller/volume/persistentvolume/util/util.go}.
 */
public final class VolumeMatching {
    private static final String FILESYSTEM = "Filesystem";

    /** Volumes kept for the claim; the first that is still free decides alone, even against the claim. */
    private final List<PersistentVolumeInfo> reserved = new ArrayList<>();
    /** Free volumes, the smallest first. */
    private final List<PersistentVolumeInfo> free = new ArrayList<>();

    private final @Nullable String error;

    /** The volumes for a claim by the rules of v1.17. */
    public VolumeMatching(ClaimInfo claim, ClusterView cluster, FeatureGates gates) {
        this(
                claim,
                cluster,
                gates.enabled(FeatureGates.BLOCK_VOLUME),
                gates.enabled(FeatureGates.STORAGE_OBJECT_IN_USE_PROTECTION),
                false);
    }

    /** The volumes for a claim by the rules of current releases. */
    public static VolumeMatching ofCurrent(ClaimInfo claim, ClusterView cluster) {
        return new VolumeMatching(claim, cluster, true, true, true);
    }

    private VolumeMatching(
            ClaimInfo claim,
            ClusterView cluster,
            boolean modesCount,
            boolean skipsTerminating,
            boolean attributesCount) {
        String selectorError =
                claim.selector() == null ? null : claim.selector().error();
        if (selectorError != null) {
            error = "error creating internal label selector for claim: " + claim.key() + ": " + selectorError;
            return;
        }
        error = null;
        for (PersistentVolumeInfo volume : cluster.volumesOfClass(claim.className())) {
            if (volume.capacity() < claim.requestedStorage()
                    || (modesCount && !mode(volume.volumeMode()).equals(mode(claim.volumeMode())))
                    || (skipsTerminating && volume.terminating())
                    || (attributesCount && !volume.attributesClassName().equals(claim.attributesClassName()))) {
                continue;
            }
            if (isReservedFor(volume, claim)) {
                reserved.add(volume);
            } else if (isFree(volume, claim)) {
                free.add(volume);
            }
        }
        free.sort(Comparator.comparingLong(PersistentVolumeInfo::capacity));
    }

    private static String mode(String volumeMode) {
        return volumeMode.isEmpty() ? FILESYSTEM : volumeMode;
    }

    private static boolean isFree(PersistentVolumeInfo volume, ClaimInfo claim) {
        return volume.phase().equals("Available")
                && volume.claimRef() == null
                && (claim.selector() == null || claim.selector().matches(volume.labels()))
                && volume.className().equals(claim.className())
                && volume.accessModes().containsAll(claim.accessModes());
    }

    /** True when the volume names this claim; one that leaves out the UID means any claim of this name. */
    public static boolean isReservedFor(PersistentVolumeInfo volume, ClaimInfo claim) {
        PersistentVolumeInfo.ClaimRef ref = volume.claimRef();
        return ref != null
                && ref.name().equals(claim.name())
                && ref.namespace().equals(claim.namespace())
                && (ref.uid().isEmpty() || ref.uid().equals(claim.uid()));
    }

    /** Null, or why nothing can be matched. */
    public @Nullable String error() {
        return error;
    }

    /** The volume that the claim gets on a node with these labels, or null; {@code taken} tells volumes that are gone. */
    public @Nullable PersistentVolumeInfo find(Labels nodeLabels, Predicate<PersistentVolumeInfo> taken) {
        for (PersistentVolumeInfo volume : reserved) {
            if (!taken.test(volume)) {
                return affinityMatches(volume.requiredTerms(), nodeLabels) ? volume : null;
            }
        }
        for (PersistentVolumeInfo volume : free) {
            if (!taken.test(volume) && affinityMatches(volume.requiredTerms(), nodeLabels)) {
                return volume;
            }
        }
        return null;
    }

    /**
     * True when a volume with this node affinity reaches a node with these labels; null reaches every node. Node fields have
     * no content here. Mirrors {@code CheckNodeAffinity} of {@code pkg/volume/util/util.go}.
     */
    public static boolean affinityMatches(@Nullable List<NodeSelectorTerm> requiredTerms, Labels nodeLabels) {
        return requiredTerms == null || NodeSelectorTerm.anyMatches(requiredTerms, nodeLabels, "");
    }
}
