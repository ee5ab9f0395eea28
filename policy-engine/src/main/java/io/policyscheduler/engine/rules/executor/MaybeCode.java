package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.MaybeTerm;
import io.policyscheduler.engine.rules.data.Maybes;
import io.policyscheduler.engine.rules.data.RuleType;
import org.jspecify.annotations.Nullable;

/** Code for values that may be missing. */
final class MaybeCode {
    private MaybeCode() {}

    static Code of(MaybeTerm term, CodeBuilder builder) {
        Code value = builder.build(term.value());
        if (term instanceof MaybeTerm.Present) {
            return Code.ofBool(frame -> Maybes.given(value.number(frame)));
        }
        if (term instanceof MaybeTerm.OrElse orElse) {
            return orElse(orElse.type(), value, builder.build(orElse.otherwise()));
        }
        return term.type() == RuleType.BOOL
                ? Code.ofBool(frame -> Maybes.bool(value.number(frame)))
                : Code.ofNumber(frame -> Maybes.number(value.number(frame)));
    }

    private static Code orElse(RuleType type, Code value, Code otherwise) {
        return switch (type) {
            case BOOL ->
                Code.ofBool(frame -> {
                    double first = value.number(frame);
                    return Maybes.given(first) ? Maybes.bool(first) : otherwise.bool(frame);
                });
            case NUMBER ->
                Code.ofNumber(frame -> {
                    double first = value.number(frame);
                    return Maybes.given(first) ? first : otherwise.number(frame);
                });
            default ->
                Code.ofString(frame -> {
                    @Nullable String first = value.maybe(frame);
                    return first == null ? otherwise.string(frame) : first;
                });
        };
    }
}
