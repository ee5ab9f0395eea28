package io.policyscheduler.predicates.volume;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * No pod of the node mounts one of the pod's disks in a way that excludes it. Only disks named in the pods themselves count,
 * not those behind a claim. Mirrors {@code NoDiskConflict} of {@code pkg/scheduler/algorithm/predicates/predicates.go}.
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
        List<Volume> disks = new ArrayList<>();
        for (Volume volume : context.pod().volumes()) {
            switch (volume.kind()) {
                case GCE_PD, AWS_EBS, ISCSI, RBD -> disks.add(volume);
                default -> {}
            }
        }
        return disks.isEmpty() ? PodFilter.FITS_ALL : node -> check(disks, node);
    }

    private static Verdict check(List<Volume> disks, NodeInfo node) {
        for (int i = 0; i < node.podCount(); i++) {
            List<Volume> mounted = node.pod(i).volumes();
            for (int m = 0; m < mounted.size(); m++) {
                for (int d = 0; d < disks.size(); d++) {
                    if (conflict(disks.get(d), mounted.get(m))) {
                        return CONFLICT;
                    }
                }
            }
        }
        return Verdict.FITS;
    }

    private static boolean conflict(Volume wanted, Volume mounted) {
        if (wanted.kind() != mounted.kind() || !wanted.id().equals(mounted.id())) {
            return false;
        }
        return switch (wanted.kind()) {
            // EBS attaches to one instance only, whatever the mount says.
            case AWS_EBS -> true;
            case GCE_PD, ISCSI -> writes(wanted, mounted);
            case RBD ->
                wanted.detail().equals(mounted.detail())
                        && !Collections.disjoint(wanted.monitors(), mounted.monitors())
                        && writes(wanted, mounted);
            default -> false;
        };
    }

    private static boolean writes(Volume wanted, Volume mounted) {
        return !(wanted.readOnly() && mounted.readOnly());
    }
}
