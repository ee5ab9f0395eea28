package io.policyscheduler.predicates;

import io.policyscheduler.engine.cluster.AssumedVolumes;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.PodVolumeClaims;
import io.policyscheduler.engine.placement.PodVolumeClaims.PodVolumes;
import io.policyscheduler.engine.placement.PodVolumeClaims.PodVolumes.Match;
import io.policyscheduler.engine.placement.PodVolumeClaims.Rules;
import java.util.ArrayList;
import java.util.List;

/**
 * Assumes the volumes for a pod's claims on the selected node. Mirrors {@code AssumePodVolumes} of {@code
 * pkg/controller/volume/scheduling/scheduler_binder.go}.
 *
 * <p>v1.17 caches the results of {@link CheckVolumeBinding} for each node; here they are computed again: their inputs do not change
 * within a scheduling cycle.
 */
public final class VolumeBinder {
    /** Finds the volumes for a pod's claims on a node. */
    @FunctionalInterface
    public interface Planner {
        /** The result of {@link CheckVolumeBinding}, or of its successor plugin, for the pod on {@code node}. */
        PodVolumes decide(ClusterView cluster, PodInfo pod, NodeInfo node);
    }

    private final Planner planner;
    private final boolean checksBinding;

    /**
     * A binder for one policy, with the rules of v1.17.
     *
     * @param checksBinding whether the policy has {@link CheckVolumeBinding}; without it v1.17 finds nothing to bind
     */
    public VolumeBinder(FeatureGates gates, boolean checksBinding) {
        this(planner(gates), checksBinding);
    }

    /** A binder that assumes the result of a planner. */
    public VolumeBinder(Planner planner, boolean checksBinding) {
        this.planner = planner;
        this.checksBinding = checksBinding;
    }

    private static Planner planner(FeatureGates gates) {
        InTreeVolumes inTree = InTreeVolumes.v117(gates);
        return (cluster, pod, node) -> volumes(cluster, pod, node, gates, inTree);
    }

    private static PodVolumes volumes(
            ClusterView cluster, PodInfo pod, NodeInfo node, FeatureGates gates, InTreeVolumes inTree) {
        PodVolumeClaims claims = new PodVolumeClaims(cluster, inTree, Rules.v117(gates));
        String error = CheckVolumeBinding.addClaims(claims, pod, cluster);
        return error == null ? claims.find(node) : PodVolumes.error(error);
    }

    /** The result of {@link CheckVolumeBinding} for the pod on {@code node}. */
    public PodVolumes decide(ClusterView cluster, PodInfo pod, NodeInfo node) {
        return planner.decide(cluster, pod, node);
    }

    /**
     * Assumes in {@link ClusterState#assumedVolumes()} the volumes of the pod on {@code node}, which must have passed
     * {@link CheckVolumeBinding} in this cycle.
     */
    public AssumedBindings assume(ClusterState cluster, PodInfo pod, NodeInfo node) {
        if (allBound(cluster, pod)) {
            return AssumedBindings.ALL_BOUND;
        }
        List<Match> volumes = new ArrayList<>();
        List<ClaimInfo> claims = new ArrayList<>();
        if (checksBinding) {
            PodVolumes decision = decide(cluster, pod, node);
            for (Match match : decision.matches()) {
                PersistentVolumeInfo volume = match.boundVolume();
                if (!volume.equals(match.volume())) {
                    cluster.assumedVolumes().assume(volume);
                }
                volumes.add(new Match(volume, match.claim()));
            }
            for (ClaimInfo claim : decision.provisions()) {
                ClaimInfo selected = PodVolumes.selectNode(claim, node.name());
                cluster.assumedVolumes().assume(selected);
                claims.add(selected);
            }
        }
        return new AssumedBindings(false, volumes, claims);
    }

    private static boolean allBound(ClusterView cluster, PodInfo pod) {
        for (Volume volume : pod.volumes()) {
            String name = volume.claimName(pod);
            if (name != null) {
                ClaimInfo claim = cluster.claim(pod.namespace(), name);
                if (claim == null || !claim.isFullyBound()) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * The assumed volumes of a pod, which must be written to the API server: first {@code volumes}, then {@code claims}, in order.
     *
     * @param allBound whether every claim was already bound, so that there is nothing to write
     * @param volumes volumes with their new claim, and the claim
     * @param claims claims with the annotation of the selected node
     */
    public record AssumedBindings(boolean allBound, List<Match> volumes, List<ClaimInfo> claims) {
        /** Nothing to write. */
        static final AssumedBindings ALL_BOUND = new AssumedBindings(true, List.of(), List.of());

        public AssumedBindings {
            volumes = List.copyOf(volumes);
            claims = List.copyOf(claims);
        }

        /** Reverts all assumptions. */
        public void undo(ClusterState cluster) {
            undo(cluster, 0, 0);
        }

        /** Reverts what has not been written: all but the first {@code volumesSent} volumes and {@code claimsSent} claims. */
        public void undo(ClusterState cluster, int volumesSent, int claimsSent) {
            AssumedVolumes assumed = cluster.assumedVolumes();
            for (Match match : volumes.subList(volumesSent, volumes.size())) {
                assumed.restoreVolume(match.volume().name());
            }
            for (ClaimInfo claim : claims.subList(claimsSent, claims.size())) {
                assumed.restoreClaim(claim.namespace(), claim.name());
            }
        }
    }
}
