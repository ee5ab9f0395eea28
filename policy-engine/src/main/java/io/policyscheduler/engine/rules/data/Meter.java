package io.policyscheduler.engine.rules.data;

/**
 * The remaining budget of an evaluation. Work that depends on the sizes of objects (elements of lists, characters of long strings,
 * pods) is charged before it is done; other work is bounded by the size of the rule. Charges depend on the rule, the pod, the node
 * and the cluster only, not on caches, so that all executors agree. Mutable, used by one thread.
 */
public final class Meter {
    private final long budget;
    private long left;

    /** @param budget maximum cost of each evaluation, in units of about one member access */
    public Meter(long budget) {
        this.budget = budget;
        this.left = budget;
    }

    /** Starts an evaluation. */
    public void start() {
        left = budget;
    }

    /**
     * Charges work before it is done.
     *
     * @throws RuleFailure if the budget is exceeded
     */
    public void charge(long units) {
        left -= units;
        if (left < 0 && units > 0) {
            // A negative value could wrap around after many charges.
            left = -1;
            throw new RuleFailure(RuleFailure.Kind.BUDGET);
        }
    }

    /** Charges for a cached result; returns false without a charge if the work would exceed the budget. */
    public boolean affords(long units) {
        if (units > left && units > 0) {
            return false;
        }
        left -= units;
        return true;
    }

    /** True if a charge has failed, even if the evaluation continued. */
    public boolean isOverdrawn() {
        return left < 0;
    }

    /** The charges of the evaluation so far; one more than the budget if it was exceeded. */
    public long used() {
        return budget - left;
    }
}
