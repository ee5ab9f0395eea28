package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleDefinition.OnError;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link RulePredicate} and {@link RulePriority}. */
class RuleAlgorithmTest {
    private static final RuleDefinition.Place PLACE = new RuleDefinition.Place("p.json", 3, 5);
    private final RuleFailures failures = new RuleFailures(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));

    private static RuleDefinition rule(
            String expression, @Nullable String when, @Nullable String reason, @Nullable String normalize) {
        return rule(expression, when, reason, normalize, null);
    }

    private static RuleDefinition rule(
            String expression,
            @Nullable String when,
            @Nullable String reason,
            @Nullable String normalize,
            @Nullable String onError) {
        return new RuleDefinition(
                "R", "", expression, when, Map.of("cap", 2.0), reason, null, normalize, onError, PLACE);
    }

    private RulePredicate predicate(String expression, @Nullable String when) throws RuleException {
        return RulePredicate.compile(rule(expression, when, null, null), RuleCompiler.standard(), failures);
    }

    private RulePriority priority(String expression, @Nullable String normalize) throws RuleException {
        return RulePriority.compile(rule(expression, null, null, normalize), RuleCompiler.standard(), failures);
    }

    private final ClusterState cluster = cluster(
            node("n1").label("zone", "a").label("v", "10").build(),
            node("n2").label("zone", "a").label("v", "40").build(),
            node("n3").label("zone", "b").label("v", "-20").build(),
            pod("a").label("net", "underlay").onNode("n1").build(),
            pod("b").label("net", "underlay").onNode("n1").build(),
            pod("c").label("net", "underlay").onNode("n2").build());
    private final PodInfo pod = pod("new").label("net", "underlay").build();

    private PodFilter start(RulePredicate predicate) {
        return predicate.start(PodContext.of(pod, cluster));
    }

    @Test
    void rejectsWithItsReason() throws RuleException {
        RuleDefinition definition =
                rule("node.podsWithLabel('net', 'underlay') < params.cap", null, "no IP left", null);
        RulePredicate predicate = RulePredicate.compile(definition, RuleCompiler.standard(), failures);
        PodFilter filter = start(predicate);
        assertAll(
                () -> assertEquals("R", predicate.name()),
                () -> assertEquals(Scope.NODE, predicate.scope()),
                () -> assertEquals(
                        Verdict.unfit(FailureReason.resolvable("no IP left")), filter.check(info(cluster, "n1"))),
                () -> assertEquals(Verdict.FITS, filter.check(info(cluster, "n2"))));
    }

    @Test
    void seesWhatIfNodesAsGiven() throws RuleException {
        PodFilter filter = start(predicate("node.podsWithLabel('net', 'underlay') < 2", null));
        NodeInfo copy = info(cluster, "n1").copy();
        copy.removePod(copy.pod(0));
        assertAll(() -> assertEquals(Verdict.FITS, filter.check(copy)), () -> assertSame(filter, filter.copy()));
    }

    @Test
    void whatNoPodCanChangeIsUnresolvable() throws RuleException {
        Verdict verdict = start(predicate("node.hasLabel('x')", null)).check(info(cluster, "n1"));
        assertEquals(Verdict.unfit(FailureReason.unresolvable("node(s) didn't satisfy rule R")), verdict);
    }

    @Test
    void appliesToSomePodsOnly() throws RuleException {
        assertAll(
                () -> assertSame(PodFilter.FITS_ALL, start(predicate("false", "pod.hasLabel('net', 'overlay')"))),
                () -> assertEquals(
                        false,
                        start(predicate("false", "pod.hasLabel('net', 'underlay')"))
                                .check(info(cluster, "n1"))
                                .fits()));
    }

    /** Pods of one controller have different names, so a result is not reused if it depends on the name. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "node.podCount < 2 -> pod.hasLabel('net') -> NODE",
                "node.podCount < 2 || pod.name == 'a' -> -> CLUSTER",
                "node.podCount < 2 -> pod.name == 'a' -> CLUSTER",
                "node.nodesInTopology('zone') < 2 -> -> TOPOLOGY",
            })
    void theConditionCountsForTheScope(String expression, String when, Scope scope) throws RuleException {
        assertEquals(scope, predicate(expression, when).scope());
    }

    @Test
    void failingRulesRejectAreCountedAndWarnOnce() throws RuleException {
        PodFilter filter = start(predicate("1 / (node.podCount - 2) > 0", null));
        Verdict failed = Verdict.unfit(FailureReason.resolvable("rule R failed: division by zero"));
        assertAll(
                () -> assertEquals(failed, filter.check(info(cluster, "n1"))),
                () -> assertEquals(failed, filter.check(info(cluster, "n1"))),
                () -> assertEquals(false, filter.check(info(cluster, "n2")).fits()),
                () -> assertEquals(Map.of("R", 2L), failures.counts()),
                () -> assertEquals(1, failures.warnings("R")));
    }

    @Test
    void ignoredFailuresTakeTheNodeAndAreCounted() throws RuleException {
        RulePredicate predicate = RulePredicate.compile(
                rule("1 / (node.podCount - 2) > 0", null, null, null, "ignore"), RuleCompiler.standard(), failures);
        PodFilter filter = start(predicate);
        assertAll(
                () -> assertEquals(OnError.IGNORE, predicate.onError()),
                () -> assertEquals(Verdict.FITS, filter.check(info(cluster, "n1"))),
                () -> assertEquals(false, filter.check(info(cluster, "n2")).fits()),
                () -> assertEquals(Map.of("R", 1L), failures.counts()),
                () -> assertEquals(1, failures.warnings("R")));
        PodFilter undecided = start(RulePredicate.compile(
                rule("false", "1 / pod.priority > 0", null, null, "ignore"), RuleCompiler.standard(), failures));
        assertEquals(Verdict.FITS, undecided.check(info(cluster, "n2")));
    }

    @ParameterizedTest
    @CsvSource({
        "none, , 0, 1, 2",
        "none, zero, 0, 1, 2",
        "none, ignore, 0, 0, 0",
        "max, , 0, 67, 100",
        "max, ignore, 0, 0, 0",
        "reverse, ignore, 0, 0, 0",
    })
    void whatAFailureMeansForScores(String normalize, @Nullable String onError, long n1, long n2, long n3)
            throws RuleException {
        RulePriority priority = RulePriority.compile(
                rule("1 / (node.podCount - 2) + 2", null, null, normalize, onError), RuleCompiler.standard(), failures);
        assertArrayEquals(new long[] {n1, n2, n3}, scores(priority));
        RulePriority sound = RulePriority.compile(
                rule("node.podCount * 10.6", null, null, "none", "ignore"), RuleCompiler.standard(), failures);
        assertArrayEquals(new long[] {21, 11, 0}, scores(sound));
    }

    @Test
    void failingConditionsRejectAllNodes() throws RuleException {
        PodFilter filter = start(predicate("true", "1 / pod.priority > 0"));
        assertEquals(
                "rule R failed: division by zero",
                filter.check(info(cluster, "n2")).reasons().get(0).text());
    }

    @Test
    void countsOverNodesFollowTrials() throws RuleException {
        RulePredicate predicate = predicate("node.podsInTopology('zone', 'net', 'underlay') < 3", null);
        PodFilter filter = start(predicate);
        NodeInfo n2 = info(cluster, "n2");
        PodFilter trial = filter.copy();
        trial.removePod(info(cluster, "n1").pod(0), info(cluster, "n1"));
        assertAll(
                () -> assertEquals(Scope.TOPOLOGY, predicate.scope()),
                () -> assertEquals(false, filter.check(n2).fits()),
                () -> assertEquals(true, trial.check(n2).fits()),
                () -> assertEquals(true, filter.check(info(cluster, "n3")).fits()));
        trial.addPod(pod, info(cluster, "n1"));
        assertEquals(false, trial.check(n2).fits());
    }

    @Test
    void countsFollowTheCluster() throws RuleException {
        RulePredicate predicate = predicate("cluster.podsWithLabel('net', 'underlay') < 4", null);
        assertEquals(true, start(predicate).check(info(cluster, "n1")).fits());
        cluster.addPod(pod("d").label("net", "underlay").onNode("n3").build());
        cluster.startCycle();
        assertEquals(false, start(predicate).check(info(cluster, "n1")).fits());
        cluster.removeNode("n3");
        cluster.startCycle();
        assertEquals(true, start(predicate).check(info(cluster, "n1")).fits());
    }

    @ParameterizedTest
    @CsvSource({
        "none, 10, 40, 0",
        "max, 25, 100, 0",
        "minmax, 50, 100, 0",
        "reverse, 75, 0, 100",
    })
    void normalizes(String how, long n1, long n2, long n3) throws RuleException {
        assertArrayEquals(new long[] {n1, n2, n3}, scores(priority("number(node.label('v'), 0)", how)));
    }

    private long[] scores(RulePriority priority) {
        List<NodeInfo> nodes = List.of(info(cluster, "n1"), info(cluster, "n2"), info(cluster, "n3"));
        PodScorer scorer = priority.start(PodContext.of(pod, cluster), nodes);
        long[] scores = nodes.stream().mapToLong(scorer::score).toArray();
        scorer.normalize(nodes, scores);
        return scores;
    }

    @Test
    void failingScoresAreZeroWhateverTheDirection() throws RuleException {
        assertAll(
                () -> assertArrayEquals(new long[] {0, 1, 2}, scores(priority("1 / (node.podCount - 2) + 2", "none"))),
                () -> assertArrayEquals(
                        new long[] {0, 0, 0}, scores(priority("1 / (node.podCount - 2) * 0 + 3", "reverse"))));
    }

    @Test
    void fractionsSurviveUntilNormalizing() throws RuleException {
        assertArrayEquals(new long[] {25, 100, 0}, scores(priority("number(node.label('v'), 0) / 1000", "max")));
    }

    @Test
    void priorityOfOtherPodsIsUniform() throws RuleException {
        RulePriority priority = RulePriority.compile(
                rule("50", "pod.hasLabel('other')", null, null), RuleCompiler.standard(), failures);
        assertEquals(
                OptionalLong.of(0),
                priority.start(PodContext.of(pod, cluster), List.of()).uniformScore());
    }

    @Test
    void misplacedFieldsAreRefused() {
        assertAll(
                () -> assertRefused(
                        RuleCode.DEFINITION,
                        () -> RulePredicate.compile(
                                rule("true", null, null, "max"), RuleCompiler.standard(), failures)),
                () -> assertRefused(
                        RuleCode.DEFINITION,
                        () -> RulePriority.compile(rule("1", null, "r", null), RuleCompiler.standard(), failures)),
                () -> assertRefused(RuleCode.DEFINITION, () -> priority("1", "maximum")),
                () -> assertRefused(
                        RuleCode.DEFINITION,
                        () -> RulePredicate.compile(
                                rule("true", null, "full\u202e", null), RuleCompiler.standard(), failures)),
                () -> assertRefused(
                        RuleCode.DEFINITION,
                        () -> RulePredicate.compile(
                                rule("true", null, "two\nlines", null), RuleCompiler.standard(), failures)),
                () -> assertRefused(
                        RuleCode.DEFINITION,
                        () -> RulePredicate.compile(
                                rule("true", null, null, null, "zero"), RuleCompiler.standard(), failures)),
                () -> assertRefused(
                        RuleCode.DEFINITION,
                        () -> RulePriority.compile(
                                rule("1", null, null, null, "reject"), RuleCompiler.standard(), failures)),
                () -> assertRefused(
                        RuleCode.DEFINITION,
                        () -> RulePriority.compile(
                                rule("1", null, null, null, "Ignore"), RuleCompiler.standard(), failures)),
                () -> assertRefused(RuleCode.WHEN, () -> predicate("true", "node.hasLabel('a')")),
                () -> assertRefused(RuleCode.RESULT, () -> predicate("1", null)),
                () -> assertRefused(RuleCode.RESULT, () -> priority("true", null)));
    }

    private interface Compiling {
        void run() throws RuleException;
    }

    private static void assertRefused(RuleCode code, Compiling compiling) {
        RuleException refused = assertThrows(RuleException.class, compiling::run);
        assertEquals(code, refused.problem().code());
    }
}
