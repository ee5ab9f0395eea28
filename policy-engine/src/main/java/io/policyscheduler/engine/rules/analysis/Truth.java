package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.compiler.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.data.RuleType;
import org.jspecify.annotations.Nullable;

/** Conditions that have the same answer, whenever they have one, whatever the rule looks at. */
final class Truth {
    private Truth() {}

    /** The only answer that a term of type BOOL can have; null when it has both, or when that is not known. */
    static @Nullable Boolean of(Term term) {
        if (term instanceof Term.Constant constant) {
            return (Boolean) constant.value();
        }
        if (term instanceof Term.Not not) {
            Boolean answer = of(not.operand());
            return answer == null ? null : (Boolean) !answer;
        }
        if (term instanceof Term.Logic logic) {
            return of(logic);
        }
        if (term instanceof Term.Comparison comparison) {
            return of(comparison);
        }
        if (term instanceof Term.Equality equality) {
            Boolean equal = equal(equality.left(), equality.right());
            return equal == null ? null : (Boolean) (equal == equality.equal());
        }
        if (term instanceof Term.Choice choice) {
            Boolean condition = of(choice.condition());
            if (condition != null) {
                return of(condition ? choice.yes() : choice.no());
            }
            Boolean yes = of(choice.yes());
            return yes != null && yes.equals(of(choice.no())) ? yes : null;
        }
        if (term instanceof Term.Let let) {
            return of(let.body());
        }
        if (term instanceof Term.Fold fold) {
            return of(fold);
        }
        return null;
    }

    private static @Nullable Boolean of(Term.Logic logic) {
        Boolean left = of(logic.left());
        Boolean right = of(logic.right());
        // One side decides alone, whatever the other one is.
        boolean decisive = !logic.and();
        if ((left != null && left == decisive) || (right != null && right == decisive)) {
            return decisive;
        }
        if (left != null && right != null) {
            return !decisive;
        }
        return Contradiction.is(logic, logic.and()) ? (Boolean) decisive : null;
    }

    private static @Nullable Boolean of(Term.Comparison comparison) {
        if (comparison.left().equals(comparison.right())) {
            return comparison.operator().endsWith("=");
        }
        Interval left = Ranges.of(comparison.left());
        Interval right = Ranges.of(comparison.right());
        return switch (comparison.operator()) {
            case "<" -> less(left, right);
            case ">" -> less(right, left);
            case "<=" -> not(less(right, left));
            default -> not(less(left, right));
        };
    }

    private static @Nullable Boolean not(@Nullable Boolean answer) {
        return answer == null ? null : (Boolean) !answer;
    }

    private static @Nullable Boolean less(Interval left, Interval right) {
        if (left.high() < right.low()) {
            return true;
        }
        return left.low() >= right.high() ? (Boolean) false : null;
    }

    private static @Nullable Boolean equal(Term left, Term right) {
        if (left.equals(right)) {
            return true;
        }
        if (left.type() != RuleType.NUMBER) {
            return null;
        }
        Interval first = Ranges.of(left);
        Interval second = Ranges.of(right);
        boolean apart = first.high() < second.low() || second.high() < first.low();
        return apart ? (Boolean) false : null;
    }

    private static @Nullable Boolean of(Term.Fold fold) {
        Boolean body = fold.operation().asksBool() ? of(fold.body()) : null;
        if (fold.operation() == ListOperation.ANY && Boolean.FALSE.equals(body)) {
            return false;
        }
        return fold.operation() == ListOperation.ALL && Boolean.TRUE.equals(body) ? (Boolean) true : null;
    }
}
