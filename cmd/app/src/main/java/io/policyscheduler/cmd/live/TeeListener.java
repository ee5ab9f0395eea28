package io.policyscheduler.cmd.live;

import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.AttemptListener;
import io.policyscheduler.framework.cycle.AttemptListener.DecisionDifference;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A listener that passes each call on to two listeners, in order. */
public final class TeeListener implements SchedulerListener {
    private final SchedulerListener first;
    private final SchedulerListener second;

    /** Both must be fast; after an exception of the first, the second is not called. */
    public TeeListener(SchedulerListener first, SchedulerListener second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public boolean wantsAttempts() {
        return first.wantsAttempts() || second.wantsAttempts();
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
    public void onResultCacheFailed(PodInfo pod) {
        first.onResultCacheFailed(pod);
        second.onResultCacheFailed(pod);
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

    /** The adapter that passes the callbacks of scheduling cycles on to the listener of a scheduler. */
    public static final class Attempts implements AttemptListener {
        private final SchedulerListener listener;

        public Attempts(SchedulerListener listener) {
            this.listener = listener;
        }

        @Override
        public boolean wantsDetails() {
            return listener.wantsAttempts();
        }

        @Override
        public void attempted(PodInfo pod, AttemptDetails details) {
            listener.onAttempted(pod, details);
        }

        @Override
        public void verified(PodInfo pod) {
            listener.onDecisionVerified(pod);
        }

        @Override
        public void differs(DecisionDifference difference) {
            listener.onDecisionDiffers(difference);
        }

        @Override
        public void fellBack(PodInfo pod, Throwable e) {
            listener.onResultCacheFailed(pod);
        }

        @Override
        public void entered(Phase phase) {
            listener.onPhase(phase);
        }
    }
}
