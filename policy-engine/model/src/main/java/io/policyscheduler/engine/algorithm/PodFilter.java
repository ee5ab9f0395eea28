package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A predicate at work on one pod. {@link #check} is asked for many nodes and must not change anything. A filter that counts
 * pods elsewhere also follows what-if changes, on a {@link #copy()}.
 */
public interface PodFilter {
    /** Passes every node whatever happens there; callers that see it need not ask for each node. */
    PodFilter FITS_ALL = node -> Verdict.FITS;

    /** The verdict for {@code node}, as given: it may hold more or fewer pods than the cluster's own. */
    Verdict check(NodeInfo node);

    /**
     * True when {@link #check} passes every node until {@link #addPod} or {@link #removePod} is called, so that nobody need ask
     * before.
     */
    default boolean fitsUntilChanged() {
        return this == FITS_ALL;
    }

    /**
     * True when {@link #check} passes every node also in every trial in which pods of one node are taken away and put back, and others
     * without inter-pod affinity are added to it. Where putting a pod back ends in an error, it does so for every pod to place.
     */
    default boolean fitsTrials() {
        return this == FITS_ALL;
    }

    /**
     * What the verdicts rest on, besides the node and the pods on it: filters of one predicate with equal bases give the same verdict
     * about the same node. Null when nobody can say; then {@link Predicate#scope()} holds.
     */
    default @Nullable Object basis() {
        return null;
    }

    /**
     * Which nodes of the cluster's index pass, told by their slots, until the cluster or this filter changes; null when each has to be
     * asked about by {@link #check}.
     */
    default @Nullable SlotPredicate bySlot(ClusterIndex index) {
        return null;
    }

    /** A copy whose later changes do not show here; a filter without counts returns itself. */
    default PodFilter copy() {
        return this;
    }

    /**
     * Counts {@code added} on {@code node} as if it ran there. Its {@code nodeName} is empty for a nominated pod.
     *
     * @return null, or the text of an error
     */
    default @Nullable String addPod(PodInfo added, NodeInfo node) {
        return null;
    }

    /**
     * Stops counting {@code removed}, which ran on {@code node}.
     *
     * @return null, or the text of an error
     */
    default @Nullable String removePod(PodInfo removed, NodeInfo node) {
        return null;
    }

    /**
     * A predicate's answer for one node: fits, does not fit for these reasons, or an error that aborts the attempt.
     *
     * @param reasons why not, in order; empty when it fits or on error
     * @param error null, or the text of the error
     */
    public record Verdict(
            List<FailureReason> reasons, @Nullable String error) {
        /** The node takes the pod. */
        public static final Verdict FITS = new Verdict(List.of(), null);

        public Verdict {
            reasons = List.copyOf(reasons);
        }

        /** Does not fit. Keep the result where the reasons are constant: this runs for every node. */
        public static Verdict unfit(FailureReason... reasons) {
            return new Verdict(List.of(reasons), null);
        }

        /** Does not fit for these reasons; an empty list means that it fits. */
        public static Verdict of(List<FailureReason> reasons) {
            return reasons.isEmpty() ? FITS : new Verdict(reasons, null);
        }

        /** The attempt must stop. */
        public static Verdict error(String text) {
            return new Verdict(List.of(), text);
        }

        /** True when the node takes the pod. */
        public boolean fits() {
            return reasons.isEmpty() && error == null;
        }
    }
}
