package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.PodPreemption.NodeTrial;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PreemptionTest {
    private static final Preemption STOCK = new Preemption(false, true);
    private static final PodInfo PREEMPTOR = pod("p").priority(10).build();
    private static final Map<String, NodeFailure> NO_FAILURES = Map.of();

    /** A node takes one milli-CPU for each pod; pods named in {@code failing} cannot be counted. */
    private record Trial(NodeInfo node, int limit, Set<String> failing) implements NodeTrial {
        @Override
        public boolean remove(PodInfo pod) {
            return node.removePod(pod) != null && !failing.contains("-" + pod.name());
        }

        @Override
        public boolean add(PodInfo pod) {
            node.addPod(pod);
            return !failing.contains("+" + pod.name());
        }

        @Override
        public @Nullable Misfit check() {
            return node.podCount() < limit ? null : Misfit.UNREPORTED;
        }
    }

    private static Function<NodeInfo, NodeTrial> limit(int pods, String... failing) {
        return node -> new Trial(node.copy(), pods, Set.of(failing));
    }

    private static PodBuilder running(String name, String node, int priority) {
        return pod(name).onNode(node).priority(priority).startTime(1000);
    }

    private static List<String> names(@Nullable Victims victims) {
        return victims == null
                ? List.of("none")
                : victims.pods().stream().map(PodInfo::name).toList();
    }

    private static PreemptionResult decide(
            Preemption preemption, ClusterState cluster, Function<NodeInfo, NodeTrial> trials) {
        return preemption.forPod(PREEMPTOR, cluster, NominatedPods.NONE).decide(NO_FAILURES, trials);
    }

    static Stream<Arguments> eligibility() {
        return Stream.of(
                arguments("nobody nominated", pod("p").priority(10), true),
                arguments("nothing terminating there", pod("p").priority(10).nominatedTo("n2"), true),
                arguments(
                        "lower priority terminating there",
                        pod("p").priority(10).nominatedTo("n1"),
                        false),
                arguments(
                        "same priority terminating there", pod("p").priority(5).nominatedTo("n1"), true),
                arguments("nominated node unknown", pod("p").priority(10).nominatedTo("gone"), true),
                arguments("policy Never", pod("p").priority(10).preemptionPolicy("Never"), false),
                arguments("another policy", pod("p").priority(10).preemptionPolicy("PreemptLowerPriority"), true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("eligibility")
    void eligible(String name, PodBuilder pod, boolean expected) {
        ClusterState cluster = cluster(
                node("n1").build(),
                node("n2").build(),
                running("going", "n1", 5).terminating().build(),
                running("staying", "n2", 5).build());
        Function<PodInfo, PreemptionResult> with = p -> new Preemption(true, true)
                .forPod(p, cluster, NominatedPods.NONE)
                .decide(NO_FAILURES, limit(0));
        assertEquals(expected, with.apply(pod.build()).eligible());
        if (!expected) {
            assertEquals(
                    new PreemptionResult(false, List.of(), new TreeMap<>(), List.of(), null, new TreeMap<>(), false),
                    with.apply(pod.build()));
        }
    }

    @Test
    void thePolicyCountsOnlyWithItsGate() {
        ClusterState cluster = cluster(node("n1").build());
        PodInfo never = pod("p").priority(10).preemptionPolicy("Never").build();
        assertEquals(
                true,
                STOCK.forPod(never, cluster, NominatedPods.NONE)
                        .decide(NO_FAILURES, limit(1))
                        .eligible());
    }

    @Test
    void nodesThatCannotBeHelpedAreNoCandidates() {
        ClusterState cluster =
                cluster(node("n1").build(), node("n2").build(), node("n3").build());
        NodeFailure unresolvable = new NodeFailure(List.of("x"), true, null);
        NodeFailure resolvable = new NodeFailure(List.of("y"), false, null);
        assertEquals(
                List.of("n2", "n3"),
                STOCK.forPod(PREEMPTOR, cluster, NominatedPods.NONE)
                        .decide(Map.of("n1", unresolvable, "n2", resolvable), limit(0))
                        .potentialNodes());
        assertEquals(
                new PreemptionResult(true, List.of(), new TreeMap<>(), List.of(), null, new TreeMap<>(), true),
                STOCK.forPod(PREEMPTOR, cluster, NominatedPods.NONE)
                        .decide(Map.of("n1", unresolvable, "n2", unresolvable, "n3", unresolvable), limit(1)),
                "without candidates the pod loses its own nomination");
    }

    @Test
    void whereNothingHelpsANominationStays() {
        ClusterState cluster =
                cluster(node("n1").build(), running("equal", "n1", 10).build());
        assertEquals(
                new PreemptionResult(true, List.of("n1"), new TreeMap<>(), List.of(), null, new TreeMap<>(), false),
                decide(STOCK, cluster, limit(1)));
    }

    @Test
    void onlyLowerPrioritiesGoAndTheLeastImportantOnes() {
        PodInfo old = running("old", "n1", 5).startTime(1).build();
        PodInfo young = running("young", "n1", 5).startTime(2).build();
        PodInfo low = running("low", "n1", 1).build();
        PodInfo equal = running("equal", "n1", 10).build();
        ClusterState cluster = cluster(node("n1").build(), low, young, equal, old);
        assertEquals(
                new PreemptionResult(
                        true,
                        List.of("n1"),
                        new TreeMap<>(Map.of("n1", new Victims(List.of(young, low), 0))),
                        List.of("n1"),
                        "n1",
                        new TreeMap<>(),
                        false),
                decide(STOCK, cluster, limit(3)));
        assertEquals(4, cluster.nodes().get(0).podCount(), "nothing real has changed");
    }

    @Test
    void everybodyMayBeReprieved() {
        PodInfo low = running("low", "n1", 1).build();
        ClusterState cluster = cluster(node("n1").build(), low);
        PreemptionResult result = decide(STOCK, cluster, limit(5));
        assertEquals(Map.of("n1", new Victims(List.of(), 0)), result.candidates());
        assertEquals("n1", result.chosen());
    }

    static Stream<Arguments> budgets() {
        LabelSelector web = LabelSelector.of(Labels.of("app", "web"), List.of());
        LabelSelector invalid = LabelSelector.of(Labels.of("app", "not legal"), List.of());
        return Stream.of(
                arguments("matching and used up", budget("default", web, 0), true),
                arguments("below zero", budget("default", web, -1), true),
                arguments("something left", budget("default", web, 1), false),
                arguments("other namespace", budget("other", web, 0), false),
                arguments("no selector", budget("default", null, 0), false),
                arguments("empty selector", budget("default", LabelSelector.EVERYTHING, 0), false),
                arguments("invalid selector", budget("default", invalid, 0), false));
    }

    private static DisruptionBudgetInfo budget(String namespace, @Nullable LabelSelector selector, int allowed) {
        return new DisruptionBudgetInfo(namespace, "b", selector, allowed, Set.of());
    }

    /** Violating pods are put back first, so the more important one without a budget goes. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("budgets")
    void violatingPodsAreSparedFirst(String name, DisruptionBudgetInfo budget, boolean spared) {
        ClusterState cluster = cluster(
                node("n1").build(),
                budget,
                running("covered", "n1", 1).label("app", "web").build(),
                running("bare", "n1", 5).build());
        String victim = spared ? "bare" : "covered";
        assertEquals(
                List.of(victim),
                names(decide(STOCK, cluster, limit(2)).candidates().get("n1")));
        assertEquals(
                List.of("covered"),
                names(decide(new Preemption(false, false), cluster, limit(2))
                        .candidates()
                        .get("n1")),
                "without the gate budgets do not count");
    }

    @Test
    void violationsAreCountedWithoutBookkeeping() {
        LabelSelector web = LabelSelector.of(Labels.of("app", "web"), List.of());
        PodInfo first = running("first", "n1", 2).label("app", "web").build();
        PodInfo second = running("second", "n1", 1).label("app", "web").build();
        PodInfo bare = running("bare", "n1", 5).build();
        assertEquals(
                Map.of("n1", new Victims(List.of(first, second, bare), 2)),
                decide(STOCK, cluster(node("n1").build(), budget("default", web, 0), bare, second, first), limit(1))
                        .candidates());
        assertEquals(
                Map.of("n1", new Victims(List.of(bare, first, second), 0)),
                decide(STOCK, cluster(node("n1").build(), budget("default", web, 1), bare, second, first), limit(1))
                        .candidates());
    }

    /** Two victims of one budget that allows one disruption; with and without the count, and without the gate. */
    @Test
    void victimsOfOneNodeAreCountedAgainstEachOther() {
        LabelSelector web = LabelSelector.of(Labels.of("app", "web"), List.of());
        ClusterState cluster = cluster(
                node("n1").build(),
                node("n2").build(),
                budget("default", web, 1),
                running("first", "n1", 1).label("app", "web").build(),
                running("second", "n1", 1).label("app", "web").build(),
                running("bare", "n2", 5).build(),
                running("other", "n2", 5).build());
        assertEquals("n1", decide(STOCK, cluster, limit(1)).chosen());
        assertEquals("n2", decide(STOCK.countingVictims(), cluster, limit(1)).chosen());
        Victims both =
                decide(STOCK.countingVictims(), cluster, limit(1)).candidates().get("n1");
        assertEquals(1, both == null ? null : both.budgetViolations());
        Preemption unaware = new Preemption(false, false).countingVictims();
        assertEquals("n1", decide(unaware, cluster, limit(1)).chosen());
        FeatureGates gates = FeatureGates.defaults();
        assertEquals(
                "n1", decide(Preemption.live(gates, true), cluster, limit(1)).chosen());
        assertEquals(
                "n2", decide(Preemption.live(gates, false), cluster, limit(1)).chosen());
    }

    @Test
    void anErrorRejectsTheNode() {
        ClusterState cluster = cluster(
                node("n1").build(),
                running("a", "n1", 1).build(),
                running("b", "n1", 2).build());
        assertEquals(
                List.of("none"),
                names(decide(STOCK, cluster, limit(1, "-a")).candidates().get("n1")));
        assertEquals(
                List.of("none"),
                names(decide(STOCK, cluster, limit(1, "+b")).candidates().get("n1")));
        assertEquals(
                List.of("b", "a"),
                names(decide(STOCK, cluster, limit(1)).candidates().get("n1")));
    }

    @Test
    void lowerNominationsOfEveryAcceptableNodeAreCleared() {
        PodInfo lower = pod("lower").priority(9).nominatedTo("n2").build();
        PodInfo equal = pod("equal").priority(10).nominatedTo("n2").build();
        ClusterState cluster = cluster(
                node("n1").build(),
                node("n2").build(),
                node("n3").build(),
                running("a", "n1", 5).build(),
                running("b", "n2", 5).build(),
                running("c", "n3", 6).build());
        NominatedPods nominated = name -> name.equals("n2") ? List.of(equal, lower) : List.of();
        PreemptionResult result = STOCK.forPod(PREEMPTOR, cluster, nominated).decide(NO_FAILURES, limit(1));
        assertEquals(List.of("n1", "n2", "n3"), List.copyOf(result.candidates().keySet()));
        assertEquals(List.of("n1", "n2"), result.acceptableNodes());
        assertEquals("n1", result.chosen());
        assertEquals(Map.of("n2", List.of(lower)), result.clearNominations());
    }
}
