package io.policyscheduler.engine.rules.data;

/**
 * The remaining budget of an evaluation. Work that depends on the sizes of what is looked at (elements of lists, characters of
 * long strings, pods that are walked over) is charged before it is done; what does not is bounded by the size of the rule.
 * Charges depend on the rule, the pod, the node and the cluster alone, never on what was worked out before, so that every
 * way to evaluate a rule ends the same. Mutable, used by one thread.
 */
public final class Meter {
    private final long budget;
    private long left;

    /** @param budget what each evaluation may cost, in units of about one member access */
    public Meter(long budget) {
        this.budget = budget;
        this.left = budget;
    }

    /** Starts an evaluation. */
    public void start() {
        left = budget;
    }

    /**
     * Takes the cost of work that is about to be done.
     *
     * @throws RuleFailure when the evaluation may not cost that much
     */
    public void charge(long units) {
        left -= units;
        if (left < 0 && units > 0) {
            // Below 0 it could wrap around, if one went on for long enough.
            left = -1;
            throw new RuleFailure(RuleFailure.Kind.BUDGET);
        }
    }

    /** Takes the cost of work whose result is known already; false, and nothing taken, when the work would fail. */
    public boolean affords(long units) {
        if (units > left && units > 0) {
            return false;
        }
        left -= units;
        return true;
    }

    /** True when a charge has failed, even if the evaluation went on without what it was for. */
    public boolean isOverdrawn() {
        return left < 0;
    }

    /** What the evaluation has been charged so far; one more than the budget when it was too much. */
    public long used() {
        return budget - left;
    }
}
