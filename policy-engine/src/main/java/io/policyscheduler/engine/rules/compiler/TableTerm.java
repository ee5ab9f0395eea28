package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.PlacedAmount;
import io.policyscheduler.engine.rules.data.TableSchema;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Terms about tables. */
public sealed interface TableTerm extends Term {
    @Override
    default List<Term> parts() {
        return List.of();
    }

    /** The word {@code tables}. Stands for something only together with a name, so that it is never evaluated. */
    record All() implements TableTerm {
        @Override
        public RuleType type() {
            return RuleType.TABLES;
        }
    }

    /** {@code tables.name}, which is never evaluated by itself. */
    record Named(TableSchema table) implements TableTerm {
        @Override
        public RuleType type() {
            return RuleType.TABLE;
        }
    }

    /** {@code tables.name[key]} of a table of records, which is never evaluated by itself. */
    record Row(TableSchema table, Term key) implements TableTerm {
        @Override
        public RuleType type() {
            return RuleType.RECORD;
        }

        @Override
        public List<Term> parts() {
            return List.of(key);
        }
    }

    /**
     * {@code tables.name[key]}, or {@code tables.name[key].field}.
     *
     * @param field {@link TableSchema#VALUE} in a table of plain values
     * @param key a STRING or MAYBE; what is missing is no key
     */
    record Entry(TableSchema table, String field, Term key) implements TableTerm {
        @Override
        public RuleType type() {
            return table.type(field);
        }

        /** What pods that were placed on the node since add to the number; null for nothing. */
        public @Nullable PlacedAmount placed() {
            return table.plusPlaced().get(field);
        }

        @Override
        public List<Term> parts() {
            return List.of(key);
        }
    }

    /** {@code tables.name.containsKey(key)}, and of a table of records {@code tables.name[key] != null}. */
    record Has(TableSchema table, Term key) implements TableTerm {
        @Override
        public RuleType type() {
            return RuleType.BOOL;
        }

        @Override
        public List<Term> parts() {
            return List.of(key);
        }
    }

    /** {@code tables.name.size()}. */
    record Count(TableSchema table) implements TableTerm {
        @Override
        public RuleType type() {
            return RuleType.NUMBER;
        }
    }

    /** The table that it is about; null for {@link All}. */
    static @Nullable TableSchema tableOf(TableTerm term) {
        if (term instanceof Named named) {
            return named.table();
        }
        if (term instanceof Row row) {
            return row.table();
        }
        if (term instanceof Entry entry) {
            return entry.table();
        }
        if (term instanceof Has has) {
            return has.table();
        }
        return term instanceof Count count ? count.table() : null;
    }
}
