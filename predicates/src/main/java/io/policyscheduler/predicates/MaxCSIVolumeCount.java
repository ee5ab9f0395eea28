package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.placement.CsiVolumeLimits;
import io.policyscheduler.engine.placement.CsiVolumeLimits.Volumes;
import io.policyscheduler.engine.placement.InTreeVolumes;

/**
 * The CSI drivers of the node can attach the pod's volumes besides those of its pods. Only volumes behind claims count.
 * Mirrors {@code pkg/scheduler/algorithm/predicates/csi_volume_predicate.go}.
 */
public final class MaxCSIVolumeCount implements Predicate {
    /** Name in a Policy file. */
    public static final String NAME = "MaxCSIVolumeCountPred";

    private final InTreeVolumes inTree;

    /** Reads the migration gates of {@code config}. */
    public MaxCSIVolumeCount(AlgorithmConfig config) {
        this.inTree = InTreeVolumes.v117(config.gates());
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
        CsiVolumeLimits limits = new CsiVolumeLimits(context.cluster(), inTree);
        Volumes wanted = limits.volumes(context.pod());
        return wanted.isEmpty() ? PodFilter.FITS_ALL : node -> limits.check(wanted, node);
    }
}
