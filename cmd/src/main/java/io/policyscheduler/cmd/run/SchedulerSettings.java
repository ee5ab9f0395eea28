package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.kube.LeaseSettings;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.scheduler.SchedulerListener;
import io.policyscheduler.framework.scheduler.cycle.TieBreak;
import org.jspecify.annotations.Nullable;

/**
 * What a running scheduler is told.
 *
 * @param schedulerName pods with this {@code spec.schedulerName} are ours
 * @param policy what decides
 * @param tieBreak chooses among equally good nodes
 * @param percentageOfNodesToScore 0 adapts as v1.17 does
 * @param disablePreemption never evict
 * @param listener hears what happens
 * @param election how to become the leader; null to schedule without asking anybody
 */
public record SchedulerSettings(
        String schedulerName,
        EffectivePolicy policy,
        TieBreak tieBreak,
        int percentageOfNodesToScore,
        boolean disablePreemption,
        SchedulerListener listener,
        @Nullable LeaseSettings election) {
    /** Without leader election. */
    public SchedulerSettings(
            String schedulerName,
            EffectivePolicy policy,
            TieBreak tieBreak,
            int percentageOfNodesToScore,
            boolean disablePreemption,
            SchedulerListener listener) {
        this(schedulerName, policy, tieBreak, percentageOfNodesToScore, disablePreemption, listener, null);
    }

    /** A copy with leader election. */
    public SchedulerSettings withElection(@Nullable LeaseSettings value) {
        return new SchedulerSettings(
                schedulerName, policy, tieBreak, percentageOfNodesToScore, disablePreemption, listener, value);
    }
}
