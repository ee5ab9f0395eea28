package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The policies of the repository conform to the JSON Schema, for the keywords that it uses. */
class PolicySchemaTest {
    private static final Path FILES = Path.of("../policy-files");
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Vendor fields that the program ignores with a warning and an editor should mark. */
    private static final Map<String, List<String>> FOREIGN =
            Map.of("rack-filter.json", List.of("$.builtin_extenders: unknown"));

    private final JsonNode schema = read(FILES.resolve("schema/policy.schema.json"));

    private static JsonNode read(Path file) {
        try {
            String text = Files.readString(file);
            return file.toString().endsWith(".yaml") ? new YAMLMapper().readTree(text) : JSON.readTree(text);
        } catch (IOException e) {
            throw new AssertionError(file.toString(), e);
        }
    }

    @Test
    void policiesConform() throws IOException {
        int seen = 0;
        try (Stream<Path> files = Files.walk(FILES)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                // Chart templates are not YAML before they are rendered.
                boolean candidate = file.toString().matches(".*\\.(json|yaml)")
                        && !file.toString().contains("/templates/");
                JsonNode document = candidate ? read(file) : JSON.nullNode();
                // OpenShift 3.0 omitted the kind.
                boolean withoutKind = !document.has("kind") && document.has("predicates");
                if (document.path("kind").asText().equals("Policy") || withoutKind) {
                    List<String> foreign =
                            FOREIGN.getOrDefault(file.getFileName().toString(), List.of());
                    assertEquals(foreign, problems(document), file.toString());
                    seen++;
                }
            }
        }
        assertTrue(seen >= 20, "found " + seen);
    }

    @Test
    void badPoliciesDoNot() throws IOException {
        for (String members : List.of(
                "\"predicate\":[]",
                "\"predicates\":[{}]",
                "\"predicates\":[{\"name\":1}]",
                "\"predicates\":[{\"name\":\"R\",\"argument\":{}}]",
                "\"predicates\":[{\"name\":\"R\",\"argument\":{\"rule\":{\"expresion\":\"true\"}}}]",
                "\"predicates\":[{\"name\":\"R\",\"argument\":{\"rule\":{\"normalize\":\"max\"}}}]",
                "\"predicates\":[{\"name\":\"R\",\"argument\":{\"rule\":{\"onError\":\"zero\"}}}]",
                "\"priorities\":[{\"name\":\"R\",\"weight\":1,\"argument\":{\"rule\":{\"onError\":\"reject\"}}}]",
                "\"priorities\":[{\"name\":\"R\",\"weight\":1,\"argument\":{\"rule\":{\"normalize\":\"mix\"}}}]",
                "\"priorities\":[{\"name\":\"R\",\"weight\":0}]",
                "\"rules\":[{\"name\":\"R\",\"expression\":\"true\",\"params\":{\"a\":null}}]",
                "\"rules\":[{\"expression\":\"true\"}]",
                "\"tables\":{\"t\":{}}",
                "\"tables\":{\"t\":{\"values\":{\"a\":1},\"file\":\"t.csv\"}}",
                "\"tables\":{\"t\":{\"configMap\":{\"namespace\":\"n\",\"name\":\"m\",\"key\":\"t.txt\"}}}")) {
            JsonNode policy = JSON.readTree("{\"kind\":\"Policy\",\"apiVersion\":\"v1\"," + members + "}");
            assertFalse(problems(policy).isEmpty(), members);
        }
    }

    @Test
    void whatAFailureMeansConforms() throws IOException {
        for (String members : List.of(
                "\"predicates\":[{\"name\":\"R\",\"argument\":{\"rule\":{\"use\":\"S\",\"onError\":\"ignore\"}}}]",
                "\"priorities\":[{\"name\":\"R\",\"weight\":1,\"argument\":{\"rule\":{\"onError\":\"zero\"}}}]",
                "\"rules\":[{\"name\":\"R\",\"expression\":\"true\",\"onError\":\"reject\"}]")) {
            JsonNode policy = JSON.readTree("{\"kind\":\"Policy\",\"apiVersion\":\"v1\"," + members + "}");
            assertEquals(List.of(), problems(policy), members);
        }
    }

    private List<String> problems(JsonNode document) {
        List<String> problems = new ArrayList<>();
        check(schema, document, "$", problems);
        return problems;
    }

    private void check(JsonNode rule, JsonNode value, String path, List<String> problems) {
        if (rule.has("$ref")) {
            check(schema.at(rule.get("$ref").asText().substring(1)), value, path, problems);
            return;
        }
        for (String keyword : new TreeSet<>(names(rule))) {
            JsonNode required = rule.get(keyword);
            boolean good = switch (keyword) {
                case "$schema", "$defs", "title", "description", "deprecated", "examples" -> true;
                case "type" -> isType(required, value);
                case "const" -> required.equals(value);
                case "enum" -> contains(required, value);
                case "required" -> names(value).containsAll(texts(required));
                case "minimum" -> !value.isNumber() || value.asDouble() >= required.asDouble();
                case "maximum" -> !value.isNumber() || value.asDouble() <= required.asDouble();
                case "minLength" -> !value.isTextual() || value.asText().length() >= required.asInt();
                case "maxLength" -> !value.isTextual() || value.asText().length() <= required.asInt();
                case "pattern" -> !value.isTextual() || value.asText().matches(".*" + required.asText() + ".*");
                case "oneOf" -> matching(required, value) == 1;
                case "anyOf" -> matching(required, value) > 0;
                case "allOf" -> matching(required, value) == required.size();
                case "minProperties" -> value.size() >= required.asInt();
                case "maxProperties" -> value.size() <= required.asInt();
                case "items" -> {
                    for (int i = 0; value.isArray() && i < value.size(); i++) {
                        check(required, value.get(i), path + "[" + i + "]", problems);
                    }
                    yield true;
                }
                case "propertyNames" -> {
                    names(value)
                            .forEach(name ->
                                    check(required, JSON.getNodeFactory().textNode(name), path, problems));
                    yield true;
                }
                case "properties", "additionalProperties" -> {
                    members(rule, value, path, keyword, problems);
                    yield true;
                }
                default -> throw new AssertionError("a keyword that this test does not know: " + keyword);
            };
            if (!good) {
                problems.add(path + ": " + keyword + " " + required + " but is " + value);
            }
        }
    }

    private int matching(JsonNode rules, JsonNode value) {
        int matching = 0;
        for (JsonNode rule : rules) {
            List<String> problems = new ArrayList<>();
            check(rule, value, "$", problems);
            matching += problems.isEmpty() ? 1 : 0;
        }
        return matching;
    }

    private void members(JsonNode rule, JsonNode value, String path, String keyword, List<String> problems) {
        JsonNode properties = rule.path("properties");
        for (String name : names(value)) {
            boolean known = properties.has(name);
            String inner = path + "." + name;
            if (keyword.equals("properties") && known) {
                check(properties.get(name), value.get(name), inner, problems);
            } else if (keyword.equals("additionalProperties") && !known) {
                JsonNode other = rule.get(keyword);
                if (other.isBoolean()) {
                    problems.add(inner + ": unknown");
                } else {
                    check(other, value.get(name), inner, problems);
                }
            }
        }
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(item -> texts.add(item.asText()));
        return texts;
    }

    private static boolean contains(JsonNode array, JsonNode value) {
        for (JsonNode item : array) {
            if (item.equals(value)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isType(JsonNode required, JsonNode value) {
        List<String> types = required.isArray() ? texts(required) : List.of(required.asText());
        String actual = switch (value.getNodeType()) {
            case OBJECT -> "object";
            case ARRAY -> "array";
            case STRING -> "string";
            case BOOLEAN -> "boolean";
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            default -> "null";
        };
        return types.contains(actual) || (actual.equals("integer") && types.contains("number"));
    }
}
