package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;

/**
 * What nodes where preemption helps are compared by; the least is taken. Mirrors {@code pickOneNodeForPreemption} of
 * {@code pkg/scheduler/core/generic_scheduler.go}.
 *
 * @param isFree nobody has to go, and nothing else counts
 * @param violations of disruption budgets
 * @param highest priority among the victims
 * @param sum of the priorities, made positive
 * @param count of the victims
 * @param earliest start among the victims of the highest priority, milliseconds; the latest such start is best
 */
public record EvictionCost(boolean isFree, int violations, int highest, long sum, int count, long earliest)
        implements Comparable<EvictionCost> {
    private static final EvictionCost FREE = new EvictionCost(true, 0, 0, 0, 0, 0);
    private static final long PRIORITY_OFFSET = 1L << 31;

    /** The cost of these victims, the first of which counts as the most important one. */
    public static EvictionCost of(Victims victims) {
        if (victims.pods().isEmpty()) {
            return FREE;
        }
        long sum = 0;
        int top = Integer.MIN_VALUE;
        long earliest = Long.MAX_VALUE;
        for (PodInfo pod : victims.pods()) {
            sum += pod.priority() + PRIORITY_OFFSET;
            // A pod that has not started counts as starting now, later than all others.
            long start = pod.startTimeMillis() == PodInfo.NO_TIME ? Long.MAX_VALUE : pod.startTimeMillis();
            if (pod.priority() > top) {
                top = pod.priority();
                earliest = start;
            } else if (pod.priority() == top) {
                earliest = Math.min(earliest, start);
            }
        }
        return new EvictionCost(
                false,
                victims.budgetViolations(),
                victims.pods().get(0).priority(),
                sum,
                victims.pods().size(),
                earliest);
    }

    @Override
    public int compareTo(EvictionCost other) {
        if (isFree || other.isFree) {
            return Boolean.compare(other.isFree, isFree);
        }
        if (violations != other.violations) {
            return Integer.compare(violations, other.violations);
        }
        if (highest != other.highest) {
            return Integer.compare(highest, other.highest);
        }
        if (sum != other.sum) {
            return Long.compare(sum, other.sum);
        }
        if (count != other.count) {
            return Integer.compare(count, other.count);
        }
        return Long.compare(other.earliest, earliest);
    }
}
