package io.policyscheduler.framework.cycle.attempt;

import java.util.random.RandomGenerator;

/** Which decisions are verified: a share of them, by chance. Used by the thread that decides. */
public final class DecisionSample {
    private final double share;
    private final RandomGenerator random;

    /**
     * @param share of the decisions, 0 to 1
     * @param random decides which; not asked when none or all are
     */
    public DecisionSample(double share, RandomGenerator random) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("a share of " + share);
        }
        this.share = share;
        this.random = random;
    }

    /** No decision. */
    public static DecisionSample none() {
        return new DecisionSample(0, () -> 0);
    }

    /** Every decision. */
    public static DecisionSample all() {
        return new DecisionSample(1, () -> 0);
    }

    /** Whether the next decision is to be verified. */
    public boolean takesNext() {
        return share > 0 && (share == 1 || random.nextDouble() < share);
    }
}
