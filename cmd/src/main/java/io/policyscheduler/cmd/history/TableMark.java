package io.policyscheduler.cmd.history;

import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A table of the policy as it was when a pod was decided, without its values.
 *
 * @param generation counts the values that have been in force; 0 while there are none
 * @param measured when the newest value was true; null for values that have no age
 * @param stale values that were left out because they were too old
 * @param problem why newer values were not in force; null when there were none
 */
public record TableMark(
        String name,
        long generation,
        @Nullable Instant measured,
        int stale,
        @Nullable String problem) {
    /** What is to be remembered of a table. */
    public static TableMark of(TableState state) {
        return new TableMark(
                state.schema().name(), state.generation(), state.sourceTime(), state.stale(), state.problem());
    }
}
