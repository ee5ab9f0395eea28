package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A label selector, as text in a query ({@code app in (a,b),!old,tier!=x}) or as the LabelSelector of an object
 * (apimachinery pkg/labels).
 */
public final class LabelSelector {
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?");
    private static final Pattern TOKEN = Pattern.compile("==|!=|[=!(),<>]|[^=!(),<>\\s]+");

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
        return new LabelSelector(new Parser(text).requirements());
    }

    /** The parser of the text form, with the messages of apimachinery. */
    private static final class Parser {
        private static final String END = "";

        private final List<String> tokens;
        private int position;

        Parser(String text) {
            this.tokens = TOKEN.matcher(text)
                    .results()
                    .map(MatchResult::group)
                    .filter(token -> !token.isBlank())
                    .toList();
        }

        private String next() {
            return position < tokens.size() ? tokens.get(position) : END;
        }

        private String take() {
            String token = next();
            position++;
            return token;
        }

        private static boolean isIdentifier(String token) {
            return !token.isEmpty() && "=!(),<>".indexOf(token.charAt(0)) < 0;
        }

        private static StatusError expected(String found, String what) {
            return StatusError.badRequest("unable to parse requirement: found '" + found + "', expected: " + what);
        }

        List<Requirement> requirements() {
            List<Requirement> requirements = new ArrayList<>();
            while (!next().isEmpty()) {
                if (!isIdentifier(next()) && !next().equals("!")) {
                    throw StatusError.badRequest("found '" + next() + "', expected: !, identifier, or 'end of string'");
                }
                requirements.add(requirement());
                String separator = take();
                if (separator.equals(",") && !isIdentifier(next()) && !next().equals("!")) {
                    throw StatusError.badRequest("found '" + next() + "', expected: identifier after ','");
                } else if (!separator.equals(",") && !separator.isEmpty()) {
                    throw StatusError.badRequest("found '" + separator + "', expected: ',' or 'end of string'");
                }
            }
            return requirements;
        }

        private Requirement requirement() {
            boolean isNegated = next().equals("!");
            if (isNegated) {
                position++;
            }
            String key = take();
            if (!isIdentifier(key)) {
                throw expected(key, "identifier");
            }
            if (!KEY.matcher(key).matches()) {
                throw StatusError.badRequest("unable to parse requirement: invalid label key \"" + key + "\"");
            }
            if (next().isEmpty() || next().equals(",")) {
                return new Requirement(key, isNegated ? Operator.DOES_NOT_EXIST : Operator.EXISTS, Set.of());
            }
            String operator = take();
            return switch (operator) {
                case "in" -> new Requirement(key, Operator.IN, values());
                case "notin" -> new Requirement(key, Operator.NOT_IN, values());
                case "=", "==" -> new Requirement(key, Operator.IN, Set.of(value()));
                case "!=" -> new Requirement(key, Operator.NOT_IN, Set.of(value()));
                case ">" -> new Requirement(key, Operator.GREATER, Set.of(value()));
                case "<" -> new Requirement(key, Operator.LESS, Set.of(value()));
                default -> throw expected(operator, "'=', '!=', '==', 'in', notin'");
            };
        }

        private String value() {
            if (next().isEmpty() || next().equals(",")) {
                return "";
            }
            String value = take();
            if (!isIdentifier(value)) {
                throw expected(value, "identifier");
            }
            return value;
        }

        private Set<String> values() {
            String opening = take();
            if (!opening.equals("(")) {
                throw StatusError.badRequest("unable to parse requirement: found '" + opening + "' expected: '('");
            }
            if (!isIdentifier(next()) && !next().equals(",") && !next().equals(")")) {
                throw expected(next(), "',', ')' or identifier");
            }
            ImmutableSet.Builder<String> values = ImmutableSet.builder();
            while (true) {
                values.add(isIdentifier(next()) ? take() : "");
                String separator = take();
                if (separator.equals(")")) {
                    return values.build();
                }
                if (!separator.equals(",")) {
                    throw expected(separator, "',' or ')'");
                }
            }
        }
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
