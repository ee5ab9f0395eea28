package io.policyscheduler.engine.policy.table;

import com.google.common.collect.ImmutableSortedSet;
import io.policyscheduler.engine.rules.table.TableDefinition;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** Where the texts of tables come from when a policy is read. */
@FunctionalInterface
public interface TableInput {
    /** For where there are none but those that policies have themselves. */
    TableInput NONE = definition -> null;

    /**
     * A text.
     *
     * @param name of the file or key; its end tells the form
     * @param where it was found, for messages
     * @param ages when its values were true; null for values that have no age
     */
    record Text(
            String text,
            String name,
            String where,
            @Nullable TableAges ages) {
        /** A text whose values have no age. */
        public Text(String text, String name, String where) {
            this(text, name, where, null);
        }
    }

    /**
     * The text of a table.
     *
     * @return null when the table's own values count, which only one that is written in the policy has, or when it is measured
     * @throws TableException when it cannot be had
     */
    @Nullable
    Text text(TableDefinition definition) throws TableException;

    /** The tables that a user has given values of, whatever the policy says. */
    default SortedSet<String> given() {
        return ImmutableSortedSet.of();
    }

    /** True when a table whose values are measured may start without any: they come later, or do not matter. */
    default boolean isMeasured(TableDefinition definition) {
        return false;
    }
}
