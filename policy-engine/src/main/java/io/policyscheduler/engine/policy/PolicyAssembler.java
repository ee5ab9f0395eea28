package io.policyscheduler.engine.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.document.DecodedObject;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.extender.ExtenderReader;
import io.policyscheduler.engine.policy.Policy.PredicateArgument;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.table.TableDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes the records of a Policy from decoded structs. */
final class PolicyAssembler {
    private final String file;

    PolicyAssembler(String file) {
        this.file = file;
    }

    Policy policy(DecodedObject raw, Map<String, TableDefinition> tables, List<Warning> warnings) {
        return new Policy(
                file,
                entries(raw, "predicates", this::predicate),
                entries(raw, "priorities", this::priority),
                ExtenderReader.read(raw),
                (int) raw.number("hardPodAffinitySymmetricWeight"),
                raw.position("hardPodAffinitySymmetricWeight"),
                raw.bool("alwaysCheckAllPredicates"),
                raw.position("alwaysCheckAllPredicates"),
                rules(raw),
                tables,
                warnings);
    }

    private PredicatePolicy predicate(DecodedObject raw) {
        return new PredicatePolicy(
                raw.string("name"), predicateArgument(raw.string("name"), raw.object("argument")), raw.position());
    }

    private @Nullable PredicateArgument predicateArgument(String name, @Nullable DecodedObject raw) {
        if (raw == null) {
            return null;
        }
        DecodedObject affinity = raw.object("serviceAffinity");
        DecodedObject presence = raw.object("labelsPresence");
        return new PredicateArgument(
                affinity == null ? null : new PredicateArgument.ServiceAffinity(affinity.strings("labels")),
                presence == null
                        ? null
                        : new PredicateArgument.LabelsPresence(presence.strings("labels"), presence.bool("presence")),
                rule(name, raw.object("rule")));
    }

    private PriorityPolicy priority(DecodedObject raw) {
        return new PriorityPolicy(
                raw.string("name"),
                raw.number("weight"),
                priorityArgument(raw.string("name"), raw.object("argument")),
                raw.position());
    }

    private @Nullable PriorityArgument priorityArgument(String name, @Nullable DecodedObject raw) {
        if (raw == null) {
            return null;
        }
        DecodedObject antiAffinity = raw.object("serviceAntiAffinity");
        DecodedObject preference = raw.object("labelPreference");
        DecodedObject ratio = raw.object("requestedToCapacityRatioArguments");
        return new PriorityArgument(
                antiAffinity == null ? null : new PriorityArgument.ServiceAntiAffinity(antiAffinity.string("label")),
                preference == null
                        ? null
                        : new PriorityArgument.LabelPreference(preference.string("label"), preference.bool("presence")),
                ratio == null ? null : ratio(ratio),
                rule(name, raw.object("rule")));
    }

    private @Nullable RuleDefinition rule(String name, @Nullable DecodedObject raw) {
        if (raw == null) {
            return null;
        }
        SourcePosition position = raw.has("expression") ? raw.position("expression") : raw.position();
        return new RuleDefinition(
                name,
                raw.string("use"),
                raw.string("expression"),
                raw.has("when") ? raw.string("when") : null,
                params(raw.any("params")),
                raw.has("reason") ? raw.string("reason") : null,
                raw.has("resolvable") ? raw.bool("resolvable") : null,
                raw.has("normalize") ? raw.string("normalize") : null,
                raw.has("onError") ? raw.string("onError") : null,
                new RuleDefinition.Place(file, position.line(), position.column()));
    }

    /** The rules of a {@code rules} list. */
    List<RuleDefinition> rules(DecodedObject raw) {
        List<RuleDefinition> rules = new ArrayList<>();
        for (DecodedObject one : raw.objects("rules")) {
            RuleDefinition rule = rule(one.string("name"), one);
            if (rule != null) {
                rules.add(rule);
            }
        }
        return rules;
    }

    /** What rules do not have (null, objects) stays a JsonNode, which the rule compiler refuses with the name. */
    private static Map<String, Object> params(@Nullable JsonNode raw) {
        Map<String, Object> params = new TreeMap<>();
        if (raw instanceof ObjectNode object) {
            object.properties().forEach(param -> params.put(param.getKey(), param(param.getValue())));
        } else if (raw != null) {
            params.put("", raw);
        }
        return params;
    }

    private static Object param(JsonNode value) {
        if (value.isArray()) {
            List<Object> items = new ArrayList<>();
            value.forEach(item -> items.add(param(item)));
            return items;
        }
        if (value.isBoolean()) {
            return value.asBoolean();
        }
        if (value.isNumber()) {
            return value.asDouble();
        }
        return value.isTextual() ? value.asText() : value;
    }

    private static PriorityArgument.RatioArguments ratio(DecodedObject raw) {
        return new PriorityArgument.RatioArguments(
                raw.objects("shape").stream()
                        .map(point -> new PriorityArgument.ShapePoint(
                                (int) point.number("utilization"), (int) point.number("score")))
                        .toList(),
                raw.objects("resources").stream()
                        .map(resource -> new PriorityArgument.ResourceWeight(
                                resource.string("name"), resource.number("weight"), resource.position()))
                        .toList());
    }

    /** Null if the list is missing or null. */
    private static <T> @Nullable List<T> entries(DecodedObject raw, String name, Function<DecodedObject, T> make) {
        List<DecodedObject> items = raw.objectsOrNull(name);
        return items == null ? null : items.stream().map(make).toList();
    }
}
