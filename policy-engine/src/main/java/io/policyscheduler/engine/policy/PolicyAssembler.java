package io.policyscheduler.engine.policy;

import java.util.ArrayList;
import java.util.List;
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
                warnings);
    }

    private PredicatePolicy predicate(RawObject raw) {
        return new PredicatePolicy(raw.string("name"), predicateArgument(raw.object("argument")), raw.position());
    }

    private static @Nullable PredicateArgument predicateArgument(@Nullable RawObject raw) {
        if (raw == null) {
            return null;
        }
        RawObject affinity = raw.object("serviceAffinity");
        RawObject presence = raw.object("labelsPresence");
        return new PredicateArgument(
                affinity == null ? null : new PredicateArgument.ServiceAffinity(strings(affinity, "labels")),
                presence == null
                        ? null
                        : new PredicateArgument.LabelsPresence(strings(presence, "labels"), presence.bool("presence")));
    }

    private PriorityPolicy priority(RawObject raw) {
        return new PriorityPolicy(
                raw.string("name"), raw.number("weight"), priorityArgument(raw.object("argument")), raw.position());
    }

    private static @Nullable PriorityArgument priorityArgument(@Nullable RawObject raw) {
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
                ratio == null ? null : ratio(ratio));
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
    private static <T> @Nullable List<T> objects(RawObject raw, String name, Function<RawObject, T> make) {
        List<?> items = raw.list(name);
        if (items == null) {
            return null;
        }
        List<T> made = new ArrayList<>();
        for (Object item : items) {
            if (item instanceof RawObject object) {
                made.add(make.apply(object));
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
