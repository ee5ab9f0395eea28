package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.compiler.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;

/** Sentences that compare numbers. */
final class Comparisons {
    private Comparisons() {}

    static String of(Term.Comparison comparison, boolean yes) {
        String operator = comparison.operator();
        return of(comparison.left(), yes ? operator : opposite(operator), comparison.right());
    }

    private static String opposite(String operator) {
        return switch (operator) {
            case "<" -> ">=";
            case "<=" -> ">";
            case ">" -> "<=";
            default -> "<";
        };
    }

    private static String turned(String operator) {
        return switch (operator) {
            case "<" -> ">";
            case "<=" -> ">=";
            case ">" -> "<";
            case ">=" -> "<=";
            default -> operator;
        };
    }

    static String of(Term left, String operator, Term right) {
        boolean turn = (left instanceof Constant && !(right instanceof Constant)) || (!counts(left) && counts(right));
        if (turn) {
            return of(right, turned(operator), left);
        }
        if (counts(left)) {
            return counted(left, operator, right);
        }
        String word = switch (operator) {
            case "<" -> " is less than ";
            case "<=" -> " is at most ";
            case ">" -> " is more than ";
            case ">=" -> " is at least ";
            case "==" -> " is ";
            default -> " is not ";
        };
        return Nouns.of(left) + word + Nouns.amount(right, left);
    }

    private static boolean counts(Term term) {
        if (term instanceof Term.Fold fold) {
            return fold.operation() == ListOperation.COUNT;
        }
        return term instanceof Term.Access access
                && MemberWords.of(access.member()).form() == Phrase.Form.COUNT;
    }

    private static String counted(Term count, String operator, Term limit) {
        boolean none = isLimit(limit, operator, "==", 0)
                || isLimit(limit, operator, "<=", 0)
                || isLimit(limit, operator, "<", 1);
        boolean some = isLimit(limit, operator, "!=", 0)
                || isLimit(limit, operator, ">", 0)
                || isLimit(limit, operator, ">=", 1);
        String many = switch (operator) {
            case "<" -> "fewer than " + Nouns.of(limit);
            case "<=" -> "at most " + Nouns.of(limit);
            case ">" -> "more than " + Nouns.of(limit);
            case ">=" -> "at least " + Nouns.of(limit);
            case "==" -> "exactly " + Nouns.of(limit);
            default -> "any number except " + Nouns.of(limit);
        };
        if (count instanceof Term.Fold fold) {
            String amount = none ? "none" : some ? "at least one" : many;
            return "for " + amount + " of " + Nouns.of(fold.list()) + ": " + Clauses.inner(fold.body(), true);
        }
        Term.Access access = (Term.Access) count;
        String what = Nouns.filled(MemberWords.of(access.member()).yes(), access);
        if (none) {
            return Nouns.of(access.receiver()) + " has no " + what;
        }
        if (some) {
            return Nouns.of(access.receiver()) + " has " + what;
        }
        return limit instanceof Constant
                ? Nouns.of(access.receiver()) + " has " + many + " " + what
                : Nouns.of(access) + " is " + many.replace("fewer", "less");
    }

    private static boolean isLimit(Term limit, String operator, String wanted, double number) {
        return operator.equals(wanted)
                && limit instanceof Constant constant
                && constant.value().equals(number);
    }
}
