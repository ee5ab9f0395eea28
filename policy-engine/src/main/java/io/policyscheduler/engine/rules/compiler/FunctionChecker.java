package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.AccessChecker.MemberProblems;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.MathFunction;
import io.policyscheduler.engine.rules.compiler.Term.StringOperator;
import io.policyscheduler.engine.rules.compiler.Term.TextFunction;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The checker of functions, with and without {@code Math} before them. */
final class FunctionChecker {
    /** The optional prefix of functions of numbers, which is not a value. */
    static final String MATH = "Math";

    private static final Set<String> MATH_FUNCTIONS = mathFunctions();
    static final Set<String> FUNCTIONS = functions();

    private final Checker checker;
    private final ProblemFactory problemFactory;

    FunctionChecker(Checker checker, ProblemFactory problemFactory) {
        this.checker = checker;
        this.problemFactory = problemFactory;
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
        String other = MemberProblems.ofOtherLanguages(call.name());
        if (other != null) {
            throw problemFactory.at(
                    RuleCode.UNKNOWN_FUNCTION,
                    call.at(),
                    "unknown function '" + PrintableText.text(call.name()) + "'",
                    other);
        }
        boolean resemblesClass = Character.isUpperCase(call.name().charAt(0));
        if (resemblesClass || MemberProblems.REFLECTION.contains(call.name())) {
            throw problemFactory.at(
                    RuleCode.CLASS_ACCESS,
                    call.at(),
                    "'" + PrintableText.text(call.name()) + "' is not accessible in a rule",
                    null);
        }
        throw problemFactory.at(
                RuleCode.UNKNOWN_FUNCTION,
                call.at(),
                "unknown function '" + PrintableText.text(call.name()) + "'",
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

    /** The error for an unknown function of {@code Math}. */
    RuleException notOfMath(String name, int at) {
        return problemFactory.at(
                RuleCode.CLASS_ACCESS,
                at,
                "'Math." + PrintableText.text(name) + "' is not part of the rule language",
                "there are " + String.join(", ", new TreeSet<>(MATH_FUNCTIONS)));
    }

    private Term calculation(MathFunction function, List<Syntax> arguments, int at) throws RuleException {
        if (arguments.size() != function.arguments()) {
            throw problemFactory.at(
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
            throw problemFactory.at(
                    RuleCode.ARGUMENTS,
                    call.at(),
                    "the argument of 'quantity' must be a literal",
                    "write quantity('512Mi'); for a label, write number(node.label('x'), 0)");
        }
        return checker.quantity(constant, call.at());
    }

    private Term readNumber(Syntax.FunctionCall call) throws RuleException {
        if (call.arguments().size() != 2) {
            throw problemFactory.at(
                    RuleCode.ARGUMENTS,
                    call.at(),
                    "'number' with " + call.arguments().size() + " arguments",
                    "write number(node.label('x'), 0); the second argument is used if the text is not a number");
        }
        Syntax first = call.arguments().get(0);
        Term value = checker.term(first);
        // A missing text becomes '', which is not a number either.
        value = value.type() == RuleType.MAYBE
                ? new TextTerm.Known(value)
                : checker.string(value, first.at(), "'number'");
        Term otherwise = checker.number(call.arguments().get(1), "'number'");
        return checker.fold(new Term.ToNumber(value, otherwise), call.at());
    }

    /** The checker of string methods. */
    static final class StringMethods {
        static final Set<String> WITHOUT_ARGUMENTS = withoutArguments();
        static final Set<String> ALL = all();

        private final Checker checker;
        private final ProblemFactory problemFactory;
        private final RuleLimits limits;
        private final MemberProblems problems;

        StringMethods(Checker checker, ProblemFactory problemFactory, RuleLimits limits) {
            this.checker = checker;
            this.problemFactory = problemFactory;
            this.limits = limits;
            this.problems = new MemberProblems(problemFactory);
        }

        private static Set<String> withoutArguments() {
            Set<String> names = new TreeSet<>(Set.of("isEmpty", "length"));
            for (TextFunction function : TextFunction.values()) {
                names.add(function.method());
            }
            return Set.copyOf(names);
        }

        private static Set<String> all() {
            Set<String> names = new TreeSet<>(WITHOUT_ARGUMENTS);
            for (StringOperator test : StringOperator.values()) {
                names.add(test.method());
            }
            names.add("matches");
            return Set.copyOf(names);
        }

        /** A call of one of {@link #ALL}. */
        Term call(Syntax.MethodCall call, Term text) throws RuleException {
            boolean alone = WITHOUT_ARGUMENTS.contains(call.name());
            if (call.arguments().size() != (alone ? 0 : 1)) {
                throw problems.arguments(call, "." + call.name() + (alone ? "()" : "('...')"));
            }
            if (alone) {
                return checker.fold(alone(call.name(), text), call.at());
            }
            return test(call.name(), text, call.arguments().get(0), call.at());
        }

        private static Term alone(String name, Term text) {
            TextFunction function = TextFunction.of(name);
            if (function != null) {
                return new TextTerm.Converted(function, text);
            }
            return name.equals("length") ? new TextTerm.Length(text) : new Term.Equality(true, text, Constant.of(""));
        }

        /** A test with one argument. */
        Term test(String name, Term text, Syntax argument, int at) throws RuleException {
            Term right = checker.string(argument, "'" + name + "'");
            for (StringOperator test : StringOperator.values()) {
                if (test.method().equals(name)) {
                    return checker.fold(new Term.StringCheck(test, text, right), at);
                }
            }
            if (!(right instanceof Constant constant)) {
                throw problemFactory.at(
                        RuleCode.ARGUMENTS,
                        argument.at(),
                        "the pattern of '" + name + "' must be a constant",
                        "write a string literal or a parameter");
            }
            try {
                LinearPattern pattern = LinearPattern.compile(String.valueOf(constant.value()), limits.patternSize());
                return checker.fold(new Term.Matches(text, pattern), at);
            } catch (LinearPattern.PatternException e) {
                throw problemFactory.at(RuleCode.PATTERN, argument.at(), "invalid pattern: " + e.text(), null);
            }
        }
    }
}
