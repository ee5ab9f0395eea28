package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.data.LinearPattern;
import java.util.Set;

/** Checks methods of strings. */
final class StringMethods {
    static final Set<String> WITHOUT_ARGUMENTS = Set.of("isEmpty", "length", "toLowerCase", "toUpperCase");
    static final Set<String> ALL =
            Set.of("contains", "endsWith", "isEmpty", "length", "matches", "startsWith", "toLowerCase", "toUpperCase");

    private final Checker checker;
    private final Refusal refusal;
    private final RuleLimits limits;
    private final MemberProblems problems;

    StringMethods(Checker checker, Refusal refusal, RuleLimits limits) {
        this.checker = checker;
        this.refusal = refusal;
        this.limits = limits;
        this.problems = new MemberProblems(refusal);
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
        return switch (name) {
            case "isEmpty" -> new Term.Equality(true, text, Constant.of(""));
            case "length" -> new TextTerm.Length(text);
            default -> new TextTerm.Case(name.equals("toUpperCase"), text);
        };
    }

    /** A test with one argument. */
    Term test(String name, Term text, Syntax argument, int at) throws RuleException {
        Term right = checker.string(argument, "'" + name + "'");
        for (StringTest test : StringTest.values()) {
            if (test.method().equals(name)) {
                return checker.fold(new Term.StringCheck(test, text, right), at);
            }
        }
        if (!(right instanceof Constant constant)) {
            throw refusal.at(
                    RuleCode.ARGUMENTS,
                    argument.at(),
                    "the pattern of '" + name + "' must be a constant",
                    "write a string literal or a parameter");
        }
        try {
            LinearPattern pattern = LinearPattern.compile(String.valueOf(constant.value()), limits.patternSize());
            return checker.fold(new Term.Matches(text, pattern), at);
        } catch (LinearPattern.PatternException e) {
            throw refusal.at(RuleCode.PATTERN, argument.at(), "invalid pattern: " + e.text(), null);
        }
    }
}
