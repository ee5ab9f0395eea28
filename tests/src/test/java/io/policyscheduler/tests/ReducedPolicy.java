package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.functions.FunctionAlgorithm;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.PolicySchedulers.FunctionScheduler;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A policy file from which entries are removed before it is read. */
final class ReducedPolicy {
    private static final List<String> GENERAL =
            List.of("PodFitsResources", "HostName", "PodFitsHostPorts", "MatchNodeSelector");
    /** The algorithm that an argument creates, whatever the entry's name. */
    private static final Map<String, String> BY_ARGUMENT = Map.of(
            "labelsPresence",
            KnownAlgorithms.CHECK_NODE_LABEL_PRESENCE,
            "serviceAffinity",
            KnownAlgorithms.CHECK_SERVICE_AFFINITY,
            "labelPreference",
            KnownAlgorithms.NODE_LABEL,
            "serviceAntiAffinity",
            KnownAlgorithms.SERVICE_AFFINITY,
            "requestedToCapacityRatioArguments",
            KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO);

    private final ObjectNode document;
    private final AlgorithmRegistry registry;

    ReducedPolicy(Path file, AlgorithmRegistry registry) throws IOException {
        this.document = (ObjectNode) new YAMLMapper().readTree(Files.readString(file));
        this.registry = registry;
    }

    EffectivePolicy without(Adjustment adjustment) throws PolicyException {
        ObjectNode reduced = document.deepCopy();
        ArrayNode predicates = reduced.withArray("predicates");
        if (!Collections.disjoint(adjustment.withoutFilters(), GENERAL)
                && strike(predicates, Set.of("GeneralPredicates"))) {
            GENERAL.forEach(part -> predicates.addObject().put("name", part));
        }
        strike(predicates, adjustment.withoutFilters());
        strike(reduced.withArray("priorities"), adjustment.withoutScores());
        return new PolicyResolver(FeatureGates.defaults(), 1, false, registry)
                .resolve(new PolicyReader().read(reduced.toString(), "reduced.json"));
    }

    private static boolean strike(ArrayNode entries, Set<String> names) {
        boolean found = false;
        for (Iterator<JsonNode> all = entries.elements(); all.hasNext(); ) {
            JsonNode entry = all.next();
            String name = entry.path("name").asText();
            for (Map.Entry<String, String> argument : BY_ARGUMENT.entrySet()) {
                if (entry.path("argument").has(argument.getKey())) {
                    name = argument.getValue();
                }
            }
            if (names.contains(name)) {
                all.remove();
                found = true;
            }
        }
        return found;
    }

    /** Removes the two mandatory predicates from the parsed policy. */
    SnapshotScheduler decider(Adjustment adjustment, ClusterState cluster) throws PolicyException {
        EffectivePolicy policy = without(adjustment);
        AlgorithmConfig config = policy.algorithmConfig(name -> "");
        List<Predicate> predicates = new ArrayList<>();
        for (String key : policy.evaluationOrder()) {
            if (!adjustment.withoutFilters().contains(key)) {
                predicates.add(policy.predicate(key, registry, config));
            }
        }
        List<WeightedPriority> priorities = new ArrayList<>();
        policy.priorities()
                .forEach((key, weight) ->
                        priorities.add(new WeightedPriority(policy.priority(key, registry, config), weight)));
        return new FunctionScheduler(new FunctionAlgorithm(predicates, priorities, false), cluster, TieBreak.first());
    }
}
