package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.Term.Constant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Parses and checks expressions. Immutable. */
public final class RuleCompiler {
    private final RuleLimits limits;

    /** @param limits what is refused as too much */
    public RuleCompiler(RuleLimits limits) {
        this.limits = limits;
    }

    /** A compiler with the default limits. */
    public static RuleCompiler standard() {
        return new RuleCompiler(RuleLimits.DEFAULT);
    }

    /**
     * Compiles an expression.
     *
     * @param parameters values of {@code params.NAME}: Boolean, Number, String, or a list of Numbers or Strings
     * @param type BOOL for a predicate, NUMBER for a priority
     * @throws RuleException when the expression is refused
     */
    public RuleProgram compile(String expression, Map<String, ?> parameters, RuleType type) throws RuleException {
        return compile(expression, parameters, type, false);
    }

    /**
     * Compiles the condition under which a rule applies; it may look at the pod alone.
     *
     * @throws RuleException when the expression is refused
     */
    public RuleProgram compileWhen(String expression, Map<String, ?> parameters) throws RuleException {
        return compile(expression, parameters, RuleType.BOOL, true);
    }

    private RuleProgram compile(String expression, Map<String, ?> parameters, RuleType type, boolean podOnly)
            throws RuleException {
        Map<String, Constant> constants = new TreeMap<>();
        for (Map.Entry<String, ?> parameter : parameters.entrySet()) {
            constants.put(parameter.getKey(), constant(parameter.getKey(), parameter.getValue(), expression));
        }
        Syntax syntax = Parser.parse(expression, limits);
        Checker checker = new Checker(expression, Collections.unmodifiableMap(constants), limits, podOnly);
        return new RuleProgram(expression, checker.check(syntax, type), limits);
    }

    private Constant constant(String name, Object value, String expression) throws RuleException {
        Refusal refusal = new Refusal(expression);
        if (value instanceof List<?> list) {
            List<Object> items = new ArrayList<>();
            RuleType type = RuleType.STRING;
            for (Object item : list) {
                Constant one = constant(name, item, expression);
                boolean mixed = !items.isEmpty() && one.type() != type;
                type = one.type();
                if (mixed || type == RuleType.BOOL || !type.isScalar()) {
                    throw refusal.at(RuleCode.LIST, 0, "params." + name + " mixes types", "all strings or all numbers");
                }
                items.add(one.value());
            }
            if (items.isEmpty() || items.size() > limits.listItems()) {
                throw refusal.at(
                        RuleCode.LIST,
                        0,
                        "params." + name + " has " + items.size() + " items, 1 to " + limits.listItems()
                                + " are allowed",
                        null);
            }
            return new Constant(type == RuleType.NUMBER ? RuleType.NUMBERS : RuleType.STRINGS, List.copyOf(items));
        }
        if (value instanceof Boolean bool) {
            return Constant.of(bool);
        }
        if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
            return Constant.of(number.doubleValue() + 0.0);
        }
        if (value instanceof String text && text.length() <= limits.length() && isPrintable(text)) {
            return Constant.of(text);
        }
        throw refusal.at(
                RuleCode.PARAMETER,
                0,
                "params." + name + " has a value that rules do not have",
                "bools, numbers, strings of printable ASCII and lists of them");
    }

    private static boolean isPrintable(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c <= '~');
    }
}
