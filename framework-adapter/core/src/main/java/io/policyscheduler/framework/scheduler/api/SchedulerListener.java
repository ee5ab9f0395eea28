package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.AttemptListener.DecisionDifference;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hears what the scheduler does; for metrics, progress and tests. Called on the scheduling thread unless it
 * says otherwise; must not block. */
public interface SchedulerListener {
    /** Listens to nothing. */
    SchedulerListener NONE = new SchedulerListener() {};

    /** Whether {@link #onAttempted} is to be told, which costs a little. Asked when profiles are put to work. */
    default boolean wantsAttempts() {
        return false;
    }

    /** A pod is about to be decided. */
    default void onAttempt(QueuedPod entry) {}

    /** What an attempt has seen, just before {@link #onDecision}; not told when it ends in an exception. */
    default void onAttempted(PodInfo pod, AttemptDetails details) {}

    /** A decision was made on both paths, to verify what is kept about the nodes; told before {@link #onDecision}. */
    default void onDecisionVerified(PodInfo pod) {}

    /** What is kept about the nodes would have decided otherwise; told before {@link #onDecisionVerified}. */
    default void onDecisionDiffers(DecisionDifference difference) {}

    /** The result cache failed with an exception in an attempt, which continued without it. */
    default void onResultCacheFailed(PodInfo pod) {}

    /** The attempt that is under way enters a phase. */
    default void onPhase(Phase phase) {}

    /** What deciding a pod has cost, failures and preemption included, in nanoseconds of CPU time where that is measured. */
    default void onWork(long nanos) {}

    /** A pod was tried; deciding took {@code nanos}. */
    default void onDecision(PodInfo pod, Decision decision, long nanos) {}

    /**
     * A pod was decided while there is a canary for its scheduler name; called after {@link #onDecision}.
     *
     * @param isInShare whether the canary decided it
     * @param other where the other one of both would have placed it; null if that was not evaluated
     */
    default void onCanary(PodInfo pod, Decision decision, boolean isInShare, @Nullable Ranking other) {}

    /** Deciding a pod took far more work than deciding others does; it waits longer for its next turn. */
    default void onSlowDecision(PodInfo pod, long workNanos) {}

    /**
     * A pod is bound.
     *
     * @param entry its history in the queue, with the first attempt and their number
     * @param nanos time from the decision to the end of the bind
     */
    default void onBound(QueuedPod entry, String node, long nanos) {}

    /** A bind or its preparation failed; the pod is tried again, unless it is gone or bound elsewhere. */
    default void onBindFailed(QueuedPod entry, String node, String message) {}

    /** An attempt failed, with the reason and message of the PodScheduled condition. */
    default void onFailure(QueuedPod entry, String reason, String message) {}

    /** A failed pod is back in the queue. */
    default void onRequeued(PodInfo pod, Part part) {}

    /**
     * A pod turns up on a node, whoever has put it there. It does not count there yet, unless this scheduler has placed it.
     *
     * @param waited whether it was seen without a node before
     */
    default void onAssigned(PodInfo pod, boolean waited) {}

    /** A pod that waits for a node is seen for the first time, and names another scheduler; it is left alone. */
    default void onLeft(PodInfo pod) {}

    /** An unbound pod of ours was deleted or has finished. Another scheduler takes one over by {@link #onAssigned}. */
    default void onPodGone(PodInfo pod) {}

    /**
     * A pod entered a part of the queue.
     *
     * @param event label of what brought it there
     */
    default void onIncoming(Part part, String event) {}

    /**
     * A pod no longer waits at permit.
     *
     * @param result {@code Success} or {@code Unschedulable}
     * @param nanos how long it waited
     */
    default void onPermitWait(PodInfo pod, String result, long nanos) {}

    /**
     * A kubelet has refused or evicted a pod of ours.
     *
     * @param reason what the kubelet said, such as {@code OutOfcpu}
     */
    default void onRefused(PodInfo pod, String reason) {}

    /**
     * An algorithm of this program gave a node a score out of range, which counts as the end of the range. May be called for every
     * node of every attempt.
     *
     * @param algorithm name of the plugin or priority
     */
    default void onScoreOutOfRange(String algorithm, PodInfo pod, String node, long score) {}

    /** The scores of an extender could not be had and do not count. */
    default void onExtenderNotScored(String extender) {}

    /** A bind request to an ignorable extender failed, and the next binder binds the pod. Any thread. */
    default void onExtenderBindSkipped(String extender) {}

    /** Another process has bound a pod of this scheduler that waited here. */
    default void onBoundByAnother(PodInfo pod) {}

    /** Other profiles are in force from now on. */
    default void onProfiles(Profiles profiles) {}

    /** Room is to be made for a pod on a node, which is promised to it; the victims are about to be deleted. */
    default void onNominated(PodInfo preemptor, String node, List<PodInfo> victims) {}

    /** Room was made for a pod: so many victims are deleted, none when they were gone before. */
    default void onPreempted(PodInfo preemptor, int victims) {}

    /** An assumed pod was not confirmed in time; the server is asked about it. */
    default void onExpired(PodInfo pod) {}

    /**
     * A pod has a field that no release known here has, so that it counts for nothing. Called once for each field and watch, on
     * the watching thread.
     *
     * @param path such as {@code spec.containers[].mood}
     */
    default void onUnknownPodField(String path) {}

    /** All initial lists have arrived; scheduling starts if it is enabled. */
    default void onSynced() {}
}
