package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.placement.InTreeVolumes.DiskConflicts;
import java.util.List;

/**
 * No pod of the node mounts one of the pod's disks exclusively. Only inline disks of pods count, not those of claims. Mirrors
 * {@code NoDiskConflict} of {@code pkg/scheduler/algorithm/predicates/predicates.go}.
 */
public final class NoDiskConflict implements Predicate {
    /** Name in a Policy file. */
    public static final String NAME = "NoDiskConflict";

    private static final Verdict CONFLICT = Verdict.unfit(FailureReasons.DISK_CONFLICT);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodFilter start(PodContext context) {
        List<Volume> disks =
                context.pod().volumes().stream().filter(DiskConflicts::isDisk).toList();
        return disks.isEmpty() ? PodFilter.FITS_ALL : node -> DiskConflicts.any(disks, node) ? CONFLICT : Verdict.FITS;
    }
}
