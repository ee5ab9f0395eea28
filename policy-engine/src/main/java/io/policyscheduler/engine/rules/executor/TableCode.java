package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.data.PlacedAmount;
import io.policyscheduler.engine.rules.compiler.TableTerm;
import org.jspecify.annotations.Nullable;

/** Code that looks something up in a table. */
final class TableCode {
    private TableCode() {}

    static Code of(TableTerm term, CodeBuilder builder) {
        if (term instanceof TableTerm.Count count) {
            String table = count.table().name();
            return Code.ofNumber(frame -> frame.table(table).size());
        }
        if (term instanceof TableTerm.Has has) {
            String table = has.table().name();
            Code key = builder.build(has.key());
            return Code.ofBool(frame -> frame.table(table).has(key.maybe(frame)));
        }
        if (term instanceof TableTerm.Entry entry) {
            return entry(entry, builder);
        }
        throw new IllegalStateException("no value: " + term.type());
    }

    private static Code entry(TableTerm.Entry entry, CodeBuilder builder) {
        String table = entry.table().name();
        String field = entry.field();
        Code key = builder.build(entry.key());
        PlacedAmount placed = entry.placed();
        if (placed != null) {
            return Code.ofNumber(
                    frame -> frame.nodeView().measured(frame.table(table), key.maybe(frame), field, placed));
        }
        return switch (entry.type()) {
            case NUMBER, MAYBE_NUMBER, MAYBE_BOOL ->
                Code.ofNumber(frame -> frame.table(table).number(key.maybe(frame), field));
            case BOOL -> Code.ofBool(frame -> frame.table(table).number(key.maybe(frame), field) == 1);
            case MAYBE -> Code.ofMaybe(frame -> frame.table(table).text(key.maybe(frame), field));
            default -> Code.ofString(frame -> text(frame.table(table).text(key.maybe(frame), field)));
        };
    }

    /** A field with a default is never missing. */
    private static String text(@Nullable String text) {
        if (text == null) {
            throw new IllegalStateException("no default");
        }
        return text;
    }
}
