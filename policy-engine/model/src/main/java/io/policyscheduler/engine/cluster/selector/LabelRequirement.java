package io.policyscheduler.engine.cluster.selector;

import io.policyscheduler.engine.cluster.selector.Labels.LookupList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One requirement of a selector: key, operator, values. Invalid requirements are stored with their error, because their effect
 * depends on the algorithm. Mirrors {@code labels.Requirement} of {@code apimachinery/pkg/labels/selector.go}.
 *
 * @param key label key
 * @param operator the operator's text as written, e.g. {@code In}
 * @param values operands in the order written
 * @param error null when valid, else why the requirement is invalid
 */
public record LabelRequirement(
        String key,
        String operator,
        List<String> values,
        @Nullable String error) {
    public LabelRequirement {
        values = LookupList.copyOf(values);
    }

    /** A requirement of a label selector: In, NotIn, Exists and DoesNotExist are valid. */
    public static LabelRequirement ofLabelSelector(String key, String operator, List<String> values) {
        String error = switch (operator) {
            case "In", "NotIn", "Exists", "DoesNotExist" -> LabelSyntax.requirementError(key, operator, values);
            default -> "\"" + operator + "\" is not a valid pod selector operator";
        };
        return new LabelRequirement(key, operator, values, error);
    }

    /** A requirement of a node selector: Gt and Lt are valid too. */
    public static LabelRequirement ofNodeSelector(String key, String operator, List<String> values) {
        String error = switch (operator) {
            case "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt" ->
                LabelSyntax.requirementError(key, operator, values);
            default -> "\"" + operator + "\" is not a valid node selector operator";
        };
        return new LabelRequirement(key, operator, values, error);
    }

    /** {@code key = value}, validated. */
    public static LabelRequirement equalTo(String key, String value) {
        return ofLabelSelector(key, "In", List.of(value));
    }

    /** True when valid and satisfied by {@code labels}. */
    public boolean matches(Labels labels) {
        if (error != null) {
            return false;
        }
        String value = labels.get(key);
        return switch (operator) {
            case "In" -> value != null && values.contains(value);
            case "NotIn" -> value == null || !values.contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt" -> value != null && compares(value, 1);
            case "Lt" -> value != null && compares(value, -1);
            default -> false;
        };
    }

    private boolean compares(String value, int sign) {
        Long left = LabelSyntax.parseInt64(value);
        Long right = LabelSyntax.parseInt64(values.get(0));
        return left != null && right != null && Integer.signum(Long.compare(left, right)) == sign;
    }
}
