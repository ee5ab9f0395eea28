package io.policyscheduler.framework.insight.whatif;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.TableScheduler;
import io.policyscheduler.framework.insight.whatif.Audit.Finding;
import io.policyscheduler.framework.insight.whatif.EvictionPlan.Eviction;
import io.policyscheduler.framework.insight.whatif.EvictionPlan.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class EvictionPlanTest {
    private static final EvictionPlan NOTHING = new EvictionPlan(List.of(), Map.of());

    private static PodBuilder web(String name) {
        return pod(name).onNode("a").controller("ReplicaSet", "web", "rs");
    }

    private static TableScheduler table() {
        return new TableScheduler("table", SchedulerSpec.Kind.MODERN);
    }

    private static Finding violation(PodInfo pod) {
        return Finding.violation(pod, List.of(), "b");
    }

    private static EvictionPlan plan(
            SchedulerSpec source, Set<String> namespaces, boolean betterToo, Finding... findings) {
        List<PodInfo> running = Stream.of(findings).map(Finding::pod).toList();
        ClusterSnapshot snapshot = new ClusterSnapshot(
                List.of(node("a").build(), node("b").build(), node("c").build()), List.of(), running, List.of());
        return EvictionPlan.of(source, snapshot, List.of(findings), namespaces, betterToo, Limits.NONE);
    }

    static Stream<Arguments> onePod() {
        PodInfo web = web("p").build();
        PodInfo bare = pod("p").onNode("a").build();
        PodInfo daemon =
                pod("p").onNode("a").controller("DaemonSet", "agent", "ds").build();
        PodInfo mirror = pod("p").onNode("a").controller("Node", "a", "node").build();
        return Stream.of(
                Arguments.of(violation(web), false, ""),
                Arguments.of(Finding.violation(web, List.of(), null), false, ""),
                Arguments.of(Finding.better(web, "b", 30), false, "allowed on its node"),
                Arguments.of(Finding.better(web, "b", 30), true, ""),
                Arguments.of(Finding.undecided(web, "broken"), true, "could not be checked"),
                Arguments.of(violation(mirror), true, "static pod"),
                Arguments.of(violation(daemon), true, "DaemonSet pod"),
                Arguments.of(violation(bare), true, "no controller"),
                Arguments.of(violation(web("p").namespace("kept").build()), true, "namespace kept"),
                Arguments.of(violation(pod("p").namespace("kept").onNode("a").build()), true, "no controller"),
                Arguments.of(
                        Finding.better(web("p").namespace("kept").build(), "b", 30), false, "allowed on its node"));
    }

    /** Returns whether a pod moves to {@code b}, which is the best node, or why it stays. */
    @ParameterizedTest
    @MethodSource("onePod")
    void spares(Finding finding, boolean betterToo, String reason) {
        SchedulerSpec source =
                table().filter("Broken", "a").score("Score", 1, "b", 9).source();
        PodInfo pod = finding.pod();
        assertEquals(
                reason.isEmpty()
                        ? new EvictionPlan(List.of(new Eviction(pod, "b")), Map.of())
                        : new EvictionPlan(List.of(), Map.of(pod.key(), reason)),
                plan(source, Set.of("kept"), betterToo, finding));
    }

    /** Replacements use the room one after the other; an eviction makes room for later ones. */
    @Test
    void noMoreGoThanFindAPlace() {
        SchedulerSpec source = table().filter("Broken", "a")
                .filter("Full", (pod, node) -> node.podCount() > 0)
                .score("Score", 1, "c", 9)
                .source();
        PodInfo first = web("first").build();
        PodInfo second = web("second").build();
        PodInfo third = web("third").build();
        assertEquals(
                new EvictionPlan(
                        List.of(new Eviction(first, "c"), new Eviction(second, "b")),
                        Map.of("default/third", "would be unschedulable")),
                plan(source, Set.of(), false, violation(first), violation(second), violation(third)));
    }

    @Test
    void aPodThatCouldStayOnceAnotherIsGoneStays() {
        SchedulerSpec source = table().filter("Full", (pod, node) -> node.podCount() > 0)
                .score("Score", 1, "a", 9, "b", 5)
                .source();
        PodInfo first = web("first").build();
        PodInfo second = web("second").build();
        assertEquals(
                new EvictionPlan(
                        List.of(new Eviction(first, "b")),
                        Map.of("default/second", "allowed on its node after the other evictions")),
                plan(source, Set.of(), false, violation(first), violation(second)));
    }

    /** Four pods on a node with room for two: two go, although the others, too, would be placed elsewhere. */
    @Test
    void onlyAsManyGoAsTheNodeHasTooMany() {
        SchedulerSpec source = table().filter("Full", (pod, node) -> node.name().equals("a") && node.podCount() >= 2)
                .score("Score", 1, "b", 9)
                .source();
        Finding[] findings = Stream.of("w0", "w1", "w2", "w3")
                .map(name -> violation(web(name).build()))
                .toArray(Finding[]::new);
        EvictionPlan plan = plan(source, Set.of(), false, findings);
        assertEquals(
                List.of("w0", "w1"),
                plan.evictions().stream().map(eviction -> eviction.pod().name()).toList());
        assertEquals(
                Map.of(
                        "default/w2", "allowed on its node after the other evictions",
                        "default/w3", "allowed on its node after the other evictions"),
                plan.spared());
    }

    /** A cordon is no reason to evict, and stays in the plan: nothing is placed on the node. */
    @Test
    void aCordonIsNoViolation() {
        SchedulerSpec source = table().filter(
                        "Cordon", (pod, node) -> node.node().unschedulable())
                .filter("Full", (pod, node) -> node.podCount() >= 1)
                .score("Score", 1, "b", 9)
                .source();
        PodInfo first = web("first").build();
        PodInfo second = web("second").build();
        ClusterSnapshot snapshot = new ClusterSnapshot(
                List.of(node("a").unschedulable().build(), node("b").build()),
                List.of(),
                List.of(first, second),
                List.of());
        List<Finding> findings = new Audit(source, 100).run(snapshot, List.of(first, second), count -> {});
        assertEquals(
                List.of("Full", "Full"),
                findings.stream()
                        .flatMap(finding -> finding.obstacles().stream())
                        .map(obstacle -> obstacle.filter())
                        .toList());
        EvictionPlan plan = EvictionPlan.of(source, snapshot, findings, Set.of(), false, Limits.NONE);
        assertEquals(List.of(new Eviction(first, "b")), plan.evictions());
        assertEquals(Map.of("default/second", "allowed on its node after the other evictions"), plan.spared());
    }

    @Test
    void anErrorKeepsThePod() {
        PodInfo pod = web("p").build();
        assertEquals(
                new EvictionPlan(List.of(), Map.of("default/p", "would be unschedulable")),
                plan(table().failing("First").source(), Set.of(), false, violation(pod)));
    }

    @Test
    void theVolumesOfASuccessorAreTakenOnItsNode() {
        SchedulerSpec table =
                table().filter("Broken", "a").score("Score", 1, "b", 9).source();
        List<String> taken = new ArrayList<>();
        SchedulerSpec source = new SchedulerSpec(
                table.name(),
                table.kind(),
                table.filters(),
                table.scores(),
                table.factory(),
                (cluster, pod, node) -> taken.add(pod.key() + pod.nodeName() + "@" + node.name()));
        plan(
                source,
                Set.of(),
                false,
                violation(web("p").build()),
                violation(pod("bare").onNode("a").build()));
        assertEquals(List.of("default/p@b"), taken);
    }

    @Test
    void withoutFindingsThereIsNothingToDo() {
        assertEquals(NOTHING, plan(table().source(), Set.of(), true));
    }

    @Test
    void aPlanDoesNotChange() {
        List<Eviction> evictions = new ArrayList<>();
        EvictionPlan plan = new EvictionPlan(evictions, Map.of());
        evictions.add(new Eviction(web("p").build(), "b"));
        assertEquals(NOTHING, plan);
        assertThrows(UnsupportedOperationException.class, () -> plan.evictions().addAll(evictions));
    }

    /** Four pods that could all go: two of node a, one of them urgent, and two of node d in two namespaces. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "9 | 9 | 9 | 2000000000 | a1 a2 d1 d2 | ''",
                "9 | 9 | 2 | 2000000000 | a1 a2 | limit of 2 evictions",
                "1 | 9 | 9 | 2000000000 | a1 d1 | limit of 1 from node d",
                "9 | 2 | 9 | 2000000000 | a1 a2 d2 | ''",
                "9 | 9 | 9 | 100 | a1 d1 d2 | ''",
                "0 | 9 | 9 | 2000000000 | '' | limit of 0 from node d",
            })
    void limitsAreThoseOfTheDescheduler(
            int perNode, int perNamespace, int total, int threshold, String gone, String lastStays) {
        SchedulerSpec source =
                table().filter("Broken", "a", "d").score("Score", 1, "b", 9).source();
        List<Finding> findings = Stream.of(
                        web("a1"),
                        web("a2").priority(100),
                        web("d1").onNode("d"),
                        web("d2").onNode("d").namespace("other"))
                .map(PodBuilder::build)
                .map(EvictionPlanTest::violation)
                .toList();
        ClusterSnapshot snapshot = new ClusterSnapshot(
                List.of(node("a").build(), node("b").build(), node("d").build()),
                List.of(),
                findings.stream().map(Finding::pod).toList(),
                List.of());
        EvictionPlan plan = EvictionPlan.of(
                source, snapshot, findings, Set.of(), false, new Limits(perNode, perNamespace, total, threshold));

        assertEquals(
                gone,
                plan.evictions().stream().map(eviction -> eviction.pod().name()).collect(Collectors.joining(" ")));
        assertEquals(lastStays, plan.spared().getOrDefault("other/d2", ""));
    }
}
