package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Compares an outcome with the recorded one, path by path. */
public final class OutcomeComparison {
    /** Additions of the Go JSON library to its errors. */
    private static final Pattern EXCERPT = Pattern.compile(", error found in #.*", Pattern.DOTALL);

    private static final Pattern STRICT_DECODER = Pattern.compile("found unknown field: [^,]*");
    /** Paths that alwaysCheckAllPredicates changes; the expected value is that of the functions in both modes. */
    private static final Set<String> CHECK_ALL_KEYS = Set.of("failures", "error", "preemption");

    private static final Set<String> SCORE_KEYS = Set.of("scores", "weights", "totals");

    private OutcomeComparison() {}

    /** The differences, one line each: path, recorded value, own value; empty if equal. */
    public static List<String> differences(JsonNode scenario, ReplayMode mode, JsonNode actual) {
        JsonNode expected = mode.expected(scenario).deepCopy();
        JsonNode ours = actual.deepCopy();
        if (mode.outcomeKey(scenario).equals(ReplayMode.RELEASE.key())) {
            dropConstantScores(expected);
            dropConstantScores(ours);
        }
        if (mode.outcomeKey(scenario).equals(ReplayMode.FRAMEWORK.key()) && checksAll(scenario)) {
            JsonNode legacy = scenario.path("expected").path("legacy");
            if (failsOnlyWhenAllAreChecked(expected, legacy)) {
                // From there on the pods are elsewhere.
                ((ObjectNode) expected).set("pods", legacy.path("pods").deepCopy());
                dropScores(expected);
                dropScores(ours);
            } else {
                takeFailuresFromLegacy(expected, legacy);
            }
        }
        dropWhatIsNotRecorded(expected, ours);
        if (mode == ReplayMode.RELEASE && scenario.has("release")) {
            dropWhatReleasesDoNotRecord(expected, ours);
        }
        List<String> differences = new ArrayList<>();
        compare("", expected, ours, differences);
        return differences;
    }

    /** Whether a pod is feasible only because a failing predicate is not evaluated on a node that another one rejects. */
    private static boolean failsOnlyWhenAllAreChecked(JsonNode expected, JsonNode legacy) {
        for (int i = 0; i < expected.path("pods").size(); i++) {
            JsonNode other = legacy.path("pods").path(i);
            if (expected.path("pods").get(i).has("bound") && other.has("error") && !other.has("failures")) {
                return true;
            }
        }
        return false;
    }

    /**
     * Up to 1.22, a plugin without work for a pod gave all nodes the same score. Only differences between nodes matter, so that
     * scores and totals are compared relative to the lowest one, and a plugin without differences counts as skipped.
     */
    private static void dropConstantScores(JsonNode outcome) {
        for (JsonNode pod : outcome.path("pods")) {
            if (pod.path("scores") instanceof ObjectNode scores) {
                List<String> plugins = new ArrayList<>();
                scores.fieldNames().forEachRemaining(plugins::add);
                for (String plugin : plugins) {
                    if (subtractLowest(scores.path(plugin)) == 0) {
                        scores.remove(plugin);
                        if (pod.path("weights") instanceof ObjectNode weights) {
                            weights.remove(plugin);
                        }
                    }
                }
                if (scores.isEmpty()) {
                    ((ObjectNode) pod).remove(List.of("scores", "weights"));
                }
            }
            subtractLowest(pod.path("totals"));
        }
    }

    /** Shifts the lowest value to 0, and returns the highest one. */
    private static long subtractLowest(JsonNode values) {
        if (!(values instanceof ObjectNode byNode) || byNode.isEmpty()) {
            return 0;
        }
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (JsonNode value : byNode) {
            lowest = Math.min(lowest, value.asLong());
            highest = Math.max(highest, value.asLong());
        }
        for (Map.Entry<String, JsonNode> entry : byNode.properties()) {
            entry.setValue(LongNode.valueOf(entry.getValue().asLong() - lowest));
        }
        return highest - lowest;
    }

    /** Functions and plugins have different names for them. */
    private static void dropScores(JsonNode outcome) {
        for (JsonNode pod : outcome.path("pods")) {
            ((ObjectNode) pod).remove(SCORE_KEYS);
        }
    }

    private static boolean checksAll(JsonNode scenario) {
        return scenario.path("policy").path("alwaysCheckAllPredicates").asBoolean()
                || scenario.path("policyText").asText("").contains("\"alwaysCheckAllPredicates\": true");
    }

