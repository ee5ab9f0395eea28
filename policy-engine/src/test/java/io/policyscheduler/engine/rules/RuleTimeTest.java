package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.rules.RuleProgram.Executor;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rules that read the time: it is constant during an attempt. */
class RuleTimeTest {
    private static final Instant START = Instant.parse("2026-03-01T21:58:00Z");

    private Instant time = START;
    private final InstantSource source = () -> time;
    private final ClusterState cluster = new ClusterState(source.withZone(ZoneOffset.UTC));

    private static RuleDefinition definition(String expression, @Nullable String when) {
        return new RuleDefinition(
                "R", "", expression, when, Map.of(), null, null, null, null, new RuleDefinition.Place("p", 1, 1));
    }

    private static RuleCompiler compiler(Executor executor) {
        return new RuleCompiler(RuleLimits.DEFAULT, new RuleExecution(executor, 0));
    }

    @ParameterizedTest
    @EnumSource
    void timeStandsStillInAnAttempt(Executor executor) throws RuleException {
        cluster.putNode(node("n1").created(START.toEpochMilli()).build());
        RulePredicate quiet = RulePredicate.compile(
                definition("node.ageMinutes < 2", "now.hour < 22"),
                compiler(executor),
                new RuleFailures(Clock.systemUTC()));
        RulePriority age = RulePriority.compile(
                definition("pod.ageMinutes", null), compiler(executor), new RuleFailures(Clock.systemUTC()));
        PodContext context = attempt();
        PodFilter first = quiet.start(context);
        time = time.plus(Duration.ofMinutes(1)).plusSeconds(59);
        assertEquals(true, first.check(cluster.nodes().get(0)).fits());
        PodScorer scorer = age.start(context, cluster.nodes());
        assertEquals(0, scorer.score(cluster.nodes().get(0)));

        time = START.plus(Duration.ofMinutes(1)).plusSeconds(59);
        assertEquals(true, quiet.start(attempt()).check(cluster.nodes().get(0)).fits());
        time = START.plus(Duration.ofMinutes(2)).minusMillis(1);
        PodContext last = attempt();
        assertEquals(true, quiet.start(last).check(cluster.nodes().get(0)).fits());
        assertEquals(1, age.start(last, cluster.nodes()).score(cluster.nodes().get(0)));
        // At 22 o'clock the rule no longer applies.
        time = START.plus(Duration.ofMinutes(3));
        assertEquals(true, quiet.start(attempt()).check(cluster.nodes().get(0)).fits());
        // An hour before it does, to a node that by then is in the future.
        time = START.minus(Duration.ofHours(1));
        assertEquals(true, quiet.start(attempt()).check(cluster.nodes().get(0)).fits());
        time = START.plus(Duration.ofHours(23));
        assertEquals(false, quiet.start(attempt()).check(cluster.nodes().get(0)).fits());
    }

    private PodContext attempt() {
        cluster.startCycle();
        return PodContext.of(pod("p").created(START.toEpochMilli()).build(), cluster);
    }
}
