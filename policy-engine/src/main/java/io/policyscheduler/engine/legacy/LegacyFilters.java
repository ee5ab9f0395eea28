package io.policyscheduler.engine.legacy;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FitErrorText;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Verdict;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All predicates at work on one pod, with the two passes over nominated pods. Mirrors {@code podFitsOnNode} and
 * {@code addNominatedPods} of {@code pkg/scheduler/core/generic_scheduler.go}.
 */
final class LegacyFilters {
    private static final Verdict GONE = Verdict.unfit(FailureReason.unresolvable(FitErrorText.NODE_BEING_DELETED));

    private final PodContext context;
    private final List<PodFilter> filters;

    private LegacyFilters(PodContext context, List<PodFilter> filters) {
        this.context = context;
        this.filters = filters;
    }

    static LegacyFilters start(List<Predicate> predicates, PodContext context) {
        List<PodFilter> filters = new ArrayList<>(predicates.size());
        for (Predicate predicate : predicates) {
            filters.add(predicate.start(context));
        }
        return new LegacyFilters(context, filters);
    }

    LegacyFilters copy() {
        List<PodFilter> copies = new ArrayList<>(filters.size());
        for (PodFilter filter : filters) {
            copies.add(filter.copy());
        }
        return new LegacyFilters(context, copies);
    }

    Verdict check(NodeInfo node, NominatedPods nominated, boolean checkAll) {
        if (!node.hasNode()) {
            return GONE;
        }
        List<PodInfo> promised = nominated.on(node.name());
        if (!promised.isEmpty()) {
            NodeInfo fuller = node.copy();
            LegacyFilters counted = copy();
            boolean added = false;
            for (PodInfo other : promised) {
                if (other.priority() >= context.pod().priority() && !other.isSame(context.pod())) {
                    fuller.addPod(other);
                    String error = counted.addPod(other, fuller);
                    if (error != null) {
                        return Verdict.error(error);
                    }
                    added = true;
                }
            }
            if (added) {
                Verdict withOthers = counted.run(fuller, checkAll);
                if (!withOthers.fits()) {
                    return withOthers;
                }
            }
        }
        return run(node, checkAll);
    }

    private Verdict run(NodeInfo node, boolean checkAll) {
        @Nullable List<FailureReason> reasons = null;
        for (int i = 0; i < filters.size(); i++) {
            Verdict verdict = filters.get(i).check(node);
            if (verdict.error() != null) {
                return verdict;
            }
            if (!verdict.fits()) {
                if (!checkAll) {
                    return verdict;
                }
                if (reasons == null) {
                    reasons = new ArrayList<>();
                }
                reasons.addAll(verdict.reasons());
            }
        }
        return reasons == null ? Verdict.FITS : Verdict.of(reasons);
    }

    /** Counts a pod as running on the node; null or the text of an error. */
    @Nullable
    String addPod(PodInfo pod, NodeInfo node) {
        if (!context.metadataAvailable()) {
            return null;
        }
        if (isPlacedPod(pod)) {
            return "addedPod and meta.pod must not be the same";
        }
        for (PodFilter filter : filters) {
            String error = filter.addPod(pod, node);
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    /** Stops counting a pod; null or the text of an error. */
    @Nullable
    String removePod(PodInfo pod, NodeInfo node) {
        if (!context.metadataAvailable()) {
            return null;
        }
        if (isPlacedPod(pod)) {
            return "deletedPod and meta.pod must not be the same";
        }
        for (PodFilter filter : filters) {
            String error = filter.removePod(pod, node);
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    private boolean isPlacedPod(PodInfo pod) {
        return pod.name().equals(context.pod().name())
                && pod.namespace().equals(context.pod().namespace());
    }
}
