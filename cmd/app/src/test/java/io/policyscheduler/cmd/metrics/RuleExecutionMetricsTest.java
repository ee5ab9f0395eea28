package io.policyscheduler.cmd.metrics;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.metrics.PolicyMetrics.Executions;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.RulePredicate;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RuleExecutionMetricsTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();

    private List<String> samples() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(out, registry.scrape());
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.startsWith("#"))
                .toList();
    }

    @Test
    void countsOfRules() throws IOException, RuleException {
        RuleExecution execution = new RuleExecution(RuleProgram.Executor.MVEL, 1);
        Executions.register(registry, execution);
        assertEquals(List.of(), samples());
        RuleDefinition rule = new RuleDefinition(
                "Few",
                "",
                "node.podCount < 1",
                null,
                Map.of(),
                null,
                null,
                null,
                null,
                new RuleDefinition.Place("p", 1, 1));
        ClusterState cluster = cluster(node("n1").build());
        RulePredicate.compile(
                        rule, new RuleCompiler(RuleLimits.DEFAULT, execution), new RuleFailures(Clock.systemUTC()))
                .start(PodContext.of(pod("p").build(), cluster))
                .check(cluster.nodes().get(0));
        assertEquals(
                List.of(
                        "policy_scheduler_rule_evaluations_verified_total{rule=\"Few\"} 1.0",
                        "policy_scheduler_rule_executor_differences_total{rule=\"Few\"} 0.0"),
                samples());
    }

    @Test
    void noneWithoutVerification() throws IOException {
        Executions.register(registry, RuleExecution.standard());
        assertEquals(0, registry.scrape().size());
    }
}
