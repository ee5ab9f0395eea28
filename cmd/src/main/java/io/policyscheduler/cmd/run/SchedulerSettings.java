package io.policyscheduler.cmd.run;

import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.scheduler.SchedulerListener;
import io.policyscheduler.framework.scheduler.cycle.TieBreak;

/**
 * What a running scheduler is told.
 *
 * @param schedulerName pods with this {@code spec.schedulerName} are ours
 * @param policy what decides
 * @param tieBreak chooses among equally good nodes
 * @param percentageOfNodesToScore 0 adapts as v1.17 does
 * @param disablePreemption never evict
 * @param listener hears what happens
 */
public record SchedulerSettings(
        String schedulerName,
        EffectivePolicy policy,
        TieBreak tieBreak,
        int percentageOfNodesToScore,
        boolean disablePreemption,
        SchedulerListener listener) {}
