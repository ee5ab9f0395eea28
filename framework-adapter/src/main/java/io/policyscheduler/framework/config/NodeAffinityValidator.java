package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.primitives.Longs;
import io.policyscheduler.engine.document.QualifiedNames;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Checks the added affinity of NodeAffinity. Mirrors {@code component-helpers/scheduling/corev1/nodeaffinity} and
 * {@code labels.NewRequirement}.
 */
final class NodeAffinityValidator {
    private static final int MAX_VALUE_LENGTH = 63;
    private static final List<String> OPERATORS = List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt");
    private static final List<String> FIELD_OPERATORS = List.of("In", "NotIn");
    private static final String VALUE_FORMAT = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
    private static final Pattern VALUE = Pattern.compile(VALUE_FORMAT);

    private final FieldErrors errors;

    NodeAffinityValidator(FieldErrors errors) {
        this.errors = errors;
    }

    void validate(JsonNode affinity, String path) {
        JsonNode terms =
                affinity.path("requiredDuringSchedulingIgnoredDuringExecution").path("nodeSelectorTerms");
        for (int i = 0; i < terms.size(); i++) {
            term(terms.get(i), path + ".requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[" + i + "]");
        }
        JsonNode preferred = affinity.path("preferredDuringSchedulingIgnoredDuringExecution");
        for (int i = 0; i < preferred.size(); i++) {
            // A term without weight never counts, so that nobody looks into it. Kubernetes leaves "preference" out of
            // the path.
            if (preferred.get(i).path("weight").asInt() != 0) {
                term(
                        preferred.get(i).path("preference"),
                        path + ".preferredDuringSchedulingIgnoredDuringExecution[" + i + "]");
            }
        }
    }

    private void term(JsonNode term, String path) {
        JsonNode expressions = term.path("matchExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            expression(expressions.get(i), path + ".matchExpressions[" + i + "]");
        }
        JsonNode fields = term.path("matchFields");
        for (int i = 0; i < fields.size(); i++) {
            field(fields.get(i), path + ".matchFields[" + i + "]");
        }
    }

    private void expression(JsonNode expression, String path) {
        String operator = expression.path("operator").asText("");
        JsonNode values = expression.path("values");
        if (!OPERATORS.contains(operator)) {
            errors.unsupportedOperator(path + ".operator", operator, OPERATORS);
            return;
        }
        String key = expression.path("key").asText("");
        List<String> keyProblems = QualifiedNames.problems(key);
        if (!keyProblems.isEmpty()) {
            errors.invalid(path + ".key", key, String.join("; ", keyProblems));
        }
        String valuesPath = path + ".values";
        switch (operator) {
            case "In", "NotIn" -> {
                if (values.isEmpty()) {
                    errors.invalid(
                            valuesPath,
                            FieldErrors.GoValue.ofStrings(values),
                            "for 'in', 'notin' operators, values set can't be empty");
                }
            }
            case "Gt", "Lt" -> comparison(values, valuesPath);
            default -> {
                if (!values.isEmpty()) {
                    errors.invalid(
                            valuesPath,
                            FieldErrors.GoValue.ofStrings(values),
                            "values set must be empty for exists and does not exist");
                }
            }
        }
        for (int i = 0; i < values.size(); i++) {
            value(values.get(i).asText(), valuesPath + "[" + i + "][" + key + "]");
        }
    }

    private void comparison(JsonNode values, String path) {
        if (values.size() != 1) {
            errors.invalid(
                    path,
                    FieldErrors.GoValue.ofStrings(values),
                    "for 'Gt', 'Lt' operators, exactly one value is required");
        }
        for (int i = 0; i < values.size(); i++) {
            String value = values.get(i).asText();
            String digits = value.startsWith("+") ? value.substring(1) : value;
            if (Longs.tryParse(digits) == null) {
                errors.invalid(path + "[" + i + "]", value, "for 'Gt', 'Lt' operators, the value must be an integer");
            }
        }
    }

    private void value(String value, String path) {
        if (value.length() > MAX_VALUE_LENGTH) {
            errors.invalid(path, value, "must be no more than 63 characters");
        } else if (!VALUE.matcher(value).matches()) {
            errors.invalid(
                    path,
                    value,
                    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
                            + " start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345',"
                            + " regex used for validation is '" + VALUE_FORMAT + "')");
        }
    }

    private void field(JsonNode requirement, String path) {
        String operator = requirement.path("operator").asText("");
        JsonNode values = requirement.path("values");
        if (!FIELD_OPERATORS.contains(operator)) {
            errors.unsupportedOperator(path + ".operator", operator, FIELD_OPERATORS);
        } else if (values.size() != 1) {
            errors.invalid(path + ".values", FieldErrors.GoValue.ofStrings(values), "must have one element");
        }
    }
}
