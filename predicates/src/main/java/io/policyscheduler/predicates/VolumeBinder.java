package io.policyscheduler.predicates;

import io.policyscheduler.engine.cluster.AssumedVolumes;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.VolumeMatching;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.InTreeVolumes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes as decided which volumes a pod's claims get on the node chosen for it. Mirrors {@code AssumePodVolumes} of
 * {@code pkg/controller/volume/scheduling/scheduler_binder.go}.
 *
 * <p>Where v1.17 keeps the findings of {@link CheckVolumeBinding} for each node until one is chosen, they are worked out
 * again here: nothing they depend on changes within a scheduling cycle.
 */
public final class VolumeBinder {
    /** Annotation of a volume whose claim was not chosen by its creator. */
    public static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

    /** What a pod's claims need on a node. */
    @FunctionalInterface
    public interface Planner {
        /** What {@link CheckVolumeBinding}, or what has become of it, finds for the pod on {@code node}. */
        VolumeDecision decide(ClusterView cluster, PodInfo pod, NodeInfo node);
    }

    private final Planner planner;
    private final boolean checksBinding;

    /**
     * A binder for one policy, by the rules of v1.17.
     *
     * @param checksBinding the policy has {@link CheckVolumeBinding}; without it v1.17 finds nothing to bind
     */
    public VolumeBinder(FeatureGates gates, boolean checksBinding) {
        this(planner(gates), checksBinding);
    }

    /** A binder that carries out what a planner finds. */
    public VolumeBinder(Planner planner, boolean checksBinding) {
        this.planner = planner;
        this.checksBinding = checksBinding;
    }

    private static Planner planner(FeatureGates gates) {
        InTreeVolumes inTree = InTreeVolumes.v117(gates);
        return (cluster, pod, node) -> new PodClaims(pod, cluster, gates, inTree).decide(node);
    }

    /** What {@link CheckVolumeBinding} finds for the pod on {@code node}. */
    public VolumeDecision decide(ClusterView cluster, PodInfo pod, NodeInfo node) {
        return planner.decide(cluster, pod, node);
    }

    /**
     * Records in {@link ClusterState#assumedVolumes()} what the pod needs on {@code node}, which must have passed
     * {@link CheckVolumeBinding} in this cycle.
     */
    public AssumedBindings assume(ClusterState cluster, PodInfo pod, NodeInfo node) {
        if (allBound(cluster, pod)) {
            return AssumedBindings.ALL_BOUND;
        }
        List<VolumeDecision.Match> volumes = new ArrayList<>();
        List<ClaimInfo> claims = new ArrayList<>();
        if (checksBinding) {
            VolumeDecision decision = decide(cluster, pod, node);
            for (VolumeDecision.Match match : decision.matches()) {
                PersistentVolumeInfo volume = bind(match.volume(), match.claim());
                if (!volume.equals(match.volume())) {
                    cluster.assumedVolumes().assume(volume);
                }
                volumes.add(new VolumeDecision.Match(volume, match.claim()));
            }
            for (ClaimInfo claim : decision.provisions()) {
                ClaimInfo selected =
                        claim.withAnnotations(with(claim.annotations(), ClaimInfo.SELECTED_NODE, node.name()));
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

    private static PersistentVolumeInfo bind(PersistentVolumeInfo volume, ClaimInfo claim) {
        PersistentVolumeInfo.ClaimRef ref =
                new PersistentVolumeInfo.ClaimRef(claim.namespace(), claim.name(), claim.uid());
        Labels annotations = volume.annotations();
        if (!VolumeMatching.isReservedFor(volume, claim) && !annotations.has(BOUND_BY_CONTROLLER)) {
            annotations = with(annotations, BOUND_BY_CONTROLLER, "yes");
        }
        return volume.withClaimRef(ref, annotations);
    }

    private static Labels with(Labels annotations, String key, String value) {
        Map<String, String> changed = annotations.toMap();
        changed.put(key, value);
        return Labels.copyOf(changed);
    }

    /**
     * What {@link VolumeBinder} has taken as decided for a pod, and what must now be written to the API server: first
     * {@code volumes}, then {@code claims}, in order.
     *
     * @param allBound every claim was bound already; nothing to write, nothing to wait for
     * @param volumes volumes with their new claim, and the claim
     * @param claims claims with the annotation of the selected node
     */
    public record AssumedBindings(boolean allBound, List<VolumeDecision.Match> volumes, List<ClaimInfo> claims) {
        /** Nothing to do. */
        static final AssumedBindings ALL_BOUND = new AssumedBindings(true, List.of(), List.of());

        public AssumedBindings {
            volumes = List.copyOf(volumes);
            claims = List.copyOf(claims);
        }

        /** Forgets everything, back to what the API server says. */
        public void undo(ClusterState cluster) {
            undo(cluster, 0, 0);
        }

        /** Forgets what has not been written: all but the first {@code volumesSent} volumes and {@code claimsSent} claims. */
        public void undo(ClusterState cluster, int volumesSent, int claimsSent) {
            AssumedVolumes assumed = cluster.assumedVolumes();
            for (VolumeDecision.Match match : volumes.subList(volumesSent, volumes.size())) {
                assumed.restoreVolume(match.volume().name());
            }
            for (ClaimInfo claim : claims.subList(claimsSent, claims.size())) {
                assumed.restoreClaim(claim.namespace(), claim.name());
            }
        }
    }

    /**
     * What {@link CheckVolumeBinding} finds out about a pod's claims on one node.
     *
     * @param boundReachable the volumes of bound claims can be used on the node
     * @param unboundSatisfied every other claim can get a volume there
     * @param matches existing volumes picked for unbound claims; empty when none
     * @param provisions claims whose volume must be created for the node; empty when none or when that is impossible
     * @param error null, or the text of an error that ends the attempt; nothing else holds then
     */
    public record VolumeDecision(
            boolean boundReachable,
            boolean unboundSatisfied,
            List<Match> matches,
            List<ClaimInfo> provisions,
            @Nullable String error) {
        /** Nothing to decide: every volume is bound and can be used on the node. */
        static final VolumeDecision NOTHING_TO_DO = new VolumeDecision(true, true, List.of(), List.of(), null);

        /** A bound volume cannot be used on the node, and no claim is left to bind. */
        static final VolumeDecision OUT_OF_REACH = new VolumeDecision(false, true, List.of(), List.of(), null);

        /** A volume picked for a claim. */
        public record Match(PersistentVolumeInfo volume, ClaimInfo claim) {}

        public VolumeDecision {
            matches = List.copyOf(matches);
            provisions = List.copyOf(provisions);
        }

        static VolumeDecision error(String text) {
            return new VolumeDecision(false, false, List.of(), List.of(), text);
        }
    }
}
