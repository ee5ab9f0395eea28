package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.rules.RuleDefinition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes the records of a Policy from decoded structs. */
final class PolicyAssembler {
    private final String file;

    PolicyAssembler(String file) {
        this.file = file;
    }

    Policy policy(RawObject raw, List<PolicyWarning> warnings) {
        List<ExtenderConfig> extenders = objects(raw, "extenders", this::extender);
        return new Policy(
                file,
                objects(raw, "predicates", this::predicate),
                objects(raw, "priorities", this::priority),
                extenders == null ? List.of() : extenders,
                (int) raw.number("hardPodAffinitySymmetricWeight"),
                raw.position("hardPodAffinitySymmetricWeight"),
                raw.bool("alwaysCheckAllPredicates"),
                raw.position("alwaysCheckAllPredicates"),
                rules(raw),
                warnings);
    }

    private PredicatePolicy predicate(RawObject raw) {
        return new PredicatePolicy(
                raw.string("name"), predicateArgument(raw.string("name"), raw.object("argument")), raw.position());
    }

    private @Nullable PredicateArgument predicateArgument(String name, @Nullable RawObject raw) {
        if (raw == null) {
            return null;
        }
        RawObject affinity = raw.object("serviceAffinity");
        RawObject presence = raw.object("labelsPresence");
        return new PredicateArgument(
                affinity == null ? null : new PredicateArgument.ServiceAffinity(strings(affinity, "labels")),
                presence == null
                        ? null
                        : new PredicateArgument.LabelsPresence(strings(presence, "labels"), presence.bool("presence")),
                rule(name, raw.object("rule")));
    }

    private PriorityPolicy priority(RawObject raw) {
        return new PriorityPolicy(
                raw.string("name"),
                raw.number("weight"),
                priorityArgument(raw.string("name"), raw.object("argument")),
                raw.position());
    }

    private @Nullable PriorityArgument priorityArgument(String name, @Nullable RawObject raw) {
        if (raw == null) {
            return null;
        }
        RawObject antiAffinity = raw.object("serviceAntiAffinity");
        RawObject preference = raw.object("labelPreference");
        RawObject ratio = raw.object("requestedToCapacityRatioArguments");
        return new PriorityArgument(
                antiAffinity == null ? null : new PriorityArgument.ServiceAntiAffinity(antiAffinity.string("label")),
                preference == null
                        ? null
                        : new PriorityArgument.LabelPreference(preference.string("label"), preference.bool("presence")),
                ratio == null ? null : ratio(ratio),
                rule(name, raw.object("rule")));
    }

    private @Nullable RuleDefinition rule(String name, @Nullable RawObject raw) {
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
    List<RuleDefinition> rules(RawObject raw) {
        List<RuleDefinition> rules = objects(raw, "rules", rule -> rule(rule.string("name"), rule));
        return rules == null ? List.of() : rules;
    }

    /** What rules do not have (null, objects) stays a JsonNode, which the rule compiler refuses with the name. */
    private static Map<String, Object> params(@Nullable JsonNode raw) {
        Map<String, Object> params = new LinkedHashMap<>();
        if (raw == null || raw.kind() == JsonNode.Kind.NULL) {
            return params;
        }
        if (raw.kind() != JsonNode.Kind.OBJECT) {
            params.put("", raw);
            return params;
        }
        raw.members().forEach(member -> params.put(member.key(), param(member.value())));
        return params;
    }

    private static Object param(JsonNode value) {
        return switch (value.kind()) {
            case BOOL -> value.text().equals("true");
            case NUMBER -> Double.parseDouble(value.text());
            case STRING -> value.text();
            case ARRAY -> value.items().stream().map(PolicyAssembler::param).toList();
            case NULL, OBJECT -> value;
        };
    }

    private static PriorityArgument.RatioArguments ratio(RawObject raw) {
        List<PriorityArgument.ShapePoint> shape = objects(
                raw,
                "shape",
                point -> new PriorityArgument.ShapePoint(
                        (int) point.number("utilization"), (int) point.number("score")));
        List<PriorityArgument.ResourceWeight> resources = objects(
                raw,
                "resources",
                resource -> new PriorityArgument.ResourceWeight(
                        resource.string("name"), resource.number("weight"), resource.position()));
        return new PriorityArgument.RatioArguments(
                shape == null ? List.of() : shape, resources == null ? List.of() : resources);
    }

    private ExtenderConfig extender(RawObject raw) {
        RawObject tls = raw.object("tlsConfig");
        List<ManagedResource> managed = objects(
                raw,
                "managedResources",
                resource -> new ManagedResource(
                        resource.string("name"), resource.bool("ignoredByScheduler"), resource.position()));
        return new ExtenderConfig(
                raw.string("urlPrefix"),
                raw.string("filterVerb"),
                raw.string("preemptVerb"),
                raw.string("prioritizeVerb"),
                raw.number("weight"),
                raw.string("bindVerb"),
                raw.bool("enableHttps"),
                tls == null ? null : tls(tls),
                raw.number("httpTimeout"),
                raw.bool("nodeCacheCapable"),
                managed == null ? List.of() : managed,
                raw.bool("ignorable"),
                raw.position(),
                raw.position("httpTimeout"));
    }

    private static ExtenderTls tls(RawObject raw) {
        return new ExtenderTls(
                raw.bool("insecure"),
                raw.string("serverName"),
                raw.string("certFile"),
                raw.string("keyFile"),
                raw.string("caFile"),
                raw.string("certData"),
                raw.string("keyData"),
                raw.string("caData"));
    }

    /** Null if the list is missing or null. */
    private static <T> @Nullable List<T> objects(RawObject raw, String name, Function<RawObject, @Nullable T> make) {
        List<?> items = raw.list(name);
        if (items == null) {
            return null;
        }
        List<T> made = new ArrayList<>();
        for (Object item : items) {
            if (item instanceof RawObject object) {
                T one = make.apply(object);
                if (one != null) {
                    made.add(one);
                }
            }
        }
        return made;
    }

    /** A null among the strings is an empty string. */
    private static List<String> strings(RawObject raw, String name) {
        List<?> items = raw.list(name);
        List<String> made = new ArrayList<>();
        if (items != null) {
            for (Object item : items) {
                made.add(item instanceof String text ? text : "");
            }
        }
        return made;
    }
}
