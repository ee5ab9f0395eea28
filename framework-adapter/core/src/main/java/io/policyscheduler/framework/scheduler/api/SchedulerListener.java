package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.AttemptListener;
import io.policyscheduler.framework.cycle.AttemptListener.BatchFlush;
import io.policyscheduler.framework.cycle.AttemptListener.BatchResult;
import io.policyscheduler.framework.cycle.AttemptListener.DecisionDifference;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives callbacks about the scheduler's actions; for metrics, progress and tests. Called on the scheduling thread unless
 * documented otherwise; must not block. The callbacks of an attempt come before {@link #onDecision}.
 */
public interface SchedulerListener extends AttemptListener {
    /** Ignores all callbacks. */
    SchedulerListener NONE = new SchedulerListener() {};

    /** Returns a listener that passes each call on to others, in order; after an exception of one, the next ones are not called. */
    static SchedulerListener all(SchedulerListener... listeners) {
        List<SchedulerListener> copy = List.of(listeners);
        return new SchedulerListener() {
            @Override
            public List<SchedulerListener> listeners() {
                return copy;
            }
        };
    }

    /** Returns the listeners that receive the calls of this one, except for those of methods that it overrides. */
    default List<SchedulerListener> listeners() {
        return List.of();
    }

    @Override
    default boolean needsDetails() {
        return listeners().stream().anyMatch(AttemptListener::needsDetails);
    }

    @Override
    default void onAttempted(PodInfo pod, AttemptDetails details) {
        listeners().forEach(listener -> listener.onAttempted(pod, details));
    }

    @Override
    default void onDecisionVerified(PodInfo pod) {
        listeners().forEach(listener -> listener.onDecisionVerified(pod));
    }

    @Override
    default void onResultCacheFailed(PodInfo pod, Throwable e) {
        listeners().forEach(listener -> listener.onResultCacheFailed(pod, e));
    }

    @Override
    default void onBatched(BatchResult result) {
        listeners().forEach(listener -> listener.onBatched(result));
    }

    @Override
    default void onBatchFlushed(BatchFlush reason) {
        listeners().forEach(listener -> listener.onBatchFlushed(reason));
    }

    @Override
    default void onDecisionDiffers(DecisionDifference difference) {
        listeners().forEach(listener -> listener.onDecisionDiffers(difference));
    }

    @Override
    default void onPhase(Phase phase) {
        listeners().forEach(listener -> listener.onPhase(phase));
    }

    /** An attempt for a pod begins. */
    default void onAttempt(QueuedPod entry) {
        listeners().forEach(listener -> listener.onAttempt(entry));
    }

    /** The work of an attempt, failures and preemption included, in nanoseconds of CPU time if that is measured. */
    default void onWork(long nanos) {
        listeners().forEach(listener -> listener.onWork(nanos));
    }

    /** A pod was decided; the decision took {@code nanos}. */
    default void onDecision(PodInfo pod, Decision decision, long nanos) {
        listeners().forEach(listener -> listener.onDecision(pod, decision, nanos));
    }

    /**
     * A pod was decided while there is a canary for its scheduler name; called after {@link #onDecision}.
     *
     * @param isInShare whether the canary decided it
     * @param other where the other profile would have placed it; null if that was not evaluated
     */
    default void onCanary(PodInfo pod, Decision decision, boolean isInShare, @Nullable Ranking other) {
        listeners().forEach(listener -> listener.onCanary(pod, decision, isInShare, other));
    }

    /** The decision for a pod took far more work than others do; its backoff is extended. */
    default void onSlowDecision(PodInfo pod, long workNanos) {
        listeners().forEach(listener -> listener.onSlowDecision(pod, workNanos));
    }

    /**
     * A pod is bound.
     *
     * @param entry its history in the queue, with the first attempt and their number
     * @param nanos duration from the decision to the end of the bind
     */
    default void onBound(QueuedPod entry, String node, long nanos) {
        listeners().forEach(listener -> listener.onBound(entry, node, nanos));
    }

    /** A bind or its preparation failed; the pod is requeued, unless it is deleted or bound elsewhere. */
    default void onBindFailed(QueuedPod entry, String node, String message) {
        listeners().forEach(listener -> listener.onBindFailed(entry, node, message));
    }

    /** An attempt failed, with the reason and message of the PodScheduled condition. */
    default void onFailure(QueuedPod entry, String reason, String message) {
        listeners().forEach(listener -> listener.onFailure(entry, reason, message));
    }

    /** A failed pod is back in the queue. */
    default void onRequeued(PodInfo pod, Part part) {
        listeners().forEach(listener -> listener.onRequeued(pod, part));
    }

    /**
     * A pod was added, changed, or deleted, whichever scheduler it names; called before its other callbacks.
     *
     * @param before null for a new one
     * @param now null if it was deleted or has finished
     */
    default void onPod(@Nullable PodInfo before, @Nullable PodInfo now) {
        listeners().forEach(listener -> listener.onPod(before, now));
    }

    /**
     * A pod appears on a node, bound by any scheduler. It is not in the cache yet, unless this scheduler has assumed it.
     *
     * @param waited whether it was observed without a node before
     */
    default void onAssigned(PodInfo pod, boolean waited) {
        listeners().forEach(listener -> listener.onAssigned(pod, waited));
    }

    /** A pending pod of another scheduler was observed for the first time; it is ignored. */
    default void onLeft(PodInfo pod) {
        listeners().forEach(listener -> listener.onLeft(pod));
    }

    /**
     * A pending pod of this scheduler was deleted or has finished. {@link #onAssigned} reports one that another scheduler binds.
     */
    default void onPodGone(PodInfo pod) {
        listeners().forEach(listener -> listener.onPodGone(pod));
    }

    /**
     * A pod entered a part of the queue.
     *
     * @param event label of the cause
     */
    default void onIncoming(Part part, String event) {
        listeners().forEach(listener -> listener.onIncoming(part, event));
    }

    /**
     * A pod no longer waits at permit.
     *
     * @param result {@code Success} or {@code Unschedulable}
     * @param nanos how long it waited
     */
    default void onPermitWait(PodInfo pod, String result, long nanos) {
        listeners().forEach(listener -> listener.onPermitWait(pod, result, nanos));
    }

    /**
     * A kubelet has rejected or evicted a pod of this scheduler.
     *
     * @param reason of the kubelet, such as {@code OutOfcpu}
     */
    default void onRefused(PodInfo pod, String reason) {
        listeners().forEach(listener -> listener.onRefused(pod, reason));
    }

    /**
     * An algorithm of this program returned a score out of range, which is clamped. Called for each such node of every attempt.
     *
     * @param algorithm name of the plugin or priority
     */
    default void onScoreOutOfRange(String algorithm, PodInfo pod, String node, long score) {
        listeners().forEach(listener -> listener.onScoreOutOfRange(algorithm, pod, node, score));
    }

    /** A prioritize call to an extender failed; its scores do not count. */
    default void onExtenderNotScored(String extender) {
        listeners().forEach(listener -> listener.onExtenderNotScored(extender));
    }

    /** A bind request to an ignorable extender failed, and the next binder binds the pod. Called on any thread. */
    default void onExtenderBindSkipped(String extender) {
        listeners().forEach(listener -> listener.onExtenderBindSkipped(extender));
    }

    /** Another process has bound a pending pod of this scheduler. */
    default void onBoundByAnother(PodInfo pod) {
        listeners().forEach(listener -> listener.onBoundByAnother(pod));
    }

    /** The profiles were replaced. */
    default void onProfiles(Profiles profiles) {
        listeners().forEach(listener -> listener.onProfiles(profiles));
    }

    /** A pod is nominated to a node; its victims are about to be deleted. */
    default void onNominated(PodInfo preemptor, String node, List<PodInfo> victims) {
        listeners().forEach(listener -> listener.onNominated(preemptor, node, victims));
    }

    /**
     * Preemption for a pod has finished.
     *
     * @param victims the number of deleted victims, 0 if they were already deleted
     */
    default void onPreempted(PodInfo preemptor, int victims) {
        listeners().forEach(listener -> listener.onPreempted(preemptor, victims));
    }

    /** An assumed pod was not confirmed in time; the scheduler reads it from the API server. */
    default void onExpired(PodInfo pod) {
        listeners().forEach(listener -> listener.onExpired(pod));
    }

    /**
     * A pod has a field that no supported release has; it is ignored. Called once for each field and watch, on the watching thread.
     *
     * @param path such as {@code spec.containers[].mood}
     */
    default void onUnknownPodField(String path) {
        listeners().forEach(listener -> listener.onUnknownPodField(path));
    }

    /** All initial lists have arrived; scheduling starts if it is enabled. */
    default void onSynced() {
        listeners().forEach(listener -> listener.onSynced());
    }
}
