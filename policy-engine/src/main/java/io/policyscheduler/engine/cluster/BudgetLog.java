package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.DisruptionBudgetInfo;
import org.jspecify.annotations.Nullable;

/** Remembers the last changes of disruption budgets, for those who keep what rests on them. Owned by one thread. */
public final class BudgetLog {
    private static final int LOG = 1 << 10;

    /** A budget that came, changed or went. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * Hears of one change; not both are null.
         *
         * @param before null for a new budget
         * @param now null for one that is gone
         */
        void changed(@Nullable DisruptionBudgetInfo before, @Nullable DisruptionBudgetInfo now);
    }

    private record Change(
            @Nullable DisruptionBudgetInfo before, @Nullable DisruptionBudgetInfo now) {}

    private final @Nullable Change[] log = new @Nullable Change[LOG];
    private long revision;

    BudgetLog() {}

    void note(@Nullable DisruptionBudgetInfo before, @Nullable DisruptionBudgetInfo now) {
        boolean isSame = before == null ? now == null : before.equals(now);
        if (!isSame) {
            revision++;
            log[(int) revision & (LOG - 1)] = new Change(before, now);
        }
    }

    /** The number of changes so far. */
    public long revision() {
        return revision;
    }

    /**
     * Visits the changes that were made after {@link #revision()} was {@code since}, in their order.
     *
     * @return false when some of them are not remembered any more; nothing is visited then
     */
    public boolean changedSince(long since, Visitor visitor) {
        if (revision - since > LOG) {
            return false;
        }
        for (long at = since + 1; at <= revision; at++) {
            Change change = log[(int) at & (LOG - 1)];
            if (change != null) {
                visitor.changed(change.before(), change.now());
            }
        }
        return true;
    }
}
