package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The values of {@code params.NAME} of one expression. */
final class Parameters {
    private final Refusal refusal;
    private final RuleLimits limits;

    private Parameters(Refusal refusal, RuleLimits limits) {
        this.refusal = refusal;
        this.limits = limits;
    }

    /** As constants, sorted by name. */
    static Map<String, Constant> of(Map<String, ?> values, Refusal refusal, RuleLimits limits) throws RuleException {
        Parameters parameters = new Parameters(refusal, limits);
        Map<String, Constant> constants = new TreeMap<>();
        for (Map.Entry<String, ?> value : values.entrySet()) {
            constants.put(value.getKey(), parameters.constant(value.getKey(), value.getValue()));
        }
        return Collections.unmodifiableMap(constants);
    }

    private Constant constant(String name, Object value) throws RuleException {
        if (value instanceof List<?> list) {
            List<Object> items = new ArrayList<>();
            RuleType type = RuleType.STRING;
            for (Object item : list) {
                Constant one = constant(name, item);
                boolean mixed = !items.isEmpty() && one.type() != type;
                type = one.type();
                if (mixed || type == RuleType.BOOL || !type.isScalar()) {
                    throw refusal.at(
                            RuleCode.LIST, 0, "params." + name + " mixes types", "use only strings or only numbers");
                }
                items.add(one.value());
            }
            if (items.isEmpty() || items.size() > limits.listItems()) {
                throw refusal.at(
                        RuleCode.LIST,
                        0,
                        "params." + name + " has " + items.size() + " items; the limits are 1 and "
                                + limits.listItems(),
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
                "params." + name + " has an unsupported value",
                "use bools, numbers, strings of printable ASCII, or lists of numbers or strings");
    }

    private static boolean isPrintable(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c <= '~');
    }
}
