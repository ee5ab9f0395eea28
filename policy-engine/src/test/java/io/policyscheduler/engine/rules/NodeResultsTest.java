package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.rules.CompiledRule.NodeResults;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleType;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Results of rules that are cached for all pods, and exceptions. */
class NodeResultsTest {
    private final ClusterState cluster = cluster(
            node("n1").label("v", "1").build(),
            pod("there").label("app", "web").onNode("n1").build());

    private static NodeResults answers() throws RuleException {
        return Objects.requireNonNull(
                NodeResults.of(RuleCompiler.standard().compile("node.hasLabel('v')", Map.of(), RuleType.BOOL)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "node.label('v') == '1' -> true",
                "number(node.label('v'), 0) + 1 > 2 && !node.unschedulable -> true",
                "(tables.price[node.name] or 0) < 2 -> true",
                "node.label('v') == pod.label('v') -> false",
                "pod.name == 'x' || node.unschedulable -> false",
                "node.podCount < 3 -> false",
                "node.pods.all(p, p.labels['app'] == 'web') -> false",
                "node.ageMinutes > 3 -> false",
                "cluster.nodeCount > 3 && node.unschedulable -> false",
                "node.nodesInTopology('v') > 1 -> false",
            })
    void whatIsKept(String expression, boolean kept) throws RuleException {
        RuleProgram program = ExampleTables.compiler().compile(expression, Map.of(), RuleType.BOOL);
        assertEquals(kept, NodeResults.of(program) != null);
    }

    @Test
    void anAnswerHoldsForTheSameNodeObject() throws RuleException {
        NodeResults answers = answers();
        NodeInfo node = info(cluster, "n1");
        assertFalse(answers.has(node));
        answers.put(node, 7);
        assertTrue(answers.has(node));
        assertEquals(7, answers.get(node));
        assertTrue(answers.has(node.copy()), "other pods change nothing");
        NodeInfo relabelled = node.copy();
        relabelled.setNode(node("n1").label("v", "2").build(), node.images());
        assertFalse(answers.has(relabelled));
        cluster.putNode(node("n1").label("v", "2").build());
        assertFalse(answers.has(info(cluster, "n1")));
    }

    @Test
    void anAnswerHoldsForTheSameTables() throws RuleException {
        NodeResults answers = answers();
        answers.startAttempt(3);
        answers.put(info(cluster, "n1"), 1);
        answers.startAttempt(3);
        assertTrue(answers.has(info(cluster, "n1")));
        answers.startAttempt(4);
        assertFalse(answers.has(info(cluster, "n1")));
    }

    @Test
    void nodesOfNoClusterAreAskedEachTime() throws RuleException {
        NodeInfo alone = new NodeInfo("alone");
        alone.setNode(node("alone").build(), Map.of());
        NodeResults answers = answers();
        answers.put(alone, 1);
        assertFalse(answers.has(alone));
    }

    /** Returns the names of the feasible nodes. */
    private static List<String> fits(RulePredicate predicate, ClusterState state) {
        state.startCycle();
        PodFilter filter = predicate.start(PodContext.of(pod("new").build(), state));
        return state.nodes().stream()
                .filter(node -> filter.check(node).equals(Verdict.FITS))
                .map(NodeInfo::name)
                .sorted()
                .toList();
    }

    /** A rule of a policy that remains active while nodes are added, changed, and removed. */
    @Test
    void aPredicateFollowsItsNodes() throws RuleException {
        RuleDefinition definition = new RuleDefinition(
                "R",
                "",
                "node.label('v') == '1'",
                null,
                Map.of(),
                "no",
                null,
                null,
                null,
                new RuleDefinition.Place("p", 1, 1));
        RulePredicate predicate = RulePredicate.compile(
                definition, RuleCompiler.standard(), new RuleFailures(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)));
        assertEquals(List.of("n1"), fits(predicate, cluster));
        assertEquals(List.of("n1"), fits(predicate, cluster));
        cluster.putNode(node("n2").build());
        assertEquals(List.of("n1"), fits(predicate, cluster));
        cluster.putNode(node("n2").label("v", "1").build());
        cluster.putNode(node("n1").label("v", "x").build());
        assertEquals(List.of("n2"), fits(predicate, cluster));
        assertEquals(
                List.of("n1"),
                fits(predicate, cluster(node("n1").label("v", "1").build())));
        assertEquals(List.of("n2"), fits(predicate, cluster));
    }
}
