package io.policyscheduler.cmd.metrics;

import io.policyscheduler.engine.rules.RuleExecution;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.ToLongFunction;

/** What came of evaluating rules with the other executor too. */
public final class RuleExecutionMetrics {
    private RuleExecutionMetrics() {}

    /** Registers the families, read from an execution at each scrape; none when it checks nothing. */
    public static void register(PrometheusRegistry registry, RuleExecution execution) {
        if (execution.checks()) {
            family(
                    registry,
                    execution,
                    "policy_scheduler_rule_evaluations_verified_total",
                    "Evaluations of a rule that the other evaluator repeated",
                    RuleExecution.Verified::evaluations);
            family(
                    registry,
                    execution,
                    "policy_scheduler_rule_executor_differences_total",
                    "Repeated evaluations of a rule with a different result",
                    RuleExecution.Verified::differences);
        }
    }

    private static void family(
            PrometheusRegistry registry,
            RuleExecution execution,
            String name,
            String help,
            ToLongFunction<RuleExecution.Verified> count) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("rule")
                .callback(callback -> execution
                        .verified()
                        .forEach((rule, verified) -> callback.call((double) count.applyAsLong(verified), rule)))
                .register(registry);
    }
}
