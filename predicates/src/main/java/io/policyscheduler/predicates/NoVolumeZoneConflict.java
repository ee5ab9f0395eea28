package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.placement.VolumeZones;
import io.policyscheduler.engine.placement.VolumeZones.Rules;

/**
 * The node is in a zone and region of the pod's volumes, by the legacy zone labels. Mirrors {@code VolumeZoneChecker} of
 * {@code pkg/scheduler/algorithm/predicates/predicates.go}.
 */
public final class NoVolumeZoneConflict implements Predicate {
    /** Name in a Policy file. */
    public static final String NAME = "NoVolumeZoneConflict";

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
        VolumeZones zones = new VolumeZones(context.pod(), context.cluster(), Rules.V1_17);
        return zones.isEmpty() && zones.claims().fits() ? PodFilter.FITS_ALL : zones::check;
    }
}
