package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.creation.CreationObjects.MissingObjects;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Resolves {@code priorityClassName} to a priority ({@code plugin/pkg/admission/priority}). */
final class Priorities {
    private static final String POLICY = "preemptionPolicy";
    private static final String DEFAULT_POLICY = "PreemptLowerPriority";
    /** The classes that every cluster has. */
    static final Map<String, Integer> SYSTEM_CLASSES =
            new TreeMap<>(Map.of("system-cluster-critical", 2_000_000_000, "system-node-critical", 2_000_001_000));

    private final CreationRules rules;
    private final CreationObjects objects;
    private final @Nullable MissingObjects missing;

    /** @param missing is told of a class that is not there, for pods that count nevertheless; null refuses them */
    Priorities(CreationRules rules, CreationObjects objects, @Nullable MissingObjects missing) {
        this.rules = rules;
        this.objects = objects;
        this.missing = missing;
    }

    /** What nobody has written in a class. */
    void defaults(ObjectNode priorityClass) {
        if (rules.has(NewerField.PREEMPTION_POLICY)) {
            Fields.putIfAbsent(priorityClass, POLICY, DEFAULT_POLICY);
        }
    }

    /** A class by which a pod is ranked. */
    private record Rank(String className, int value, String preemptionPolicy) {}

    void admit(ObjectNode spec) {
        String name = Fields.text(spec, "priorityClassName");
        Optional<Rank> found = name.isEmpty() ? globalDefault() : named(name);
        if (found.isEmpty() && !name.isEmpty()) {
            if (missing == null) {
                throw CreationRefusedException.forbidden("no PriorityClass with name " + name + " was found");
            }
            if (!Fields.has(spec, "priority")) {
                missing.missing(CreationObjects.Kind.PRIORITY_CLASS, name);
            }
        }
        JsonNode given = spec.path("priority");
        if (missing != null && given.isNumber()) {
            return;
        }
        Rank rank = found.orElse(new Rank(name, 0, DEFAULT_POLICY));
        if (given.isNumber() && given.asInt() != rank.value()) {
            throw CreationRefusedException.forbidden("the integer value of priority (" + given.asInt()
                    + ") must not be provided in pod spec; priority admission controller computed " + rank.value()
                    + " from the given PriorityClass name");
        }
        spec.put("priority", rank.value());
        if (!rank.className().isEmpty()) {
            spec.put("priorityClassName", rank.className());
        }
        if (rules.has(NewerField.PREEMPTION_POLICY)) {
            preemptionPolicy(spec, rank.preemptionPolicy());
        }
    }

    private void preemptionPolicy(ObjectNode spec, String computed) {
        String given = Fields.text(spec, POLICY);
        if (!given.isEmpty() && !given.equals(computed) && missing == null) {
            throw CreationRefusedException.forbidden("the string value of PreemptionPolicy (" + given
                    + ") must not be provided in pod spec; priority admission controller computed " + computed
                    + " from the given PriorityClass name");
        }
        Fields.putIfAbsent(spec, POLICY, computed);
    }

    private Optional<Rank> named(String name) {
        Optional<Rank> found = objects.all(CreationObjects.Kind.PRIORITY_CLASS).stream()
                .filter(one -> Fields.text(one, "metadata", "name").equals(name))
                .findFirst()
                .map(Priorities::rank);
        Integer system = SYSTEM_CLASSES.get(name);
        return found.isEmpty() && system != null ? Optional.of(new Rank(name, system, DEFAULT_POLICY)) : found;
    }

    private Optional<Rank> globalDefault() {
        return objects.all(CreationObjects.Kind.PRIORITY_CLASS).stream()
                .filter(one -> one.path("globalDefault").asBoolean())
                .map(Priorities::rank)
                .min(Comparator.comparingInt(Rank::value).thenComparing(Rank::className));
    }

    private static Rank rank(ObjectNode priorityClass) {
        String policy = Fields.text(priorityClass, POLICY);
        return new Rank(
                Fields.text(priorityClass, "metadata", "name"),
                priorityClass.path("value").asInt(),
                policy.isEmpty() ? DEFAULT_POLICY : policy);
    }
}
