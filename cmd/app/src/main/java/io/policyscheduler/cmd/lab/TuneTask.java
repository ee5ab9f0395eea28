package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.lab.Expectations.Limit;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The file of {@code lab tune}.
 *
 * @param policyFile the file whose weights are searched
 * @param policy its content
 * @param knobs the weights that may change, at least one
 * @param goals one to three metrics, of which the first one selects the result
 * @param limits that each set of weights must keep
 */
record TuneTask(Path policyFile, ObjectNode policy, List<Knob> knobs, List<Goal> goals, List<Limit> limits) {
    private static final Set<String> FIELDS = Set.of("policy", "knobs", "minimize", "maximize", "limits");
    private static final int HIGHEST = 100;
    private static final int MOST_KNOBS = 16;
    private static final int MOST_GOALS = 3;

    /** A weight to be found. */
    record Knob(String name, int low, int high) {
        int weight(double x) {
            return (int) Math.round(Math.exp(Math.log(low) + x * (Math.log(high) - Math.log(low))));
        }

        double position(int weight) {
            double x = low == high
                    ? 0
                    : (Math.log(Math.max(1, weight)) - Math.log(low)) / (Math.log(high) - Math.log(low));
            return Math.min(1, Math.max(0, x));
        }
    }

    /** A metric to be improved. */
    record Goal(String metric, boolean maximize) {
        double cost(double value) {
            return maximize ? -value : value;
        }
    }

    /**
     * Reads a file.
     *
     * @throws InputException if it is not understood
     */
    static TuneTask read(Path file) {
        JsonNode json = LabOptions.readObject(
                file, "policy and minimize or maximize", FIELDS, "policy, knobs, minimize, maximize, limits");
        List<Goal> goals = new ArrayList<>();
        for (String field : List.of("minimize", "maximize")) {
            JsonNode metrics = json.path(field);
            if (metrics.isTextual()) {
                goals.add(new Goal(metrics.asText(), field.equals("maximize")));
            }
            metrics.forEach(metric -> goals.add(new Goal(metric.asText(), field.equals("maximize"))));
        }
        if (goals.isEmpty() || goals.size() > MOST_GOALS) {
            throw problem(file, "minimize and maximize must name one to three metrics");
        }
        String name = json.path("policy").asText();
        if (name.isEmpty()) {
            throw problem(file, "policy is missing; it names a policy file");
        }
        Path policyFile = file.resolveSibling(name);
        ObjectNode policy = readPolicy(file, policyFile);
        List<Limit> limits = new ArrayList<>();
        json.path("limits")
                .properties()
                .forEach(limit -> limits.add(Expectations.limit(
                        file, limit.getKey(), limit.getValue().asText())));
        return new TuneTask(policyFile, policy, knobs(file, json.path("knobs"), policy), goals, limits);
    }

    private static ObjectNode readPolicy(Path file, Path path) {
        if (ManifestFiles.read(path).get(0) instanceof ObjectNode policy
                && policy.path("priorities").isArray()) {
            return policy;
        }
        throw problem(file, "policy: " + path + " has no priorities, whose weights could be searched");
    }

    private static List<Knob> knobs(Path file, JsonNode given, ObjectNode policy) {
        Map<String, Knob> all = new LinkedHashMap<>();
        for (JsonNode priority : policy.path("priorities")) {
            String name = priority.path("name").asText();
            all.put(name, new Knob(name, 1, HIGHEST));
        }
        List<Knob> knobs = new ArrayList<>();
        if (given.isMissingNode()) {
            knobs.addAll(all.values());
        }
        if (given.isArray()) {
            given.forEach(name -> knobs.add(known(file, all, name.asText())));
        }
        given.properties().forEach(knob -> {
            int low = knob.getValue().path(0).asInt();
            int high = knob.getValue().path(1).asInt();
            if (low < 1 || high < low) {
                throw problem(
                        file,
                        "knobs: " + knob.getKey() + ": " + knob.getValue() + " is not [LOW, HIGH] with 1 or more");
            }
            knobs.add(new Knob(known(file, all, knob.getKey()).name(), low, high));
        });
        if (knobs.isEmpty() || knobs.size() > MOST_KNOBS) {
            throw problem(file, "knobs: " + knobs.size() + " weights are not from 1 to " + MOST_KNOBS);
        }
        return knobs;
    }

    private static Knob known(Path file, Map<String, Knob> all, String name) {
        Knob knob = all.get(name);
        if (knob == null) {
            throw problem(file, "knobs: the policy has no priority \"" + name + "\"; it has " + all.keySet());
        }
        return knob;
    }

    private static InputException problem(Path file, String text) {
        return new InputException(file + ": " + text);
    }

    /**
     * Returns the policy with other weights.
     *
     * @param weights of the knobs, in their order
     */
    ObjectNode policyWith(List<Integer> weights) {
        ObjectNode copy = policy.deepCopy();
        for (JsonNode priority : copy.path("priorities")) {
            for (int i = 0; i < weights.size(); i++) {
                if (knobs.get(i).name().equals(priority.path("name").asText())) {
                    ((ObjectNode) priority).put("weight", weights.get(i));
                }
            }
        }
        return copy;
    }
}
