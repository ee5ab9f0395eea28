package io.policyscheduler.cmd.live;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.attempt.AttemptDetails;
import io.policyscheduler.framework.cycle.attempt.AttemptListener;
import io.policyscheduler.framework.cycle.attempt.AttemptPhase;
import io.policyscheduler.framework.cycle.attempt.DecisionDifference;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;

/** Tells the listener of a scheduler what the cycles of its profiles tell. */
public final class HeardAttempts implements AttemptListener {
    private final SchedulerListener listener;

    public HeardAttempts(SchedulerListener listener) {
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
    public void entered(AttemptPhase phase) {
        listener.onPhase(phase);
    }
}
