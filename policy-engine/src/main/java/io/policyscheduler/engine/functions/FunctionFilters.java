package io.policyscheduler.engine.functions;

import io.policyscheduler.engine.algorithm.Evaluation.FitErrorText;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PodPreemption.NodeTrial;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All predicates for one pod, with the two passes for nominated pods. Mirrors {@code podFitsOnNode} and {@code addNominatedPods} of
 * {@code pkg/scheduler/core/generic_scheduler.go}.
 */
final class FunctionFilters {
    private static final Result FITS = new Result(Verdict.FITS, null);
    private static final Result DELETED =
            new Result(Verdict.unfit(FailureReason.unresolvable(FitErrorText.NODE_BEING_DELETED)), null);

    private final PodContext context;
    private final List<Predicate> predicates;
    private final List<PodFilter> filters;

    /**
     * The result of all predicates.
     *
     * @param predicate the first one that rejected the node; null if none did
     */
    record Result(Verdict verdict, @Nullable String predicate) {}

    private FunctionFilters(PodContext context, List<Predicate> predicates, List<PodFilter> filters) {
        this.context = context;
        this.predicates = predicates;
        this.filters = filters;
    }

    static FunctionFilters start(List<Predicate> predicates, PodContext context) {
        List<PodFilter> filters = new ArrayList<>(predicates.size());
        for (Predicate predicate : predicates) {
            filters.add(predicate.start(context));
        }
        return new FunctionFilters(context, predicates, filters);
    }

    FunctionFilters copy() {
        List<PodFilter> copies = new ArrayList<>(filters.size());
        for (PodFilter filter : filters) {
            copies.add(filter.copy());
        }
        return new FunctionFilters(context, predicates, copies);
    }

    Result check(NodeInfo node, NominatedPods nominated, boolean checkAll) {
        if (!node.hasNode()) {
            return DELETED;
        }
        List<PodInfo> reserved = nominated.on(node.name());
        if (!reserved.isEmpty()) {
            NodeInfo fuller = node.copy();
            FunctionFilters counted = copy();
            boolean added = false;
            for (PodInfo other : reserved) {
                if (other.priority() >= context.pod().priority() && !other.isSame(context.pod())) {
                    fuller.addPod(other);
                    String error = counted.addPod(other, fuller);
                    if (error != null) {
                        return new Result(Verdict.error(error), null);
                    }
                    added = true;
                }
            }
            if (added) {
                Result withOthers = counted.run(fuller, checkAll);
                if (!withOthers.verdict().fits()) {
                    return withOthers;
                }
            }
        }
        return run(node, checkAll);
    }

    /** Whether the marked predicates pass the node. */
    boolean passesAll(NodeInfo node, boolean[] marked) {
        for (int i = 0; i < filters.size(); i++) {
            Verdict verdict = marked[i] ? filters.get(i).check(node) : Verdict.FITS;
            if (!verdict.fits()) {
                return false;
            }
        }
        return true;
    }

    /** The result of the other predicates on a node that passes the marked ones. */
    Result runOthers(NodeInfo node, boolean checkAll, boolean[] marked) {
        return run(node, checkAll, marked);
    }

    private Result run(NodeInfo node, boolean checkAll) {
        return run(node, checkAll, null);
    }

    /** @param passed predicates to skip; null for none */
    private Result run(NodeInfo node, boolean checkAll, boolean @Nullable [] passed) {
        @Nullable List<FailureReason> reasons = null;
        @Nullable String first = null;
        for (int i = 0; i < filters.size(); i++) {
            if (passed != null && passed[i]) {
                continue;
            }
            Verdict verdict = filters.get(i).check(node);
            if (verdict.error() != null) {
                return new Result(verdict, null);
            }
            if (!verdict.fits()) {
                if (!checkAll) {
                    return new Result(verdict, predicates.get(i).name());
                }
                if (reasons == null) {
                    reasons = new ArrayList<>();
                    first = predicates.get(i).name();
                }
                reasons.addAll(verdict.reasons());
            }
        }
        return reasons == null ? FITS : new Result(Verdict.of(reasons), first);
    }

    /** Adds a pod to the node; null or the text of an error. */
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

    /** Removes a pod; null or the text of an error. */
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

    /** A preemption trial with predicates as functions, on its own copies; stops at the first failing predicate. */
    static final class FunctionTrial implements NodeTrial {
        private final FunctionFilters filters;
        private final NodeInfo node;
        private final NominatedPods nominated;

        FunctionTrial(FunctionFilters filters, NodeInfo node, NominatedPods nominated) {
            this.filters = filters;
            this.node = node;
            this.nominated = nominated;
        }

        @Override
        public boolean remove(PodInfo pod) {
            return node.removePod(pod) != null && filters.removePod(pod, node) == null;
        }

        @Override
        public boolean add(PodInfo pod) {
            node.addPod(pod);
            return filters.addPod(pod, node) == null;
        }

        @Override
        public @Nullable Misfit check() {
            return filters.check(node, nominated, false).verdict().fits() ? null : Misfit.UNREPORTED;
        }
    }
}
