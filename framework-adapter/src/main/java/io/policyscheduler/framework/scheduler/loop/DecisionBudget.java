package io.policyscheduler.framework.scheduler.loop;

import java.time.Duration;
import java.util.Arrays;

/**
 * Tells the pods that take far more work than others from those that take long because everything does. A decision is beyond the
 * budget when its work is above the limit and above {@link #EXCESS} times what a decision usually takes. What is usual is learned
 * from the last {@link #REMEMBERED} decisions, whoever they were about:
 *
 * <ul>
 *   <li>In a big or busy cluster all decisions take long; soon that is usual, and nobody is over the budget.
 *   <li>It is their lower quartile, so that a tenant who creates costly pods does not make them usual as long as at least a
 *       quarter of the decisions are about pods of others.
 *   <li>Before {@link #LEARNED} decisions nothing is: code is cold, and counts are made for the first time.
 * </ul>
 *
 * <p>Work is CPU time of the scheduling thread or whatever else the meter counts; time spent waiting for an extender or for the
 * processor is nobody's fault. Owned by the scheduling thread.
 */
final class DecisionBudget {
    static final int EXCESS = 4;
    static final int REMEMBERED = 128;
    static final int LEARNED = 16;
    /** Sorting so few numbers is cheap, but still dearer than the quickest decisions. */
    private static final int RELEARN_EVERY = 8;

    private final long limit;
    private final long[] last = new long[REMEMBERED];
    private long decisions;
    private long usual;

    /** @param limit below it no decision is too long; zero or less to judge none */
    DecisionBudget(Duration limit) {
        this.limit = limit.toNanos();
    }

    /** Notes the work of a decision, nanoseconds; true when it was beyond the budget. */
    boolean isExceededBy(long work) {
        boolean exceeded = limit > 0 && decisions >= LEARNED && work > limit && work / EXCESS >= usual;
        last[(int) (decisions++ % REMEMBERED)] = work;
        if (decisions % RELEARN_EVERY == 0) {
            long[] sorted = Arrays.copyOf(last, (int) Math.min(decisions, REMEMBERED));
            Arrays.sort(sorted);
            usual = sorted[sorted.length / 4];
        }
        return exceeded;
    }

    /** What a decision usually takes, nanoseconds; 0 at first. */
    long usual() {
        return usual;
    }
}