    private static void takeFailuresFromLegacy(JsonNode expected, JsonNode legacy) {
        for (int i = 0; i < expected.path("pods").size(); i++) {
            ObjectNode pod = (ObjectNode) expected.path("pods").get(i);
            JsonNode other = legacy.path("pods").path(i);
            for (String key : CHECK_ALL_KEYS) {
                pod.remove(key);
                if (other.has(key)) {
                    pod.set(key, other.get(key));
                }
            }
        }
    }

    /** Recordings omit preemption if its result is random. */
    private static void dropWhatIsNotRecorded(JsonNode expected, JsonNode actual) {
        for (int i = 0; i < actual.path("pods").size(); i++) {
            if (!expected.path("pods").path(i).has("preemption")) {
                ((ObjectNode) actual.path("pods").get(i)).remove("preemption");
            }
        }
    }

    /**
     * Recordings of other releases omit empty lists and objects. Some omit the plugins of a configuration with pods, and contain
     * only the plugin of a gate.
     */
    private static void dropWhatReleasesDoNotRecord(JsonNode expected, JsonNode actual) {
        dropEmpty(expected);
        dropEmpty(actual);
        if (expected.has("pods") && !expected.has("plugins") && actual instanceof ObjectNode outcome) {
            outcome.remove("plugins");
        }
        for (int i = 0; i < actual.path("pods").size(); i++) {
            JsonNode recorded = expected.path("pods").path(i);
            ObjectNode pod = (ObjectNode) actual.path("pods").get(i);
            if (pod.path("gated") instanceof ObjectNode gate) {
                List<String> keys = new ArrayList<>();
                gate.fieldNames().forEachRemaining(keys::add);
                keys.removeIf(recorded.path("gated")::has);
                gate.remove(keys);
            }
        }
    }

    private static void dropEmpty(JsonNode node) {
        for (JsonNode child : node) {
            dropEmpty(child);
        }
        if (node instanceof ObjectNode object) {
            List<String> empty = new ArrayList<>();
            object.properties().forEach(entry -> {
                if (entry.getValue().isContainerNode() && entry.getValue().isEmpty()) {
                    empty.add(entry.getKey());
                }
            });
            object.remove(empty);
        }
    }

    private static void compare(String path, JsonNode expected, JsonNode actual, List<String> differences) {
        if (expected.isObject() && actual.isObject()) {
            Set<String> keys = new TreeSet<>();
            expected.fieldNames().forEachRemaining(keys::add);
            actual.fieldNames().forEachRemaining(keys::add);
            for (String key : keys) {
                compare(path.isEmpty() ? key : path + "." + key, expected.path(key), actual.path(key), differences);
            }
        } else if (expected.isArray() && actual.isArray() && expected.size() == actual.size()) {
            Iterator<JsonNode> mine = actual.elements();
            int index = 0;
            for (JsonNode element : expected) {
                compare(path + "[" + index++ + "]", element, mine.next(), differences);
            }
        } else if (!same(path, expected, actual)) {
            differences.add(path + ": recorded " + shown(expected) + ", here " + shown(actual));
        }
    }

    private static boolean same(String path, JsonNode expected, JsonNode actual) {
        if (expected.isNumber() && actual.isNumber()) {
            return expected.asLong() == actual.asLong();
        }
        if (path.equals("configError") && actual.asText("").endsWith(": " + expected.asText(""))) {
            // Some recordings begin with the plugin that rejects its arguments.
            return true;
        }
        if (path.endsWith("error") || path.equals("configError")) {
            return sameError(expected.asText(""), actual.asText(""));
        }
        return expected.equals(actual);
    }

    private static boolean sameError(String recorded, String actual) {
        String expected = EXCERPT.matcher(recorded).replaceFirst("");
        if (expected.equals(actual) || List.of(expected.split(" \\| ", -1)).contains(actual)) {
            return true;
        }
        // The Go JSON library reports any one of several unknown fields.
        return expected.contains("strict decoder error for ")
                && actual.contains("strict decoder error for ")
                && STRICT_DECODER.matcher(expected).results().toList().isEmpty()
                        == STRICT_DECODER.matcher(actual).results().toList().isEmpty();
    }

    private static String shown(JsonNode node) {
        String text = node.isMissingNode() ? "nothing" : node.toString();
        return text.length() <= 300 ? text : text.substring(0, 300) + "...";
    }
}
