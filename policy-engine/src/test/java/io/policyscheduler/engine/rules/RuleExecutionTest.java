package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.rules.RuleExecution.Verified;
import io.policyscheduler.engine.rules.RuleProgram.Executor;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.executor.Executable;
import io.policyscheduler.engine.rules.executor.Executable.Execution;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that one executor evaluates and another one verifies. */
class RuleExecutionTest {
    private static final String EXPRESSION = "node.podsWithLabel('net', 'underlay') < 2";

    /** Returns the opposite of our executor, or 7, after using the whole budget. */
    private static final Function<Term, Executable> FAULTY = term -> (pod, counts, meter) -> {
        Execution right = Executor.DIRECT.prepare(term).start(pod, counts, meter);
        return new Execution() {
            @Override
            public boolean bool(@Nullable NodeInfo node) {
                boolean value = !right.bool(node);
                assertThrows(RuleFailure.class, () -> meter.charge(Long.MAX_VALUE));
                return value;
            }

            @Override
            public double number(NodeInfo node) {
                return 7;
            }
        };
    };

    private final List<String> warnings = new ArrayList<>();
    private final RuleFailures failures = new RuleFailures(Clock.systemUTC());
    private final ClusterState cluster = cluster(
            node("n1").build(),
            node("n2").build(),
            pod("a").label("net", "underlay").onNode("n1").build(),
            pod("b").label("net", "underlay").onNode("n1").build());

    private RulePredicate predicate(RuleExecution execution, String expression, @Nullable String when)
            throws RuleException {
        return RulePredicate.compile(definition(expression, when), compiler(execution), failures);
    }

    private static RuleCompiler compiler(RuleExecution execution) {
        return new RuleCompiler(RuleLimits.DEFAULT, execution);
    }

    private static RuleDefinition definition(String expression, @Nullable String when) {
        return new RuleDefinition(
                "R", "", expression, when, Map.of(), null, null, null, null, new RuleDefinition.Place("p", 1, 1));
    }

    private RuleExecution verified(double share, Function<Term, Executable> by) {
        return new RuleExecution(Executor.DIRECT, share, by, warnings::add);
    }

    private List<Boolean> fits(RulePredicate predicate) {
        PodFilter filter = predicate.start(PodContext.of(pod("new").build(), cluster));
        return cluster.nodes().stream().map(node -> filter.check(node).fits()).toList();
    }

    @ParameterizedTest
    @EnumSource(Executor.class)
    void executorsAgree(Executor executor) throws RuleException {
        RuleExecution execution = new RuleExecution(executor, 1);
        assertEquals(List.of(false, true), fits(predicate(execution, EXPRESSION, "pod.name != 'other'")));
        assertEquals(Map.of("R", new Verified(3, 0)), execution.verified());
    }

    @Test
    void decisionsAreThoseOfTheChosenOne() throws RuleException {
        RuleExecution execution = verified(1, FAULTY);
        RulePredicate predicate = predicate(execution, EXPRESSION, null);
        assertEquals(List.of(false, true), fits(predicate));
        assertEquals(List.of(false, true), fits(predicate));
        assertEquals(Map.of("R", new Verified(4, 4)), execution.verified());
        assertEquals(
                List.of(
                        "W121 rule R: direct returns false, mvel returns true for pod default/new on node n1; the result of direct"
                                + " is used; further differences of this rule are counted without a warning"),
                warnings);
        assertEquals(Map.of(), failures.counts());
    }

    @Test
    void conditionsAreVerified() throws RuleException {
        RuleExecution execution = verified(1, FAULTY);
        assertEquals(List.of(true, true), fits(predicate(execution, EXPRESSION, "pod.name == 'other'")));
        assertEquals(Map.of("R", new Verified(1, 1)), execution.verified());
        assertTrue(warnings.get(0).contains(" for pod default/new; "), warnings::toString);
    }

    @Test
    void scoresAndFailuresAreCompared() throws RuleException {
        RuleExecution execution = verified(1, FAULTY);
        RulePriority priority =
                RulePriority.compile(definition("14 / node.podCount", null), compiler(execution), failures);
        PodScorer scorer = priority.start(PodContext.of(pod("new").build(), cluster), cluster.nodes());
        assertEquals(
                List.of(7L, 0L), cluster.nodes().stream().map(scorer::score).toList());
        assertEquals(Map.of("R", new Verified(2, 1)), execution.verified());
        assertEquals(
                List.of(
                        "W121 rule R: direct returns \"division by zero\", mvel returns 7.0 for pod default/new on node n2; the result"
                                + " of direct is used; further differences of this rule are counted without a warning"),
                warnings);
        assertEquals(Map.of("R", 1L), failures.counts());
    }

    @Test
    void anotherOneThatBreaksIsADifference() throws RuleException {
        RuleExecution execution = verified(1, term -> (pod, counts, meter) -> {
            throw new IllegalStateException("broken");
        });
        assertEquals(List.of(false, true), fits(predicate(execution, EXPRESSION, null)));
        assertEquals(Map.of("R", new Verified(2, 2)), execution.verified());
        assertTrue(warnings.get(0).contains("mvel returns \"internal error\""), warnings::toString);
    }

    @Test
    void nothingIsVerifiedUnlessAskedFor() throws RuleException {
        RuleExecution execution = verified(0, term -> {
            throw new IllegalStateException("not asked for");
        });
        assertEquals(List.of(false, true), fits(predicate(execution, EXPRESSION, null)));
        assertEquals(Map.of(), execution.verified());
    }

    @Test
    void theSampleIsTheSameEachTime() throws RuleException {
        List<Long> counts = new ArrayList<>();
        for (int again = 0; again < 2; again++) {
            RuleExecution execution = verified(0.01, Executor.MVEL::prepare);
            RulePredicate predicate = predicate(execution, EXPRESSION, null);
            for (int i = 0; i < 5_000; i++) {
                PodFilter filter = predicate.start(PodContext.of(pod("web-" + i).build(), cluster));
                cluster.nodes().forEach(filter::check);
            }
            Verified verified = execution.verified().getOrDefault("R", new Verified(0, 0));
            assertEquals(0, verified.differences());
            counts.add(verified.evaluations());
        }
        assertEquals(counts.get(0), counts.get(1));
        assertTrue(counts.get(0) > 50 && counts.get(0) < 150, counts::toString);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
    void sharesAreFromNoneToAll(double share) {
        assertThrows(IllegalArgumentException.class, () -> new RuleExecution(Executor.DIRECT, share));
    }
}
