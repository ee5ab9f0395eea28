package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The object that is checked, the errors that were found in it, and the checks of fields that objects of several kinds have. */
abstract class FieldChecks {
    static final String EMPTY = "can not be empty";
    static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");

    final ObjectNode object;
    final JsonNode spec;
    final Release release;
    final List<Cause> causes;
    final FieldErrors errors;

    /** @param causes where the errors are added, in the order of the API server */
    FieldChecks(ObjectNode object, Release release, List<Cause> causes) {
        this.object = object;
        this.spec = object.path("spec");
        this.release = release;
        this.causes = causes;
        this.errors = new FieldErrors(causes);
    }

    interface Check {
        void check(String path, JsonNode element);
    }

    static void forEach(String path, JsonNode list, Check check) {
        for (int i = 0; i < list.size(); i++) {
            check.check(path + "[" + i + "]", list.path(i));
        }
    }

    static boolean isAbsent(JsonNode node) {
        return node.isMissingNode() || node.isNull();
    }

    static boolean isEmpty(JsonNode node, String field) {
        return node.path(field).isEmpty();
    }

    boolean requireText(String path, JsonNode parent, String field) {
        return requireText(path, parent, field, "");
    }

    boolean requireText(String path, JsonNode parent, String field, String detail) {
        if (Json.text(parent, field).isEmpty()) {
            causes.add(Cause.required(path, detail));
            return false;
        }
        return true;
    }

    void label(String path, String name) {
        if (!Names.isLabel(name)) {
            causes.add(Cause.invalid(path, name, Names.LABEL_RULE));
        }
    }

    void subdomain(String path, String name) {
        if (!Names.isSubdomain(name)) {
            causes.add(Cause.invalid(path, name, Names.SUBDOMAIN_RULE));
        }
    }

    void qualifiedName(String path, String name) {
        errors.all(path, name, FieldErrors.qualifiedName(name));
    }

    void unsupported(String path, String value, List<String> supported) {
        if (!supported.contains(value)) {
            causes.add(new Cause(
                    path,
                    "FieldValueNotSupported",
                    "Unsupported value: \"" + value + "\": supported values: "
                            + supported.stream().map(text -> "\"" + text + "\"").collect(Collectors.joining(", "))));
        }
    }

    void notNegative(String path, JsonNode value) {
        if (value.asLong() < 0) {
            causes.add(new Cause(
                    path,
                    "FieldValueInvalid",
                    "Invalid value: " + value.asLong() + ": must be greater than or equal to 0"));
        }
    }

    void notNegative(String path, JsonNode parent, String... fields) {
        for (String field : fields) {
            notNegative(path + "." + field, parent.path(field));
        }
    }

    void percentage(String path, JsonNode value) {
        if (value.isNumber()) {
            errors.notNegative(path, value);
        } else if (value.isTextual() && !value.asText().matches("[0-9]+%")) {
            errors.invalidValue(
                    path,
                    intOrStringText(value),
                    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%',"
                            + " regex used for validation is '[0-9]+%')");
        }
    }

    /** Releases that print maps as Go does also print this structure so. */
    String intOrStringText(JsonNode value) {
        if (ComponentChange.MAPS_AS_JSON.in(release)) {
            return value.toString();
        }
        return value.isNumber()
                ? "intstr.IntOrString{Type:0, IntVal:" + value.asLong() + ", StrVal:\"\"}"
                : "intstr.IntOrString{Type:1, IntVal:0, StrVal:\"" + value.asText() + "\"}";
    }

    void atMostAll(String path, JsonNode value) {
        if (value.asText().matches("0*([2-9][0-9]{2}|1[0-9][1-9]|1[1-9][0-9]|[1-9][0-9]{3,})%")) {
            errors.invalidValue(path, intOrStringText(value), "must not be greater than 100%");
        }
    }

