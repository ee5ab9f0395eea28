package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.Cost.Sizes;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.MathFunction;
import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextFunction;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.QuantityText;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.PlacedAmount;
import io.policyscheduler.engine.rules.data.ValueOperations;
import io.policyscheduler.engine.rules.data.ValueOperations.Arithmetics;
import io.policyscheduler.engine.rules.data.ValueOperations.Maybes;
import io.policyscheduler.engine.rules.executor.Code.Frame;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Code for operators and functions. */
final class OperatorCode {
    private OperatorCode() {}

    static Code of(Term term, CodeBuilder builder) {
        if (term instanceof Term.Logic logic) {
            Code left = builder.build(logic.left());
            Code right = builder.build(logic.right());
            if (Sizes.mayFail(logic.left())) {
                boolean decisive = !logic.and();
                return Code.ofBool(frame -> either(left, right, decisive, frame));
            }
            return logic.and()
                    ? Code.ofBool(frame -> left.bool(frame) && right.bool(frame))
                    : Code.ofBool(frame -> left.bool(frame) || right.bool(frame));
        }
        if (term instanceof Term.Not not) {
            Code operand = builder.build(not.operand());
            return Code.ofBool(frame -> !operand.bool(frame));
        }
        if (term instanceof Term.Arithmetic arithmetic) {
            return arithmetic(arithmetic, builder);
        }
        if (term instanceof Term.Comparison comparison) {
            return comparison(comparison, builder);
        }
        if (term instanceof Term.Equality equality) {
            boolean maybe = equality.right().type() == RuleType.MAYBE;
            RuleType type = maybe ? RuleType.MAYBE : equality.left().type();
            Code equal = equal(type, builder.build(equality.left()), builder.build(equality.right()));
            return equality.equal() ? equal : Code.ofBool(frame -> !equal.bool(frame));
        }
        if (term instanceof Term.In in) {
            return in(in, builder);
        }
        return function(term, builder);
    }

    /**
     * A decisive operand determines the result even if the other one fails, so that failures have no effect beyond the affected
     * nodes.
     */
    private static boolean either(Code left, Code right, boolean decisive, Frame frame) {
        boolean first;
        try {
            first = left.bool(frame);
        } catch (RuleFailure e) {
            if (decides(right, decisive, frame)) {
                return decisive;
            }
            throw e;
        }
        return first == decisive ? decisive : right.bool(frame);
    }

    private static boolean decides(Code side, boolean decisive, Frame frame) {
        try {
            return side.bool(frame) == decisive;
        } catch (RuleFailure e) {
            // The failure of the left side is reported.
            return false;
        }
    }

    private static Code function(Term term, CodeBuilder builder) {
        if (term instanceof Term.StringCheck check) {
            Code left = builder.build(check.left());
            Code right = builder.build(check.right());
            return switch (check.test()) {
                case CONTAINS ->
                    Code.ofBool(
                            frame -> ValueOperations.contains(left.string(frame), right.string(frame), frame.meter));
                case STARTS_WITH ->
                    Code.ofBool(
                            frame -> ValueOperations.startsWith(left.string(frame), right.string(frame), frame.meter));
                case ENDS_WITH ->
                    Code.ofBool(
                            frame -> ValueOperations.endsWith(left.string(frame), right.string(frame), frame.meter));
            };
        }
        if (term instanceof Term.Matches matches) {
            Code value = builder.build(matches.value());
            LinearPattern pattern = matches.pattern();
            return Code.ofBool(frame -> pattern.matches(value.string(frame), frame.meter));
        }
        if (term instanceof Term.ToNumber toNumber) {
            Code text = builder.build(toNumber.text());
            Code otherwise = builder.build(toNumber.otherwise());
            return Code.ofNumber(frame -> {
                double value = QuantityText.parse(text.string(frame));
                return Double.isNaN(value) ? otherwise.number(frame) : value;
            });
        }
        if (term instanceof Term.Calculation calculation) {
            return calculation(calculation, builder);
        }
        if (term instanceof Term.Contains contains) {
            return ContainsCode.of(contains, builder);
        }
        Code list = builder.build(((Term.Size) term).list());
        return Code.ofNumber(frame -> list.list(frame).size());
    }

    private static Code calculation(Term.Calculation term, CodeBuilder builder) {
        MathFunction function = term.function();
        Code first = builder.build(term.arguments().get(0));
        if (function.arguments() == 1) {
            return Code.ofNumber(frame -> function.apply(first.number(frame), 0));
        }
        Code second = builder.build(term.arguments().get(1));
        return Code.ofNumber(frame -> function.apply(first.number(frame), second.number(frame)));
    }

    private static Code arithmetic(Term.Arithmetic term, CodeBuilder builder) {
        Code left = builder.build(term.left());
        Code right = builder.build(term.right());
        return switch (term.operator()) {
            case '+' -> Code.ofNumber(frame -> Arithmetics.finite(left.number(frame) + right.number(frame)));
            case '-' -> Code.ofNumber(frame -> Arithmetics.finite(left.number(frame) - right.number(frame)));
            case '*' -> Code.ofNumber(frame -> Arithmetics.finite(left.number(frame) * right.number(frame)));
            case '/' ->
                Code.ofNumber(
                        frame -> Arithmetics.finite(left.number(frame) / Arithmetics.divisor(right.number(frame))));
            case '%' ->
                Code.ofNumber(
                        frame -> Arithmetics.finite(left.number(frame) % Arithmetics.divisor(right.number(frame))));
            default -> throw new IllegalStateException("operator " + term.operator());
        };
    }

