package io.policyscheduler.framework.insight.migrate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PolicyArguments;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import io.policyscheduler.engine.rules.RuleDefinition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Writes a Policy of some of another one's algorithms, in the format that {@code PolicyReader} reads. */
final class ReducedPolicy {
    private static final int SCORE_FACTOR = 10;

    private final EffectivePolicy policy;
    private final PolicyItems items;
    private final Set<String> used = new TreeSet<>();

    ReducedPolicy(EffectivePolicy policy, PolicyItems items) {
        this.policy = policy;
        this.items = items;
    }

    /** Both lists are there, so that no defaults come in. */
    ObjectNode json(List<String> predicates, Map<String, Long> priorities) {
        ObjectNode root =
                JsonNodeFactory.instance.objectNode().put("kind", "Policy").put("apiVersion", "v1");
        ArrayNode predicateList = root.putArray("predicates");
        predicates.forEach(key -> predicate(predicateList.addObject(), key));
        ArrayNode priorityList = root.putArray("priorities");
        priorities.forEach((key, weight) -> priority(priorityList.addObject(), key, weight));
        rules(root);
        return root;
    }

    private void predicate(ObjectNode entry, String key) {
        PredicatePolicy rule = items.predicateEntries().stream()
                .filter(given -> given.name().equals(key)
                        && given.argument() != null
                        && given.argument().rule() != null)
                .findFirst()
                .orElse(null);
        entry.put("name", items.predicate(key).get(0).name());
        if (rule != null && rule.argument() != null && rule.argument().rule() != null) {
            rule(entry.putObject("argument").putObject("rule"), rule.argument().rule());
        } else if (key.equals(KnownAlgorithms.CHECK_SERVICE_AFFINITY)) {
            ArrayNode labels =
                    entry.putObject("argument").putObject("serviceAffinity").putArray("labels");
            policy.arguments().affinityLabels().forEach(labels::add);
        }
    }

    private void priority(ObjectNode entry, String key, long weight) {
        PriorityPolicy rule = items.priorityEntries().stream()
                .filter(given -> given.name().equals(key)
                        && given.argument() != null
                        && given.argument().rule() != null)
                .findFirst()
                .orElse(null);
        entry.put("name", items.priority(key).get(0).name()).put("weight", weight);
        if (rule != null && rule.argument() != null && rule.argument().rule() != null) {
            rule(entry.putObject("argument").putObject("rule"), rule.argument().rule());
        } else if (key.equals(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO)) {
            ratio(entry.putObject("argument").putObject("requestedToCapacityRatioArguments"));
        }
    }

    private void ratio(ObjectNode argument) {
        PolicyArguments arguments = policy.arguments();
        ArrayNode shape = argument.putArray("shape");
        arguments
                .ratioShape()
                .forEach(point -> shape.addObject()
                        .put("utilization", point.utilization())
                        .put("score", point.score() / SCORE_FACTOR));
        ArrayNode resources = argument.putArray("resources");
        arguments
                .ratioResources()
                .forEach((name, weight) ->
                        resources.addObject().put("name", name).put("weight", weight));
    }

    /** The rules of the file that the entries use; those of libraries stay in their files. */
    private void rules(ObjectNode root) {
        Policy file = items.file();
        if (file == null || file.rules().stream().noneMatch(rule -> used.contains(rule.name()))) {
            return;
        }
        ArrayNode list = root.putArray("rules");
        for (RuleDefinition definition : file.rules()) {
            if (used.contains(definition.name())) {
                rule(list.addObject().put("name", definition.name()), definition);
            }
        }
    }

    private void rule(ObjectNode json, RuleDefinition rule) {
        if (!rule.use().isEmpty()) {
            used.add(rule.use());
            json.put("use", rule.use());
        }
        if (!rule.expression().isEmpty()) {
            json.put("expression", rule.expression());
        }
        if (rule.when() != null) {
            json.put("when", rule.when());
        }
        if (!rule.params().isEmpty()) {
            ObjectNode params = json.putObject("params");
            rule.params().forEach((name, value) -> params.putPOJO(name, value));
        }
        if (rule.reason() != null) {
            json.put("reason", rule.reason());
        }
        if (rule.resolvable() != null) {
            json.put("resolvable", rule.resolvable());
        }
        if (rule.normalize() != null) {
            json.put("normalize", rule.normalize());
        }
        if (rule.onError() != null) {
            json.put("onError", rule.onError());
        }
    }
}
