package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.Term.Constant;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a checked tree as the text that MVEL compiles. Nothing of the user's text survives but the contents of strings, and
 * those are printable ASCII. What MVEL has no safe form for (list operations, string tests, checks of division) becomes a
 * call of {@link MvelOperations}; bodies of list operations are texts of their own.
 */
final class Emitter {
    /** A list operation whose body is compiled by itself. */
    record Body(Term.Fold fold, String text) {}

    private final List<Body> bodies = new ArrayList<>();
    private final List<LinearPattern> patterns = new ArrayList<>();

    List<Body> bodies() {
        return bodies;
    }

    List<LinearPattern> patterns() {
        return patterns;
    }

    /** Name of a variable in the text: {@code pod}, or {@code v3}. */
    static String variable(Term.Variable variable) {
        return variable.isLoop() ? "v" + variable.slot() : variable.name();
    }

    String emit(Term term) {
        if (term instanceof Constant constant) {
            return constant(constant);
        }
        if (term instanceof Term.Variable variable) {
            return variable(variable);
        }
        if (term instanceof Term.Access access) {
            return access(access);
        }
        if (term instanceof Term.Not not) {
            return "!(" + emit(not.operand()) + ")";
        }
        if (term instanceof Term.Arithmetic arithmetic) {
            return "ops.finite(" + arithmetic(arithmetic) + ")";
        }
        if (term instanceof Term.Comparison comparison) {
            return "(" + emit(comparison.left()) + " " + comparison.operator() + " " + emit(comparison.right()) + ")";
        }
        if (term instanceof Term.Equality equality) {
            String equal = equal(emit(equality.left()), emit(equality.right()));
            return equality.equal() ? equal : "!(" + equal + ")";
        }
        if (term instanceof Term.Logic logic) {
            return "(" + emit(logic.left()) + (logic.and() ? " && " : " || ") + emit(logic.right()) + ")";
        }
        if (term instanceof Term.Choice choice) {
            return "(" + emit(choice.condition()) + " ? " + emit(choice.yes()) + " : " + emit(choice.no()) + ")";
        }
        if (term instanceof Term.In in) {
            List<String> tests = new ArrayList<>();
            in.items().forEach(item -> tests.add(equal(emit(in.value()), emit(item))));
            return "(" + String.join(" || ", tests) + ")";
        }
        return function(term);
    }

    private String function(Term term) {
        if (term instanceof Term.StringCheck check) {
            return "ops." + check.test().method + "(" + emit(check.left()) + ", " + emit(check.right()) + ")";
        }
        if (term instanceof Term.Matches matches) {
            patterns.add(matches.pattern());
            return "ops.matches(" + (patterns.size() - 1) + ", " + emit(matches.value()) + ")";
        }
        if (term instanceof Term.ToNumber toNumber) {
            String text = emit(toNumber.text());
            return "(ops.isNumber(" + text + ") ? ops.number(" + text + ") : " + emit(toNumber.otherwise()) + ")";
        }
        if (term instanceof Term.Size size) {
            return "ops.size(" + emit(size.list()) + ")";
        }
        Term.Fold fold = (Term.Fold) term;
        String list = emit(fold.list());
        Body body = new Body(fold, emit(fold.body()));
        bodies.add(body);
        return "ops." + fold.operation().method + "(" + (bodies.size() - 1) + ", " + list + ")";
    }

    private static String equal(String left, String right) {
        return "ops.equal(" + left + ", " + right + ")";
    }

    private String access(Term.Access access) {
        List<String> arguments = access.arguments().stream().map(this::emit).toList();
        return emit(access.receiver()) + "." + access.member().name() + "(" + String.join(", ", arguments) + ")";
    }

    /** Only the root of an arithmetic term is checked: what is not finite stays so through + - * and as a dividend. */
    private String arithmetic(Term.Arithmetic term) {
        char operator = term.operator();
        boolean division = operator == '/' || operator == '%';
        String right = division ? "ops.divisor(" + operand(term.right()) + ")" : operand(term.right());
        return "(" + operand(term.left()) + " " + operator + " " + right + ")";
    }

    private String operand(Term term) {
        return term instanceof Term.Arithmetic arithmetic ? arithmetic(arithmetic) : emit(term);
    }

    private static String constant(Constant constant) {
        if (constant.value() instanceof Double number) {
            return number(number);
        }
        if (constant.value() instanceof String text) {
            return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        }
        return String.valueOf(constant.value());
    }

    /** Plain digits with the suffix of a double: without it MVEL reads long ones as big decimals, and 0d as octal. */
    private static String number(double value) {
        String digits = BigDecimal.valueOf(Math.abs(value)).toPlainString();
        String literal = (digits.indexOf('.') < 0 ? digits + ".0" : digits) + "d";
        return value < 0 ? "(0.0d - " + literal + ")" : literal;
    }
}
