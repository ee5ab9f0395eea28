package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleProgram.Executor;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The cost of rules depends on the size of what they read, and is limited. */
class RuleWorkTest {
    private static final int NODES = 5_000;
    private static final PodInfo POD = pod("new").label("net", "underlay").build();

    private final RuleFailures failures = new RuleFailures(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
    private final ClusterState cluster = new ClusterState();

    private static RuleProgram program(String expression) {
        try {
            return RuleCompiler.standard().compile(expression, Map.of(), RuleType.BOOL);
        } catch (RuleException e) {
            throw new AssertionError(e.problem().format(), e);
        }
    }

    private PodFilter filter(String expression, String onError) {
        RuleDefinition definition = new RuleDefinition(
                "R",
                "",
                expression,
                null,
                Map.of(),
                null,
                null,
                null,
                onError,
                new RuleDefinition.Place("p.json", 1, 1));
        try {
            return RulePredicate.compile(definition, RuleCompiler.standard(), failures)
                    .start(PodContext.of(POD, cluster));
        } catch (RuleException e) {
            throw new AssertionError(e.problem().format(), e);
        }
    }

    private static PodBuilder tolerating(String name, int tolerations) {
        PodBuilder pod = pod(name);
        for (int i = 0; i < tolerations; i++) {
            pod.toleration("k" + i, "Exists", "", "NoSchedule");
        }
        return pod;
    }

    /** Nodes with the same annotation, which costs no memory, and three pods. */
    private void large(String annotation) {
        for (int n = 0; n < NODES; n++) {
            NodeBuilder node = node("n" + n).annotation("notes", annotation);
            cluster.putNode(node.build());
            for (int p = 0; p < 3; p++) {
                cluster.addPod(pod("p" + n + "-" + p)
                        .label("wants", "n" + (n + p) % NODES)
                        .onNode("n" + n)
                        .build());
            }
        }
        cluster.startCycle();
    }

    private long work(RuleProgram program) {
        RuleProgram.Run run = program.start(POD, cluster);
        long work = 0;
        for (NodeInfo node : cluster.nodes()) {
            try {
                run.bool(node);
            } catch (RuleFailure e) {
                assertEquals(RuleFailure.Kind.BUDGET, e.kind());
            }
            work += run.work();
        }
        return work;
    }

    /** Nothing is charged, because one count of the label serves all nodes. */
    @Test
    void aCountOfAnotherValueForEachNode() {
        large("");
        assertEquals(0, work(program("cluster.podsWithLabel('wants', node.name) < 5")));
        PodFilter filter = filter("cluster.podsWithLabel('wants', node.name) < 3", "reject");
        cluster.nodes().forEach(node -> assertEquals(false, filter.check(node).fits()));
        assertEquals(Map.of(), failures.counts());
    }

    /** All nodes together stay within the budget of an attempt. */
    @Test
    void aSearchInLargeAnnotations() {
        large("ab".repeat(125_000));
        RuleProgram program = program("node.annotation('notes').contains('abb')");
        long attempt = RuleLimits.DEFAULT.attempt();
        assertEquals(attempt / NODES, program.budget(cluster.nodes().size()));
        long work = work(program);
        assertTrue(work <= attempt + NODES, () -> "an attempt costs " + work);
        PodFilter rejecting = filter("!node.annotation('notes').contains('abb')", "reject");
        PodFilter ignoring = filter("!node.annotation('notes').contains('abb')", "ignore");
        NodeInfo node = info(cluster, "n7");
        assertEquals(
                "rule R failed: too much work",
                rejecting.check(node).reasons().get(0).text());
        assertEquals(true, ignoring.check(node).fits());
        assertEquals(Map.of("R", 2L), failures.counts());
    }

    @Test
    void theSameAnnotationIsReadWhereThereAreFewNodes() {
        cluster.putNode(node("n1").annotation("notes", "ab".repeat(125_000)).build());
        cluster.startCycle();
        assertEquals(
                true,
                filter("!node.annotation('notes').contains('abb')", "reject")
                        .check(info(cluster, "n1"))
                        .fits());
    }

    /** A pod with excessive tolerations makes its node infeasible for no other pod. */
    @ParameterizedTest
    @CsvSource({"51, true", "1000, true", "30000, false"})
    void aPodWithManyTolerations(int tolerations, boolean answered) {
        large("");
        cluster.addPod(tolerating("odd", tolerations).onNode("n7").build());
        cluster.startCycle();
        PodFilter filter = filter("!node.pods.any(p, p.tolerations.any(t, t.key == 'gpu'))", "reject");
        cluster.nodes()
                .forEach(node -> assertEquals(
                        answered || !node.name().equals("n7"),
                        filter.check(node).fits(),
                        node.name()));
        assertEquals(answered ? Map.of() : Map.of("R", 1L), failures.counts());
    }

    /** The rule applies to pods with a label; others do not depend on the node. */
    @Test
    void podsThatTheRuleIsNotAbout() {
        large("");
        cluster.addPod(tolerating("odd", 30_000).onNode("n7").build());
        cluster.startCycle();
        NodeInfo node = info(cluster, "n7");
        String heavy = "!node.pods.any(p, p.tolerations.any(t, t.key == 'gpu'))";
        assertAll(
                () -> assertEquals(
                        true,
                        filter(heavy + " || !pod.hasLabel('gpu')", "reject")
                                .check(node)
                                .fits()),
                () -> assertEquals(
                        false,
                        filter(heavy + " || !pod.hasLabel('net')", "reject")
                                .check(node)
                                .fits()));
    }

    /** A result must not depend on the nodes that were evaluated before. */
    @Test
    void eachNodeHasItsOwnShare() {
        large("ab".repeat(10_000));
        RuleProgram program = program("node.annotation('notes').contains('abb')");
        RuleProgram.Run run = program.start(POD, cluster);
        for (int round = 0; round < 3; round++) {
            for (NodeInfo node : cluster.nodes()) {
                assertEquals(false, run.bool(node));
                assertEquals(10_001, run.work());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 200000", "500, 200000", "1000, 100000", "5000, 20000", "0, 200000"})
    void shares(int nodes, long budget) {
        assertEquals(budget, program("node.podCount > 0").budget(nodes));
        assertEquals(200_000, program("pod.priority > 0").budget(nodes));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "node.podCount < 5 && pod.label('a') == node.label('b', 'c') -> 0",
                "node.pods.any(p, p.terminating) -> 6",
                "node.pods.all(p, p.priority >= 0 || p.cpu > 1) -> 20",
                "node.pods.any(p, p.tolerations.any(t, t.key == 'x')) -> 35",
                "node.pods.any(p, p.tolerates('x', 'y', 'NoSchedule')) -> 22",
                "node.podsWithImage('x') > 0 -> 4",
                "node.annotation('notes').contains('b') -> 500",
                "node.annotation('notes').matches('a*b') -> 960",
                "node.annotation('notes') == node.annotation('more') -> 31",
                "node.annotation('notes') in [node.annotation('more'), 'a'] -> 31",
                "node.annotation('notes') in ['a', 'b'] -> 0",
                "cluster.podsWithLabel(node.name) > 0 -> 3",
                "cluster.podsWithLabel(pod.name) > 0 -> 0",
                "pod.containers.any(c, c.image == 'x') -> 5",
                "node.pods.sum(p, p.cpu) in [1, 2, 3] -> 6",
                "(node.annotation('notes').contains('b') ? 'b' : 'c') in ['a', 'b', node.name] -> 500",
                "number(node.annotation('notes').contains('b') ? 'b' : '2', 3) == 2 -> 500",
                "(p in node.pods if p.terminating).size() > 0 -> 6",
                "(p.name in node.pods) contains 'x' -> 6",
                "(p.name in node.pods if p.terminating) contains 'x' -> 6",
                "node.annotations['notes'] == empty -> 31",
                "(node.annotations['notes'] or 'x') == 'y' -> 31",
                "node.annotation('notes').toUpperCase() == 'x' -> 500",
                "node.annotations['notes'] != null && node.annotations['notes'] contains 'b' -> 500",
                "node.annotations['notes'] == node.annotations['more'] -> 31",
                "node.annotations['none'] == node.annotations['more'] -> 0",
                "x = node.annotation('notes').toUpperCase(); x == 'A' || x == 'B' -> 500",
                "if (node.annotation('notes').contains('b')) { return true; } return false -> 500",
                "Math.max(node.podCount, 1) > 9 -> 0",
            })
    void charges(String expression, long charge) {
        cluster.putNode(node("n1")
                .annotation("notes", "a".repeat(1_000))
                .annotation("more", "a".repeat(999) + "b")
                .build());
        cluster.addPod(tolerating("p1", 5).image("i").onNode("n1").build());
        cluster.addPod(pod("p2").image("i").onNode("n1").build());
        cluster.startCycle();
        for (Executor executor : Executor.values()) {
            RuleProgram.Run run = program(expression).start(POD, cluster, executor);
            for (int again = 0; again < 2; again++) {
                run.bool(info(cluster, "n1"));
                assertEquals(charge, run.work(), executor + " " + again);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "node.podCount < 5 || node.label('a') == 'b' -> ``",
                "node.label('a') == pod.label('b') -> length of node.label('a')|length of pod.label('b')",
                "node.pods.any(p, p.tolerations.any(t, t.key == 'x')) -> elements of node.pods|elements of p.tolerations",
                "node.annotation('a').contains('b') -> length of node.annotation('a')",
                "node.name.startsWith('b') -> ``",
                "node.name in ['a', 'b'] -> ``",
                "pod.tolerates('a', 'b', 'c') -> lists for pod.tolerates('a', 'b', 'c')",
                "cluster.podsWithLabel('wants', node.name) > 0 -> ``",
                "cluster.podsWithLabel(pod.label('wants')) > 0 -> ``",
                "cluster.podsWithLabel(node.name) > 0 -> pods and nodes for cluster.podsWithLabel(node.name)",
            })
    void sizes(String expression, String expected) {
        assertEquals(expected, String.join("|", program(expression).sizes()));
    }

    /** One at a time is computed repeatedly, as many as a few are cached. */
    @Test
    void countsOfSeveralClustersAreKept() throws RuleException {
        RulePredicate predicate = RulePredicate.compile(
                new RuleDefinition(
                        "R",
                        "",
                        "cluster.podsWithLabel('a') == 1",
                        null,
                        Map.of(),
                        null,
                        null,
                        null,
                        null,
                        new RuleDefinition.Place("p.json", 1, 1)),
                RuleCompiler.standard(),
                failures);
        List<ClusterState> clusters = List.of(new ClusterState(), new ClusterState(), new ClusterState());
        for (int round = 0; round < 3; round++) {
            for (int c = 0; c < clusters.size(); c++) {
                ClusterState state = clusters.get(c);
                state.putNode(node("n").build());
                state.addPod(pod("p" + round)
                        .uid("u" + round)
                        .label(c == round ? "a" : "b", "")
                        .onNode("n")
                        .build());
                state.startCycle();
                assertEquals(
                        c <= round,
                        predicate
                                .start(PodContext.of(POD, state))
                                .check(info(state, "n"))
                                .fits());
            }
        }
    }
}
