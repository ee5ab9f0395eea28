package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmConfig.ShapePoint;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.RulePredicate;
import io.policyscheduler.engine.rules.RulePriority;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.testing.Siblings;
import java.io.IOException;
import java.time.Clock;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * An algorithm that claims to read one node only must not read anything else, nor the fields in which pods of one kind differ: its results are reused
 * for them as long as that node does not change.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ScopeTest {
    private static final int SNAPSHOTS = 80;
    private static final RuleCompiler COMPILER = RuleCompiler.standard();

    private final AlgorithmRegistry registry = Algorithms.registry();
    private final List<ScenarioObjects> snapshots = new ArrayList<>();

    /** Arguments with which every algorithm has an effect. */
    private final AlgorithmConfig config = config(FeatureGates.defaults());

    /** For predicates that only have an effect in the newest release. */
    private final AlgorithmConfig newest = config(FeatureGates.defaults().at(Release.NEWEST));

    private static AlgorithmConfig config(FeatureGates gates) {
        return new AlgorithmConfig(
                List.of("zone"),
                List.of("size"),
                List.of("zone"),
                List.of("zone"),
                List.of("size"),
                List.of("zone"),
                List.of(new ShapePoint(0, 0), new ShapePoint(100, 100)),
                Map.of("cpu", 1L, "memory", 2L, "example.com/gpu", 3L),
                Set.of(),
                1,
                gates,
                name -> "",
                Set.of());
    }

    @BeforeAll
    void readWorlds() throws IOException {
        for (long seed = 1; seed <= SNAPSHOTS; seed++) {
            ObjectNode scenario = RandomCluster.scenario(seed, registry);
            snapshots.add(new ScenarioObjects(scenario));
        }
        snapshots.add(new ScenarioObjects(withDeclaredFeatures(RandomCluster.scenario(1, registry))));
    }

    /** Random snapshots have no declared features. Here all pods require one, and every second node declares it. */
    private static ObjectNode withDeclaredFeatures(ObjectNode scenario) {
        int nodes = 0;
        for (JsonNode object : scenario.path("cluster")) {
            if (object.path("kind").asText().equals("Node") && nodes++ % 2 == 1) {
                ((ObjectNode) object)
                        .withObject("/status")
                        .putArray("declaredFeatures")
                        .add("UserNamespacesHostNetworkSupport");
            }
        }
        for (JsonNode pod : scenario.path("pending")) {
            ((ObjectNode) pod).withObject("/spec").put("hostNetwork", true).put("hostUsers", false);
        }
        return scenario;
    }

    @TestFactory
    Stream<DynamicTest> predicatesOfOneNode() {
        return registry.predicateNames().stream()
                .map(name ->
                        registry.predicate(name, name.equals(KnownAlgorithms.NODE_DECLARED_FEATURES) ? newest : config))
                .filter(predicate -> predicate.scope() == Scope.NODE)
                .map(predicate -> dynamicTest(predicate.name(), () -> exercise(predicate)));
    }

    @TestFactory
    Stream<DynamicTest> prioritiesOfOneNode() {
        return registry.priorityNames().stream()
                .map(name -> registry.priority(name, config))
                .filter(priority -> priority.scope() == Scope.NODE)
                .map(priority -> dynamicTest(priority.name(), () -> exercise(priority)));
    }

    /** The checker infers what a rule reads. */
    @TestFactory
    Stream<DynamicTest> rulesOfOneNode() {
        RuleFailures failures = new RuleFailures(Clock.systemUTC());
        List<DynamicTest> tests = new ArrayList<>();
        for (String expression : RandomRules.PREDICATES) {
            Predicate predicate = compiled(expression, rule -> RulePredicate.compile(rule, COMPILER, failures));
            if (predicate.scope() == Scope.NODE) {
                tests.add(dynamicTest(expression, () -> exercise(predicate)));
            }
        }
        for (String expression : RandomRules.PRIORITIES) {
            Priority priority = compiled(expression, rule -> RulePriority.compile(rule, COMPILER, failures));
            if (priority.scope() == Scope.NODE) {
                tests.add(dynamicTest(expression, () -> exercise(priority)));
            }
        }
        assertTrue(tests.size() > 8, tests::toString);
        return tests.stream();
    }

    private interface RuleFactory<T> {
        T compile(RuleDefinition rule) throws RuleException;
    }

    private static <T> T compiled(String expression, RuleFactory<T> factory) {
        RuleDefinition definition = new RuleDefinition(
                "R", "", expression, null, Map.of(), null, null, null, null, new RuleDefinition.Place("", 0, 0));
        try {
            return factory.compile(definition);
        } catch (RuleException e) {
            throw new AssertionError(expression, e);
        }
    }

    @Test
    void someAlgorithmsOfEachKindReadOneNode() {
        assertAll(
                () -> assertTrue(predicatesOfOneNode().findAny().isPresent()),
                () -> assertTrue(prioritiesOfOneNode().findAny().isPresent()));
    }

    /** The guard detects algorithms with a wrong claim. */
    @Test
    void wrongClaimsAreCaught() {
        Predicate looksAtServices = predicate(context -> {
            boolean none = context.cluster().services("default").isEmpty();
            return node -> none ? Verdict.FITS : Verdict.error("services");
        });
        Predicate looksWhenAsked = predicate(
                context -> node -> context.cluster().node(node.name()) == null ? Verdict.error("gone") : Verdict.FITS);
        Predicate looksAtNames = predicate(
                context -> node -> context.pod().name().endsWith("-sibling") ? Verdict.FITS : Verdict.error("name"));
        Priority countsNodes = new Priority() {
            @Override
            public String name() {
                return "CountsNodes";
            }

            @Override
            public Scope scope() {
                return Scope.NODE;
            }

            @Override
            public PodScorer start(PodContext context, List<NodeInfo> feasible) {
                return node -> feasible.size();
            }
        };
        assertAll(
                () -> assertThrows(AssertionError.class, () -> exercise(looksAtServices)),
                () -> assertThrows(AssertionError.class, () -> exercise(looksWhenAsked)),
                () -> assertThrows(AssertionError.class, () -> exercise(looksAtNames)),
                () -> assertThrows(AssertionError.class, () -> exercise(countsNodes)));
    }

    private interface Starter {
        PodFilter start(PodContext context);
    }

    private static Predicate predicate(Starter starter) {
        return new Predicate() {
            @Override
            public String name() {
                return "Fake";
            }

            @Override
            public Scope scope() {
                return Scope.NODE;
            }

            @Override
            public PodFilter start(PodContext context) {
                return starter.start(context);
            }
        };
    }

    private void exercise(Predicate predicate) {
        Set<Boolean> answers = new TreeSet<>();
        for (ScenarioObjects each : snapshots) {
            for (PodInfo pod : each.pods()) {
                PodFilter filter = predicate.start(withoutCluster(pod));
                PodFilter ofSibling = predicate.start(withoutCluster(Siblings.of(pod, pod.name() + "-sibling")));
                for (NodeInfo node : each.nodes()) {
                    answers.add(filter.check(node).fits());
                    assertEquals(filter.check(node), ofSibling.check(node), "a sibling gets another answer");
                    PodFilter copy = filter.copy();
                    copy.addPod(pod, node);
                    copy.removePod(pod, node);
                }
            }
        }
        assertEquals(Set.of(true, false), answers, "the snapshots do not exercise " + predicate.name());
    }

    private void exercise(Priority priority) {
        Set<Long> scores = new TreeSet<>();
        for (ScenarioObjects each : snapshots) {
            for (PodInfo pod : each.pods()) {
                PodScorer scorer = priority.start(withoutCluster(pod), new FailingNodes());
                PodScorer ofSibling =
                        priority.start(withoutCluster(Siblings.of(pod, pod.name() + "-sibling")), new FailingNodes());
                for (NodeInfo node : each.nodes()) {
                    scores.add(scorer.score(node));
                    assertEquals(scorer.score(node), ofSibling.score(node), "a sibling gets another score");
                }
            }
        }
        assertTrue(scores.size() > 1, () -> "the snapshots do not exercise " + priority.name() + ": " + scores);
    }

    private static PodContext withoutCluster(PodInfo pod) {
        return new PodContext(pod, new FailingView(), true);
    }

    /** The other feasible nodes, which only score normalization may read. */
    private static final class FailingNodes extends AbstractList<NodeInfo> {
        @Override
        public NodeInfo get(int index) {
            throw new AssertionError("looked at the other feasible nodes");
        }

        @Override
        public int size() {
            throw new AssertionError("counted the other feasible nodes");
        }
    }
}
