package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Checks functions, with and without {@code Math} before them. */
final class FunctionChecker {
    /** What may stand before a function of numbers. There is no such value. */
    static final String MATH = "Math";

    private static final Set<String> MATH_FUNCTIONS = mathFunctions();
    static final Set<String> FUNCTIONS = functions();

    private final Checker checker;
    private final Refusal refusal;

    FunctionChecker(Checker checker, Refusal refusal) {
        this.checker = checker;
        this.refusal = refusal;
    }

    private static Set<String> mathFunctions() {
        Set<String> names = new TreeSet<>();
        for (MathFunction function : MathFunction.values()) {
            names.add(function.word());
        }
        return Set.copyOf(names);
    }

    private static Set<String> functions() {
        Set<String> names = new TreeSet<>(MATH_FUNCTIONS);
        names.addAll(Set.of("number", "quantity"));
        return Set.copyOf(names);
    }

    Term function(Syntax.FunctionCall call) throws RuleException {
        if (call.name().equals("quantity")) {
            return quantity(call);
        }
        if (call.name().equals("number")) {
            return readNumber(call);
        }
        MathFunction function = MathFunction.of(call.name());
        if (function != null) {
            return calculation(function, call.arguments(), call.at());
        }
        boolean looksLikeClass = Character.isUpperCase(call.name().charAt(0));
        if (looksLikeClass || MemberProblems.REFLECTION.contains(call.name())) {
            throw refusal.at(
                    RuleCode.CLASS_ACCESS,
                    call.at(),
                    "'" + Shown.text(call.name()) + "' is not accessible in a rule",
                    null);
        }
        throw refusal.at(
                RuleCode.UNKNOWN_FUNCTION,
                call.at(),
                "unknown function '" + Shown.text(call.name()) + "'",
                MemberProblems.meant(call.name(), FUNCTIONS));
    }

    /** {@code Math.name(...)}. */
    Term math(Syntax.MethodCall call) throws RuleException {
        MathFunction function = MathFunction.of(call.name());
        if (function == null) {
            throw notOfMath(call.name(), call.at());
        }
        return calculation(function, call.arguments(), call.at());
    }

    /** The refusal of {@code Math.name} that is none of the functions. */
    RuleException notOfMath(String name, int at) {
        return refusal.at(
                RuleCode.CLASS_ACCESS,
                at,
                "'Math." + Shown.text(name) + "' is not part of the rule language",
                "there are " + String.join(", ", new TreeSet<>(MATH_FUNCTIONS)));
    }

    private Term calculation(MathFunction function, List<Syntax> arguments, int at) throws RuleException {
        if (arguments.size() != function.arguments()) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    at,
                    "'" + function.word() + "' with " + arguments.size() + " arguments",
                    "write Math." + function.word() + (function.arguments() == 1 ? "(a)" : "(a, b)"));
        }
        List<Term> checked = new ArrayList<>();
        for (Syntax argument : arguments) {
            checked.add(checker.number(argument, "'" + function.word() + "'"));
        }
        return checker.fold(new Term.Calculation(function, List.copyOf(checked)), at);
    }

    private Term quantity(Syntax.FunctionCall call) throws RuleException {
        Term text = call.arguments().size() == 1 ? checker.term(call.arguments().get(0)) : null;
        if (!(text instanceof Constant constant) || constant.type() != RuleType.STRING) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    call.at(),
                    "the argument of 'quantity' must be a literal",
                    "write quantity('512Mi'); for a label, write number(node.label('x'), 0)");
        }
        return checker.quantity(constant, call.at());
    }

    private Term readNumber(Syntax.FunctionCall call) throws RuleException {
        if (call.arguments().size() != 2) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    call.at(),
                    "'number' with " + call.arguments().size() + " arguments",
                    "write number(node.label('x'), 0); the second argument is used if the text is not a number");
        }
        Syntax first = call.arguments().get(0);
        Term value = checker.term(first);
        // What is missing is read as '', which is no number either.
        value = value.type() == RuleType.MAYBE
                ? new TextTerm.Known(value)
                : checker.string(value, first.at(), "'number'");
        Term otherwise = checker.number(call.arguments().get(1), "'number'");
        return checker.fold(new Term.ToNumber(value, otherwise), call.at());
    }
}
