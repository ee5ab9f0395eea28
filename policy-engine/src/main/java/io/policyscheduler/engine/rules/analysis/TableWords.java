package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.data.TableSchema;
import io.policyscheduler.engine.rules.compiler.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term;

/** Tables and values that may be missing, in words. */
final class TableWords {
    private TableWords() {}

    /** What an entry is called: "table price's value for the name of the node". */
    static String noun(TableTerm term) {
        if (term instanceof TableTerm.Entry entry) {
            String what = entry.field().equals(TableSchema.VALUE) ? "value" : entry.field();
            return name(term) + "'s " + what + " for " + Nouns.of(entry.key());
        }
        if (term instanceof TableTerm.Row row) {
            return name(term) + "'s entry for " + Nouns.of(row.key());
        }
        if (term instanceof TableTerm.Has) {
            return "whether " + clause(term, true);
        }
        return term instanceof TableTerm.Count ? "the number of entries of " + name(term) : name(term);
    }

    /** The same for a value that may be missing. */
    static String noun(MaybeTerm term) {
        String value = Nouns.of(term.value());
        return term instanceof MaybeTerm.OrElse orElse
                ? value + " (" + Nouns.of(orElse.otherwise()) + " if it is missing)"
                : value;
    }

    /** A bool as a sentence. */
    static String clause(TableTerm term, boolean yes) {
        return term instanceof TableTerm.Has has
                ? name(term) + (yes ? " has an entry for " : " has no entry for ") + Nouns.of(has.key())
                : noun(term) + (yes ? " is true" : " is false");
    }

    /** The same for a value that may be missing. */
    static String clause(MaybeTerm term, boolean yes) {
        if (term instanceof MaybeTerm.Present) {
            return noun(term) + (yes ? " is present" : " is missing");
        }
        return noun(term) + (yes ? " is true" : " is false");
    }

    private static String name(Term term) {
        TableSchema table = TableTerm.tableOf((TableTerm) term);
        return table == null ? "the tables" : "table " + table.name();
    }
}
