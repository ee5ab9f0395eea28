package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.PodVolumeClaims;
import io.policyscheduler.engine.placement.PodVolumeClaims.Binding;
import io.policyscheduler.engine.placement.PodVolumeClaims.PodVolumes;
import io.policyscheduler.engine.placement.PodVolumeClaims.Reach;
import io.policyscheduler.engine.placement.PodVolumeClaims.Rules;
import org.jspecify.annotations.Nullable;

/**
 * The node can use the pod's bound volumes, and volumes for its unbound claims can be found or provisioned there. Mirrors
 * {@code VolumeBindingChecker} of {@code pkg/scheduler/algorithm/predicates/predicates.go}; {@link VolumeBinder} assumes the
 * volumes on the selected node.
 */
public final class CheckVolumeBinding implements Predicate {
    /** Name in a Policy file. */
    public static final String NAME = "CheckVolumeBinding";

    private static final Verdict BOUND_CONFLICT = Verdict.unfit(FailureReasons.VOLUME_NODE_AFFINITY_CONFLICT);
    private static final Verdict NO_MATCH = Verdict.unfit(FailureReasons.VOLUME_BINDING_NO_MATCH);
    private static final Verdict BOTH =
            Verdict.unfit(FailureReasons.VOLUME_NODE_AFFINITY_CONFLICT, FailureReasons.VOLUME_BINDING_NO_MATCH);

    private final FeatureGates gates;
    private final InTreeVolumes inTree;

    /** Reads the gates of {@code config}. */
    public CheckVolumeBinding(AlgorithmConfig config) {
        this.gates = config.gates();
        this.inTree = InTreeVolumes.v117(gates);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodFilter start(PodContext context) {
        if (context.pod().volumes().isEmpty()) {
            return PodFilter.FITS_ALL;
        }
        PodVolumeClaims claims = new PodVolumeClaims(context.cluster(), inTree, Rules.v117(gates));
        String problem = addClaims(claims, context.pod(), context.cluster());
        if (problem != null) {
            Verdict error = Verdict.error(problem);
            return node -> error;
        }
        return claims.isEmpty() ? PodFilter.FITS_ALL : node -> verdict(claims.find(node));
    }

    /**
     * Adds the claims of a pod, as 1.17 did.
     *
     * @return null, or the error for every node
     */
    static @Nullable String addClaims(PodVolumeClaims claims, PodInfo pod, ClusterView cluster) {
        for (Volume volume : pod.volumes()) {
            if (volume.kind() != Volume.Kind.CLAIM) {
                continue;
            }
            ClaimInfo claim = cluster.claim(pod.namespace(), volume.id());
            if (claim == null) {
                String key = "\"" + pod.namespace() + "/" + volume.id() + "\"";
                return "error getting PVC " + key + ": could not find v1.PersistentVolumeClaim " + key;
            }
            String error = claims.add(claim);
            if (error != null) {
                return error;
            }
        }
        return claims.hasImmediate() ? PodVolumeClaims.UNBOUND_IMMEDIATE : null;
    }

    private static Verdict verdict(PodVolumes volumes) {
        if (volumes.error() != null) {
            return Verdict.error(volumes.error());
        }
        boolean isBindable = volumes.binding() == Binding.POSSIBLE;
        if (volumes.reach() == Reach.ALL) {
            return isBindable ? Verdict.FITS : NO_MATCH;
        }
        return isBindable ? BOUND_CONFLICT : BOTH;
    }
}
