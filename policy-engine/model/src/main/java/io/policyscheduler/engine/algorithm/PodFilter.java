package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A predicate that is prepared for one pod. {@link #check} runs for many nodes and must not change anything. A filter that counts
 * pods on other nodes also supports AddPod and RemovePod, on a {@link #copy()}.
 */
public interface PodFilter {
    /** Passes every node unconditionally; callers can skip the calls. */
    PodFilter FITS_ALL = node -> Verdict.FITS;

    /** The verdict for {@code node}, which may have other pods than the cluster's own. */
    Verdict check(NodeInfo node);

    /**
     * True if {@link #check} passes every node until {@link #addPod} or {@link #removePod} is called, so that callers can skip it.
     */
    default boolean fitsUntilChanged() {
        return this == FITS_ALL;
    }

    /**
     * True if {@link #check} passes every node also in every trial that removes and re-adds pods of one node, and adds pods without
     * inter-pod affinity to it. If re-adding a pod fails, it does so for every pod to schedule.
     */
    default boolean fitsTrials() {
        return this == FITS_ALL;
    }

    /**
     * The inputs of the verdicts, besides the node and its pods: filters of one predicate with equal bases return the same verdict
     * for the same node. Null if unknown; then {@link Predicate#scope()} applies.
     */
    default @Nullable Object basis() {
        return null;
    }

    /**
     * The nodes of the cluster's index that pass, by slot, until the cluster or this filter changes; null if each has to be checked
     * with {@link #check}.
     */
    default @Nullable SlotPredicate bySlot(ClusterIndex index) {
        return null;
    }

    /** An independent copy; a filter without counts returns itself. */
    default PodFilter copy() {
        return this;
    }

    /**
     * Adds a pod to {@code node}. Its {@code nodeName} is empty for a nominated pod.
     *
     * @return null, or the text of an error
     */
    default @Nullable String addPod(PodInfo added, NodeInfo node) {
        return null;
    }

    /**
     * Removes a pod of {@code node}.
     *
     * @return null, or the text of an error
     */
    default @Nullable String removePod(PodInfo removed, NodeInfo node) {
        return null;
    }

    /**
     * The result of a predicate for one node: feasible, rejected for these reasons, or an error that ends the attempt.
     *
     * @param reasons in order; empty if feasible or on error
     * @param error null, or the text of the error
     */
    public record Verdict(
            List<FailureReason> reasons, @Nullable String error) {
        /** The node is feasible. */
        public static final Verdict FITS = new Verdict(List.of(), null);

        public Verdict {
            reasons = List.copyOf(reasons);
        }

        /** A rejection. Store constant results, because this runs for every node. */
        public static Verdict unfit(FailureReason... reasons) {
            return new Verdict(List.of(reasons), null);
        }

        /** A rejection for these reasons; feasible if the list is empty. */
        public static Verdict of(List<FailureReason> reasons) {
            return reasons.isEmpty() ? FITS : new Verdict(reasons, null);
        }

        /** An error that ends the attempt. */
        public static Verdict error(String text) {
            return new Verdict(List.of(), text);
        }

        /** True if the node is feasible. */
        public boolean fits() {
            return reasons.isEmpty() && error == null;
        }
    }
}
