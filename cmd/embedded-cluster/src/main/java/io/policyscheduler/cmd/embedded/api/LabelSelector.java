package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A label selector, as text in a query ({@code app in (a,b),!old,tier!=x}) or as the LabelSelector of an object
 * (apimachinery pkg/labels).
 */
public final class LabelSelector {
    private static final String KEY = "([A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?)";
    private static final Pattern SET = Pattern.compile(KEY + "\\s+(in|notin)\\s*\\(([^()]*)\\)");
    private static final Pattern COMPARE = Pattern.compile(KEY + "\\s*(==|=|!=|>|<)\\s*([-A-Za-z0-9_.]*)");
    private static final Pattern EXISTS = Pattern.compile("(!?)\\s*" + KEY);

    private enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST,
        GREATER,
        LESS
    }

    private record Requirement(String key, Operator operator, Set<String> values) {
        boolean matches(JsonNode labels) {
            JsonNode label = labels.path(key);
            @Nullable String value = label.isTextual() ? label.asText() : null;
            return switch (operator) {
                case IN -> value != null && values.contains(value);
                case NOT_IN -> value == null || !values.contains(value);
                case EXISTS -> value != null;
                case DOES_NOT_EXIST -> value == null;
                case GREATER -> value != null && compare(value) > 0;
                case LESS -> value != null && compare(value) < 0;
            };
        }

        /** The sign of label minus bound; 0, which satisfies neither operator, when the label is not a number. */
        private int compare(String value) {
            try {
                return Long.compare(
                        Long.parseLong(value), Long.parseLong(values.iterator().next()));
            } catch (NumberFormatException e) {
                return 0;
            }
        }
    }

    private final List<Requirement> requirements;

    private LabelSelector(List<Requirement> requirements) {
        this.requirements = List.copyOf(requirements);
    }

    /** Parses the text form; empty text selects everything. Fails with BadRequest. */
    public static LabelSelector parse(String text) {
        List<Requirement> requirements = new ArrayList<>();
        for (String part : parts(text)) {
            requirements.add(requirement(part, text));
        }
        return new LabelSelector(requirements);
    }

    /** Splits at the commas outside parentheses. */
    private static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '(') {
                depth++;
            } else if (c == ')') {
                depth--;
            } else if (c == ',' && depth == 0) {
                parts.add(text.substring(start, i).trim());
                start = i + 1;
            }
        }
        String last = text.substring(start).trim();
        if (!parts.isEmpty() || !last.isEmpty()) {
            parts.add(last);
        }
        return parts;
    }

    private static Requirement requirement(String part, String text) {
        Matcher set = SET.matcher(part);
        if (set.matches()) {
            List<String> values = Splitter.on(',').trimResults().splitToList(set.group(3));
            Operator operator = set.group(2).equals("in") ? Operator.IN : Operator.NOT_IN;
            return new Requirement(set.group(1), operator, ImmutableSet.copyOf(values));
        }
        Matcher compare = COMPARE.matcher(part);
        if (compare.matches()) {
            Operator operator = switch (compare.group(2)) {
                case "!=" -> Operator.NOT_IN;
                case ">" -> Operator.GREATER;
                case "<" -> Operator.LESS;
                default -> Operator.IN;
            };
            return new Requirement(compare.group(1), operator, Set.of(compare.group(3)));
        }
        Matcher exists = EXISTS.matcher(part);
        if (exists.matches()) {
            Operator operator = exists.group(1).isEmpty() ? Operator.EXISTS : Operator.DOES_NOT_EXIST;
            return new Requirement(exists.group(2), operator, Set.of());
        }
        throw StatusError.badRequest("unable to parse requirement: found '" + part + "' in selector '" + text + "'");
    }

    /** Reads a LabelSelector object (matchLabels, matchExpressions); an empty one selects everything. */
    public static LabelSelector ofObject(JsonNode selector) {
        List<Requirement> requirements = new ArrayList<>();
        selector.path("matchLabels")
                .properties()
                .forEach(e -> requirements.add(new Requirement(
                        e.getKey(), Operator.IN, Set.of(e.getValue().asText()))));
        for (JsonNode expression : selector.path("matchExpressions")) {
            ImmutableSet.Builder<String> values = ImmutableSet.builder();
            expression.path("values").forEach(v -> values.add(v.asText()));
            Operator operator = switch (Json.text(expression, "operator")) {
                case "In" -> Operator.IN;
                case "NotIn" -> Operator.NOT_IN;
                case "Exists" -> Operator.EXISTS;
                case "DoesNotExist" -> Operator.DOES_NOT_EXIST;
                default ->
                    throw StatusError.badRequest(
                            "\"" + Json.text(expression, "operator") + "\" is not a valid label selector operator");
            };
            requirements.add(new Requirement(Json.text(expression, "key"), operator, values.build()));
        }
        return new LabelSelector(requirements);
    }

    /** Whether there is nothing to check. */
    public boolean isEmpty() {
        return requirements.isEmpty();
    }

    /** Whether the object's labels satisfy every requirement. */
    public boolean matches(JsonNode object) {
        JsonNode labels = object.path("metadata").path("labels");
        for (Requirement requirement : requirements) {
            if (!requirement.matches(labels)) {
                return false;
            }
        }
        return true;
    }
}