    private static Code comparison(Term.Comparison term, CodeBuilder builder) {
        Code left = builder.build(term.left());
        if (term.right() instanceof Constant constant) {
            double value = (Double) constant.value();
            return switch (term.operator()) {
                case "<" -> Code.ofBool(frame -> left.number(frame) < value);
                case "<=" -> Code.ofBool(frame -> left.number(frame) <= value);
                case ">" -> Code.ofBool(frame -> left.number(frame) > value);
                default -> Code.ofBool(frame -> left.number(frame) >= value);
            };
        }
        Code right = builder.build(term.right());
        return switch (term.operator()) {
            case "<" -> Code.ofBool(frame -> left.number(frame) < right.number(frame));
            case "<=" -> Code.ofBool(frame -> left.number(frame) <= right.number(frame));
            case ">" -> Code.ofBool(frame -> left.number(frame) > right.number(frame));
            default -> Code.ofBool(frame -> left.number(frame) >= right.number(frame));
        };
    }

    private static Code equal(RuleType type, Code left, Code right) {
        return switch (type) {
            case BOOL -> Code.ofBool(frame -> left.bool(frame) == right.bool(frame));
            case NUMBER -> Code.ofBool(frame -> left.number(frame) == right.number(frame));
            case MAYBE ->
                Code.ofBool(frame -> ValueOperations.same(left.maybe(frame), right.maybe(frame), frame.meter));
            default ->
                Code.ofBool(frame -> ValueOperations.equal(left.string(frame), right.string(frame), frame.meter));
        };
    }

    private static Code in(Term.In term, CodeBuilder builder) {
        Code value = builder.build(term.value());
        RuleType type = term.value().type();
        if (type.isText() && term.items().stream().allMatch(Constant.class::isInstance)) {
            Set<String> items = new HashSet<>();
            int longest = 0;
            for (Term item : term.items()) {
                String text = String.valueOf(((Constant) item).value());
                items.add(text);
                longest = Math.max(longest, text.length());
            }
            int length = longest;
            return Code.ofBool(frame -> {
                @Nullable String text = value.maybe(frame);
                // Hashing a longer one is not necessary.
                return text != null && text.length() <= length && items.contains(text);
            });
        }
        List<Code> items = term.items().stream().map(builder::build).toList();
        return switch (type) {
            case BOOL ->
                Code.ofBool(frame -> {
                    boolean item = value.bool(frame);
                    for (int i = 0; i < items.size(); i++) {
                        if (items.get(i).bool(frame) == item) {
                            return true;
                        }
                    }
                    return false;
                });
            case NUMBER ->
                Code.ofBool(frame -> {
                    double item = value.number(frame);
                    for (int i = 0; i < items.size(); i++) {
                        if (items.get(i).number(frame) == item) {
                            return true;
                        }
                    }
                    return false;
                });
            default ->
                Code.ofBool(frame -> {
                    @Nullable String item = value.maybe(frame);
                    for (int i = 0; i < items.size() && item != null; i++) {
                        if (ValueOperations.equal(item, items.get(i).string(frame), frame.meter)) {
                            return true;
                        }
                    }
                    return false;
                });
        };
    }

    /** Code that searches a list that is computed at run time. */
    static final class ContainsCode {
        private ContainsCode() {}

        static Code of(Term.Contains term, CodeBuilder builder) {
            Code list = builder.build(term.list());
            Code value = builder.build(term.value());
            return term.value().type() == RuleType.NUMBER
                    ? Code.ofBool(frame -> list.list(frame).contains(value.number(frame)))
                    : Code.ofBool(frame -> texts(list.list(frame), value.string(frame), frame));
        }

        private static boolean texts(List<?> texts, String item, Frame frame) {
            for (int i = 0; i < texts.size(); i++) {
                if (ValueOperations.same((String) texts.get(i), item, frame.meter)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Code for terms about one text. */
    static final class TextCode {
        private TextCode() {}

        static Code of(TextTerm term, CodeBuilder builder) {
            Code text = builder.build(term.text());
            if (term instanceof TextTerm.Present) {
                return Code.ofBool(frame -> text.maybe(frame) != null);
            }
            if (term instanceof TextTerm.Blank) {
                return Code.ofBool(frame -> ValueOperations.blank(text.maybe(frame), frame.meter));
            }
            if (term instanceof TextTerm.Converted converted) {
                TextFunction function = converted.function();
                return Code.ofString(frame -> function.apply(text.string(frame), frame.meter));
            }
            if (term instanceof TextTerm.Length) {
                return Code.ofNumber(frame -> text.string(frame).length());
            }
            if (term instanceof TextTerm.OrElse orElse) {
                Code otherwise = builder.build(orElse.otherwise());
                return Code.ofString(frame -> {
                    @Nullable String first = text.maybe(frame);
                    return first == null || ValueOperations.blank(first, frame.meter) ? otherwise.string(frame) : first;
                });
            }
            // A TextTerm.Known: the checker has verified it; if a failure suppressed the null check, it is ''.
            return Code.ofString(frame -> {
                @Nullable String known = text.maybe(frame);
                return known == null ? "" : known;
            });
        }
    }

    /** Code for optional values. */
    static final class MaybeCode {
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

    /** Code for table lookups. */
    static final class TableCode {
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
}
