package io.policyscheduler.engine.functions;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.FakeAlgorithms.priority;
import static io.policyscheduler.engine.testing.FakeAlgorithms.rejecting;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.functions.FunctionAlgorithm.FunctionAssembly;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PolicyArguments;
import io.policyscheduler.engine.policy.EffectivePolicy.RuleSet;
import io.policyscheduler.engine.policy.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FunctionAssemblyTest {
    private final List<AlgorithmConfig> configs = new ArrayList<>();

    private static EffectivePolicy policy(boolean checkAll, List<String> predicates, Map<String, Long> priorities) {
        TreeMap<String, Origin> origins = new TreeMap<>();
        predicates.forEach(name -> origins.put(name, new Origin(Origin.Kind.FILE, List.of(), "")));
        TreeMap<String, Origin> priorityOrigins = new TreeMap<>();
        priorities.keySet().forEach(name -> priorityOrigins.put(name, new Origin(Origin.Kind.FILE, List.of(), "")));
        return new EffectivePolicy(
                "test",
                origins,
                new TreeMap<>(priorities),
                priorityOrigins,
                new PolicyArguments(
                        List.of("rack"),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        Map.of(),
                        Map.of()),
                List.of(),
                Set.of("a.com/x"),
                checkAll,
                0,
                7,
                FeatureGates.defaults(),
                false,
                List.of(),
                RuleSet.none());
    }

    private AlgorithmRegistry registry(String... predicates) {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        for (String name : predicates) {
            builder.predicate(name, config -> {
                configs.add(config);
                return rejecting(name, List.of("n1"), name);
            });
        }
        return builder.priority("Flat", config -> priority("Flat", node -> 2))
                .priority("Big", config -> priority("Big", node -> 3))
                .build();
    }

    private static Evaluation evaluate(FunctionAlgorithm algorithm, String node) {
        return algorithm.evaluate(pod("p").build(), cluster(node(node).build()), NominatedPods.NONE);
    }

    /** In the order of v1.17's list, then by name; PodFitsPorts never runs. */
    @Test
    void predicatesRunInTheirOrder() {
        String[] names = {"Zebra", "MatchInterPodAffinity", "Aardvark", "CheckNodeUnschedulable", "NoDiskConflict"};
        List<String> listed = new ArrayList<>(List.of(names));
        listed.add("PodFitsPorts");
        Evaluation all =
                evaluate(FunctionAssembly.assemble(policy(true, listed, Map.of()), registry(names), name -> ""), "n1");
        List<String> order =
                List.of("CheckNodeUnschedulable", "NoDiskConflict", "MatchInterPodAffinity", "Aardvark", "Zebra");
        assertEquals(
                List.of(order),
                all.failures().values().stream().map(f -> f.reasons()).toList());
        Evaluation first =
                evaluate(FunctionAssembly.assemble(policy(false, listed, Map.of()), registry(names), name -> ""), "n1");
        assertEquals("0/1 nodes are available: 1 CheckNodeUnschedulable.", first.error());
    }

    @Test
    void prioritiesKeepTheirWeights() {
        Evaluation evaluation = evaluate(
                FunctionAssembly.assemble(
                        policy(false, List.of(), Map.of("Flat", 10L, "Big", 1L << 40)), registry(), name -> ""),
                "n2");
        assertEquals(Map.of("Flat", 10L, "Big", 1L << 40), evaluation.weights());
        assertEquals(Map.of("n2", 20 + (3L << 40)), evaluation.totals());
    }

    @Test
    void algorithmsAreToldTheArguments() {
        FunctionAssembly.assemble(policy(false, List.of("A"), Map.of()), registry("A"), name -> name + "!");
        AlgorithmConfig config = configs.get(0);
        assertEquals(List.of("rack"), config.presentLabels());
        assertEquals(Set.of("a.com/x"), config.ignoredResources());
        assertEquals(7, config.hardPodAffinityWeight());
        assertEquals("X!", config.environment().apply("X"));
    }

    @Test
    void whatIsMissingIsNamed() {
        assertEquals(
                "no predicate named A",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> FunctionAssembly.assemble(
                                        policy(false, List.of("A"), Map.of()), registry(), name -> ""))
                        .getMessage());
        assertEquals(
                "no priority named X",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> FunctionAssembly.assemble(
                                        policy(false, List.of(), Map.of("X", 1L)), registry(), name -> ""))
                        .getMessage());
    }
}