    /** Mirrors {@code ValidateLabelSelector} of apimachinery. */
    void selector(String path, JsonNode selector) {
        errors.labels(path + ".matchLabels", selector.path("matchLabels"));
        forEach(path + ".matchExpressions", selector.path("matchExpressions"), (place, expression) -> {
            boolean hasValues = !expression.path("values").isEmpty();
            switch (Json.text(expression, "operator")) {
                case "In", "NotIn" -> {
                    if (!hasValues) {
                        causes.add(Cause.required(
                                place + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
                    }
                }
                case "Exists", "DoesNotExist" -> {
                    if (hasValues) {
                        causes.add(Cause.forbidden(
                                place + ".values",
                                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
                    }
                }
                default ->
                    causes.add(Cause.invalid(
                            place + ".operator", Json.text(expression, "operator"), "not a valid selector operator"));
            }
            qualifiedName(place + ".key", Json.text(expression, "key"));
            if (release.atLeast(27)) {
                labelValues(place, expression);
            }
        });
    }

    void labelValues(String path, JsonNode expression) {
        forEach(
                path + ".values",
                expression.path("values"),
                (place, value) -> errors.all(place, value.asText(), FieldErrors.labelValue(value.asText())));
    }

    void nodeSelector(String path, JsonNode terms) {
        if (terms.isEmpty()) {
            errors.required(path, "must have at least one node selector term");
        }
        forEach(path, terms, (place, term) -> {
            nodeSelectorTerm(place, term);
            // Those of preferred terms are not validated.
            if (release.atLeast(34)) {
                forEach(place + ".matchExpressions", term.path("matchExpressions"), this::labelValues);
            }
        });
    }

    void nodeSelectorTerm(String path, JsonNode term) {
        forEach(path + ".matchFields", term.path("matchFields"), (place, field) -> {
            String operator = Json.text(field, "operator");
            if (!operator.equals("In") && !operator.equals("NotIn")) {
                errors.invalid(place + ".operator", operator, "not a valid selector operator");
            } else if (field.path("values").size() != 1) {
                errors.required(
                        place + ".values",
                        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
            }
            if (!Json.text(field, "key").equals("metadata.name")) {
                errors.invalid(place + ".key", Json.text(field, "key"), "not a valid field selector key");
                return;
            }
            forEach(
                    place + ".values",
                    field.path("values"),
                    (at, value) -> errors.all(at, value.asText(), FieldErrors.subdomain(value.asText())));
        });
        forEach(path + ".matchExpressions", term.path("matchExpressions"), (place, expression) -> {
            int values = expression.path("values").size();
            switch (Json.text(expression, "operator")) {
                case "In", "NotIn" -> {
                    if (values == 0) {
                        causes.add(Cause.required(
                                place + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
                    }
                }
                case "Exists", "DoesNotExist" -> {
                    if (values > 0) {
                        causes.add(Cause.forbidden(
                                place + ".values",
                                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
                    }
                }
                case "Gt", "Lt" -> {
                    if (values != 1) {
                        causes.add(Cause.required(
                                place + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'"));
                    }
                }
                default ->
                    causes.add(Cause.invalid(
                            place + ".operator", Json.text(expression, "operator"), "not a valid selector operator"));
            }
            qualifiedName(place + ".key", Json.text(expression, "key"));
        });
    }

    /** Mirrors {@code ValidateTolerations} of {@code pkg/apis/core/validation}. */
    void tolerations(String path, JsonNode tolerations) {
        forEach(path, tolerations, (place, toleration) -> {
            String key = Json.text(toleration, "key");
            String operator = Json.text(toleration, "operator");
            String effect = Json.text(toleration, "effect");
            if (!key.isEmpty()) {
                qualifiedName(place + ".key", key);
            } else if (!operator.equals("Exists")) {
                errors.invalid(
                        place + ".operator",
                        operator,
                        "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
            }
            if (!isAbsent(toleration.path("tolerationSeconds")) && !effect.equals("NoExecute")) {
                errors.invalid(place + ".effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
            }
            switch (operator) {
                case "", "Equal" -> {
                    String value = Json.text(toleration, "value");
                    List<String> messages = FieldErrors.labelValue(value);
                    if (!messages.isEmpty()) {
                        errors.invalid(place + ".operator", value, String.join(";", messages));
                    }
                }
                case "Exists" -> {
                    if (!Json.text(toleration, "value").isEmpty()) {
                        errors.invalidValue(
                                place + ".operator",
                                ComponentChange.UPDATE_VALIDATION.in(release) ? toleration.path("value") : toleration,
                                "value must be empty when `operator` is 'Exists'");
                    }
                }
                default -> unsupported(place + ".operator", operator, List.of("Equal", "Exists"));
            }
            if (!effect.isEmpty()) {
                unsupported(place + ".effect", effect, EFFECTS);
            }
        });
    }

    void driverName(String path, JsonNode parent, String field) {
        String name = Json.text(parent, field);
        if (name.isEmpty()) {
            causes.add(Cause.required(path, ""));
        }
        FieldErrors.subdomain(name.toLowerCase(Locale.ROOT)).forEach(message -> errors.invalid(path, name, message));
    }
}
