package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.MathFunction;
import io.policyscheduler.engine.rules.compiler.Sizes;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.data.Arithmetics;
import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.QuantityText;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.Texts;
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

    /** What decides does so even when the other side fails, so that a failure only reaches those whom it concerns. */
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
            // The failure of the left side is the one that is told.
            return false;
        }
    }

    private static Code function(Term term, CodeBuilder builder) {
        if (term instanceof Term.StringCheck check) {
            Code left = builder.build(check.left());
            Code right = builder.build(check.right());
            return switch (check.test()) {
                case CONTAINS ->
                    Code.ofBool(frame -> Texts.contains(left.string(frame), right.string(frame), frame.meter));
                case STARTS_WITH ->
                    Code.ofBool(frame -> Texts.startsWith(left.string(frame), right.string(frame), frame.meter));
                case ENDS_WITH ->
                    Code.ofBool(frame -> Texts.endsWith(left.string(frame), right.string(frame), frame.meter));
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
            case MAYBE -> Code.ofBool(frame -> Texts.same(left.maybe(frame), right.maybe(frame), frame.meter));
            default -> Code.ofBool(frame -> Texts.equal(left.string(frame), right.string(frame), frame.meter));
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
                // A longer one would be hashed in vain.
                return text != null && text.length() <= length && items.contains(text);
            });
        }
        List<Code> items = term.items().stream().map(builder::build).toList();
        return switch (type) {
            case BOOL ->
                Code.ofBool(frame -> {
                    boolean wanted = value.bool(frame);
                    for (int i = 0; i < items.size(); i++) {
                        if (items.get(i).bool(frame) == wanted) {
                            return true;
                        }
                    }
                    return false;
                });
            case NUMBER ->
                Code.ofBool(frame -> {
                    double wanted = value.number(frame);
                    for (int i = 0; i < items.size(); i++) {
                        if (items.get(i).number(frame) == wanted) {
                            return true;
                        }
                    }
                    return false;
                });
            default ->
                Code.ofBool(frame -> {
                    @Nullable String wanted = value.maybe(frame);
                    for (int i = 0; i < items.size() && wanted != null; i++) {
                        if (Texts.equal(wanted, items.get(i).string(frame), frame.meter)) {
                            return true;
                        }
                    }
                    return false;
                });
        };
    }
}
