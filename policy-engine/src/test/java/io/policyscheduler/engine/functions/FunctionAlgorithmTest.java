package io.policyscheduler.engine.functions;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.FakeAlgorithms.failing;
import static io.policyscheduler.engine.testing.FakeAlgorithms.podLimit;
import static io.policyscheduler.engine.testing.FakeAlgorithms.predicate;
import static io.policyscheduler.engine.testing.FakeAlgorithms.priority;
import static io.policyscheduler.engine.testing.FakeAlgorithms.rejecting;
import static io.policyscheduler.engine.testing.FakeAlgorithms.scored;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FunctionAlgorithmTest {
    private static final PodInfo POD = pod("p").priority(5).build();
    private static final Predicate UNRESOLVABLE =
            predicate("Fixed", node -> Verdict.unfit(FailureReason.unresolvable("fixed")));
    private static final Predicate ERROR = predicate("Error", node -> Verdict.error("broken"));

    private final ClusterState twoNodes = cluster(node("n1").build(), node("n2").build());

    private static FunctionAlgorithm filtering(boolean checkAll, Predicate... predicates) {
        return new FunctionAlgorithm(List.of(predicates), List.of(), checkAll);
    }

    private static FunctionAlgorithm scoring(Priority... priorities) {
        return new FunctionAlgorithm(
                List.of(),
                Stream.of(priorities).map(p -> new WeightedPriority(p, 1)).toList(),
                false);
    }

    private static Evaluation evaluate(FunctionAlgorithm algorithm, ClusterState cluster) {
        return algorithm.evaluate(POD, cluster, NominatedPods.NONE);
    }

    private static NodeFailure failure(@Nullable String predicate, boolean unresolvable, String... reasons) {
        return new NodeFailure(List.of(reasons), unresolvable, predicate);
    }

    @Test
    void stopsAtTheFirstPredicateThatFails() {
        FunctionAlgorithm algorithm = filtering(false, rejecting("A", List.of("n1"), "a1", "a2"), UNRESOLVABLE);
        assertEquals(
                Evaluation.unfit(
                        2,
                        new TreeMap<>(
                                Map.of("n1", failure("A", false, "a1", "a2"), "n2", failure("Fixed", true, "fixed")))),
                evaluate(algorithm, twoNodes));
    }

    @Test
    void checkAllGoesOn() {
        FunctionAlgorithm algorithm = filtering(true, rejecting("A", List.of("n1"), "a1", "a2"), UNRESOLVABLE);
        Evaluation evaluation = evaluate(algorithm, twoNodes);
        assertEquals(
                Evaluation.unfit(
                        2,
                        new TreeMap<>(Map.of(
                                "n1", failure("A", true, "a1", "a2", "fixed"), "n2", failure("Fixed", true, "fixed")))),
                evaluation);
        assertEquals("0/2 nodes are available: 1 a1, 1 a2, 2 fixed.", evaluation.error());
    }

    @Test
    void anErrorEndsTheAttempt() {
        assertEquals(Evaluation.failed("broken"), evaluate(filtering(false, ERROR), twoNodes));
        assertEquals(
                Evaluation.failed("broken"),
                evaluate(filtering(true, rejecting("A", List.of("n1", "n2"), "a"), ERROR), twoNodes));
        // A node that has failed before is not asked on.
        assertEquals(
                2,
                evaluate(filtering(false, rejecting("A", List.of("n1", "n2"), "a"), ERROR), twoNodes)
                        .failures()
                        .size());
    }

    @Test
    void checksBeforeAnyNode() {
        assertEquals(Evaluation.failed("no nodes available to schedule pods"), evaluate(filtering(false), cluster()));
        assertEquals(
                Evaluation.failed("persistentvolumeclaim \"c\" not found"),
                filtering(false).evaluate(pod("p").claim("c").build(), cluster(), NominatedPods.NONE),
                "even without nodes");
    }

    @Test
    void aNodeWhoseObjectIsGone() {
        twoNodes.removeNode("n1");
        Evaluation evaluation = evaluate(filtering(false, rejecting("A", List.of("n2"), "a")), twoNodes);
        assertEquals("0/2 nodes are available: 1 a, 1 node being deleted.", evaluation.error());
        assertEquals(
                failure(null, true, "node being deleted"), evaluation.failures().get("n1"));
    }

    static Stream<Arguments> nominations() {
        return Stream.of(
                arguments(
                        "lower priority does not count",
                        pod("other").priority(4).build(),
                        true),
                arguments("equal priority counts", pod("other").priority(5).build(), false),
                arguments("higher priority counts", pod("other").priority(6).build(), false),
                arguments("the pod itself does not count", POD, true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nominations")
    void nominatedPodsCountAsRunning(String name, PodInfo other, boolean fits) {
        ClusterState one = cluster(node("n1").build());
        Evaluation evaluation = filtering(false, podLimit(1)).evaluate(POD, one, node -> List.of(other));
        assertEquals(fits ? List.of("n1") : List.of(), evaluation.feasible());
    }

    @Test
    void theNodeMustTakeThePodWithoutThemToo() {
        List<Integer> seen = new ArrayList<>();
        Predicate wantsCompany = predicate("Company", node -> {
            seen.add(node.podCount());
            return node.podCount() > 0 ? Verdict.FITS : Verdict.unfit(FailureReason.resolvable("lonely"));
        });
        ClusterState one = cluster(node("n1").build());
        PodInfo other = pod("other").priority(5).build();
        assertEquals(
                "0/1 nodes are available: 1 lonely.",
                filtering(false, wantsCompany)
                        .evaluate(POD, one, node -> List.of(other))
                        .error());
        assertEquals(List.of(1, 0), seen);
        seen.clear();
        filtering(false, podLimit(1), wantsCompany).evaluate(POD, one, node -> List.of(other));
        assertEquals(List.of(), seen, "a failure with them ends it");
    }

    @Test
    void anotherIncarnationOfThePodIsAnError() {
        PodInfo twin = pod("p").uid("another").priority(5).build();
        assertEquals(
                Evaluation.failed("addedPod and meta.pod must not be the same"),
                filtering(false).evaluate(POD, twoNodes, node -> List.of(twin)));
        // Without metadata there is nothing to add to.
        PodInfo invalid = pod("p").podAffinity(new PodAffinityTerm(
                        LabelSelector.of(Labels.of("a", "not legal"), List.of()), List.of(), "zone", null))
                .build();
        assertEquals(
                List.of("n1", "n2"),
                filtering(false)
                        .evaluate(invalid, twoNodes, node -> List.of(twin))
                        .feasible());
    }

    @Test
    void anErrorWhileCountingEndsTheAttempt() {
        Predicate counting = predicate(
                "Counting",
                context -> new PodFilter() {
                    @Override
                    public Verdict check(NodeInfo node) {
                        return Verdict.FITS;
                    }

                    @Override
                    public @Nullable String addPod(PodInfo added, NodeInfo node) {
                        return "cannot count " + added.name();
                    }
                },
                false);
        PodInfo other = pod("other").priority(5).build();
        assertEquals(
                Evaluation.failed("cannot count other"),
                filtering(false, counting).evaluate(POD, twoNodes, node -> List.of(other)));
    }

    @Test
    void withoutPrioritiesEveryNodeScoresOne() {
        assertEquals(
                new Evaluation(
                        null,
                        false,
                        List.of("n1", "n2"),
                        new TreeMap<>(),
                        Map.of(),
                        Map.of(),
                        NodeValues.of(Map.of("n1", 1L, "n2", 1L))),
                evaluate(filtering(false), twoNodes));
    }

    @Test
    void scoresAreNormalisedAndWeighted() {
        Priority doubling = scored("Doubling", new PodScorer() {
            @Override
            public long score(NodeInfo node) {
                return node.name().equals("n1") ? 10 : 20;
            }

            @Override
            public void normalize(List<NodeInfo> nodes, long[] scores) {
                for (int i = 0; i < scores.length; i++) {
                    scores[i] *= 2;
                }
            }
        });
        FunctionAlgorithm algorithm = new FunctionAlgorithm(
                List.of(rejecting("A", List.of("n3"), "a")),
                List.of(new WeightedPriority(doubling, 3), new WeightedPriority(priority("Flat", node -> 7), 1L << 40)),
                false);
        long flat = 7L << 40;
        assertEquals(
                new Evaluation(
                        null,
                        false,
                        List.of("n1", "n2"),
                        new TreeMap<>(Map.of("n3", failure("A", false, "a"))),
                        Map.of(
                                "Doubling",
                                NodeValues.of(Map.of("n1", 20L, "n2", 40L)),
                                "Flat",
                                NodeValues.of(Map.of("n1", 7L, "n2", 7L))),
                        Map.of("Doubling", 3L, "Flat", 1L << 40),
                        NodeValues.of(Map.of("n1", 60 + flat, "n2", 120 + flat))),
                evaluate(
                        algorithm,
                        cluster(
                                node("n1").build(),
                                node("n2").build(),
                                node("n3").build())));
    }

    @Test
    void errorsOfPrioritiesAreCollected() {
        Priority flat = priority("Flat", node -> 1);
        assertEquals(Evaluation.failed("x"), evaluate(scoring(flat, failing("A", "x")), twoNodes));
        assertEquals(Evaluation.failed("x"), evaluate(scoring(failing("A", "x"), failing("B", "x")), twoNodes));
        assertEquals(
                Evaluation.failed("[x, y]"),
                evaluate(scoring(failing("A", "x"), flat, failing("B", "y"), failing("C", "x")), twoNodes));
    }

    @Test
    void preemptionTriesOnCopies() {
        PodInfo low = pod("low").priority(1).onNode("n1").startTime(1).build();
        ClusterState cluster = cluster(node("n1").build(), node("n2").build(), low);
        FunctionAlgorithm algorithm = filtering(true, podLimit(1), rejecting("A", List.of("n2"), "a"));
        Evaluation evaluation = evaluate(algorithm, cluster);
        PreemptionResult result =
                algorithm.preempt(POD, cluster, NominatedPods.NONE, evaluation, new Preemption(false, true));
        assertEquals(List.of("n1", "n2"), result.potentialNodes());
        assertEquals(Map.of("n1", new PreemptionResult.Victims(List.of(low), 0)), result.candidates());
        assertEquals("n1", result.chosen());
        assertEquals(1, cluster.nodes().get(0).podCount());
    }
}
