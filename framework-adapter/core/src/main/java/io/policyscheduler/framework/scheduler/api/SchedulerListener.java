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

    /** An attempt for a pod begins. */
    default void onAttempt(QueuedPod entry) {}

    /** The work of an attempt, failures and preemption included, in nanoseconds of CPU time if that is measured. */
    default void onWork(long nanos) {}

    /** A pod was decided; the decision took {@code nanos}. */
    default void onDecision(PodInfo pod, Decision decision, long nanos) {}

    /**
     * A pod was decided while there is a canary for its scheduler name; called after {@link #onDecision}.
     *
     * @param isInShare whether the canary decided it
     * @param other where the other profile would have placed it; null if that was not evaluated
     */
    default void onCanary(PodInfo pod, Decision decision, boolean isInShare, @Nullable Ranking other) {}

    /** The decision for a pod took far more work than others do; its backoff is extended. */
    default void onSlowDecision(PodInfo pod, long workNanos) {}

    /**
     * A pod is bound.
     *
     * @param entry its history in the queue, with the first attempt and their number
     * @param nanos duration from the decision to the end of the bind
     */
    default void onBound(QueuedPod entry, String node, long nanos) {}

    /** A bind or its preparation failed; the pod is requeued, unless it is deleted or bound elsewhere. */
    default void onBindFailed(QueuedPod entry, String node, String message) {}

    /** An attempt failed, with the reason and message of the PodScheduled condition. */
    default void onFailure(QueuedPod entry, String reason, String message) {}

    /** A failed pod is back in the queue. */
    default void onRequeued(PodInfo pod, Part part) {}

    /**
     * A pod was added, changed, or deleted, whichever scheduler it names; called before its other callbacks.
     *
     * @param before null for a new one
     * @param now null if it was deleted or has finished
     */
    default void onPod(@Nullable PodInfo before, @Nullable PodInfo now) {}

    /**
     * A pod appears on a node, bound by any scheduler. It is not in the cache yet, unless this scheduler has assumed it.
     *
     * @param waited whether it was observed without a node before
     */
    default void onAssigned(PodInfo pod, boolean waited) {}

    /** A pending pod of another scheduler was observed for the first time; it is ignored. */
    default void onLeft(PodInfo pod) {}

    /**
     * A pending pod of this scheduler was deleted or has finished. {@link #onAssigned} reports one that another scheduler binds.
     */
    default void onPodGone(PodInfo pod) {}

    /**
     * A pod entered a part of the queue.
     *
     * @param event label of the cause
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
     * A kubelet has rejected or evicted a pod of this scheduler.
     *
     * @param reason of the kubelet, such as {@code OutOfcpu}
     */
    default void onRefused(PodInfo pod, String reason) {}

    /**
     * An algorithm of this program returned a score out of range, which is clamped. Called for each such node of every attempt.
     *
     * @param algorithm name of the plugin or priority
     */
    default void onScoreOutOfRange(String algorithm, PodInfo pod, String node, long score) {}

    /** A prioritize call to an extender failed; its scores do not count. */
    default void onExtenderNotScored(String extender) {}

    /** A bind request to an ignorable extender failed, and the next binder binds the pod. Called on any thread. */
    default void onExtenderBindSkipped(String extender) {}

    /** Another process has bound a pending pod of this scheduler. */
    default void onBoundByAnother(PodInfo pod) {}

    /** The profiles were replaced. */
    default void onProfiles(Profiles profiles) {}

    /** A pod is nominated to a node; its victims are about to be deleted. */
    default void onNominated(PodInfo preemptor, String node, List<PodInfo> victims) {}

    /**
     * Preemption for a pod has finished.
     *
     * @param victims the number of deleted victims, 0 if they were already deleted
     */
    default void onPreempted(PodInfo preemptor, int victims) {}

    /** An assumed pod was not confirmed in time; the scheduler reads it from the API server. */
    default void onExpired(PodInfo pod) {}

    /**
     * A pod has a field that no supported release has; it is ignored. Called once for each field and watch, on the watching thread.
     *
     * @param path such as {@code spec.containers[].mood}
     */
    default void onUnknownPodField(String path) {}

    /** All initial lists have arrived; scheduling starts if it is enabled. */
    default void onSynced() {}

    /** A listener that passes each call on to two listeners, in order. */
    final class Tee implements SchedulerListener {
        private final SchedulerListener first;
        private final SchedulerListener second;

        /** Both must be fast; after an exception of the first, the second is not called. */
        public Tee(SchedulerListener first, SchedulerListener second) {
            this.first = first;
            this.second = second;
        }

        @Override
        public boolean needsDetails() {
            return first.needsDetails() || second.needsDetails();
        }

        @Override
        public void onAttempt(QueuedPod entry) {
            first.onAttempt(entry);
            second.onAttempt(entry);
        }

        @Override
        public void onAttempted(PodInfo pod, AttemptDetails details) {
            first.onAttempted(pod, details);
            second.onAttempted(pod, details);
        }

        @Override
        public void onDecisionVerified(PodInfo pod) {
            first.onDecisionVerified(pod);
            second.onDecisionVerified(pod);
        }

        @Override
        public void onResultCacheFailed(PodInfo pod, Throwable e) {
            first.onResultCacheFailed(pod, e);
            second.onResultCacheFailed(pod, e);
        }

        @Override
        public void onBatched(BatchResult result) {
            first.onBatched(result);
            second.onBatched(result);
        }

        @Override
        public void onBatchFlushed(BatchFlush reason) {
            first.onBatchFlushed(reason);
            second.onBatchFlushed(reason);
        }

        @Override
        public void onDecisionDiffers(DecisionDifference difference) {
            first.onDecisionDiffers(difference);
            second.onDecisionDiffers(difference);
        }

        @Override
        public void onPhase(Phase phase) {
            first.onPhase(phase);
            second.onPhase(phase);
        }

        @Override
        public void onWork(long nanos) {
            first.onWork(nanos);
            second.onWork(nanos);
        }

        @Override
        public void onDecision(PodInfo pod, Decision decision, long nanos) {
            first.onDecision(pod, decision, nanos);
            second.onDecision(pod, decision, nanos);
        }

        @Override
        public void onCanary(PodInfo pod, Decision decision, boolean isInShare, @Nullable Ranking other) {
            first.onCanary(pod, decision, isInShare, other);
            second.onCanary(pod, decision, isInShare, other);
        }

        @Override
        public void onBound(QueuedPod entry, String node, long nanos) {
            first.onBound(entry, node, nanos);
            second.onBound(entry, node, nanos);
        }

        @Override
        public void onBindFailed(QueuedPod entry, String node, String message) {
            first.onBindFailed(entry, node, message);
            second.onBindFailed(entry, node, message);
        }

        @Override
        public void onFailure(QueuedPod entry, String reason, String message) {
            first.onFailure(entry, reason, message);
            second.onFailure(entry, reason, message);
        }

        @Override
        public void onRequeued(PodInfo pod, Part part) {
            first.onRequeued(pod, part);
            second.onRequeued(pod, part);
        }

        @Override
        public void onAssigned(PodInfo pod, boolean waited) {
            first.onAssigned(pod, waited);
            second.onAssigned(pod, waited);
        }

        @Override
        public void onLeft(PodInfo pod) {
            first.onLeft(pod);
            second.onLeft(pod);
        }

        @Override
        public void onPod(@Nullable PodInfo before, @Nullable PodInfo now) {
            first.onPod(before, now);
            second.onPod(before, now);
        }

        @Override
        public void onPodGone(PodInfo pod) {
            first.onPodGone(pod);
            second.onPodGone(pod);
        }

        @Override
        public void onIncoming(Part part, String event) {
            first.onIncoming(part, event);
            second.onIncoming(part, event);
        }

        @Override
        public void onNominated(PodInfo preemptor, String node, List<PodInfo> victims) {
            first.onNominated(preemptor, node, victims);
            second.onNominated(preemptor, node, victims);
        }

        @Override
        public void onPreempted(PodInfo preemptor, int victims) {
            first.onPreempted(preemptor, victims);
            second.onPreempted(preemptor, victims);
        }

        @Override
        public void onPermitWait(PodInfo pod, String result, long nanos) {
            first.onPermitWait(pod, result, nanos);
            second.onPermitWait(pod, result, nanos);
        }

        @Override
        public void onProfiles(Profiles profiles) {
            first.onProfiles(profiles);
            second.onProfiles(profiles);
        }

        @Override
        public void onRefused(PodInfo pod, String reason) {
            first.onRefused(pod, reason);
            second.onRefused(pod, reason);
        }

        @Override
        public void onScoreOutOfRange(String algorithm, PodInfo pod, String node, long score) {
            first.onScoreOutOfRange(algorithm, pod, node, score);
            second.onScoreOutOfRange(algorithm, pod, node, score);
        }

        @Override
        public void onExtenderBindSkipped(String extender) {
            first.onExtenderBindSkipped(extender);
            second.onExtenderBindSkipped(extender);
        }

        @Override
        public void onBoundByAnother(PodInfo pod) {
            first.onBoundByAnother(pod);
            second.onBoundByAnother(pod);
        }

        @Override
        public void onExtenderNotScored(String extender) {
            first.onExtenderNotScored(extender);
            second.onExtenderNotScored(extender);
        }

        @Override
        public void onSlowDecision(PodInfo pod, long workNanos) {
            first.onSlowDecision(pod, workNanos);
            second.onSlowDecision(pod, workNanos);
        }

        @Override
        public void onExpired(PodInfo pod) {
            first.onExpired(pod);
            second.onExpired(pod);
        }

        @Override
        public void onUnknownPodField(String path) {
            first.onUnknownPodField(path);
            second.onUnknownPodField(path);
        }

        @Override
        public void onSynced() {
            first.onSynced();
            second.onSynced();
        }
    }
}
