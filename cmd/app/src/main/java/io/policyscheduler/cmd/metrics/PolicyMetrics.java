package io.policyscheduler.cmd.metrics;

import com.google.common.hash.Hashing;
import io.policyscheduler.cmd.metrics.SchedulerGauges.Families;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Metrics of the policy in effect and of reloads. Thread-safe. */
public final class PolicyMetrics {
    private static final int DIGITS = 16;

    private final Gauge generation;
    private final Gauge hash;
    private final CounterDataPoint succeeded;
    private final CounterDataPoint failed;

    /**
     * Registers the families, with generation 1: the policy that the process started with.
     *
     * @param ruleFailures number of failures of the policy in effect by rule; thread-safe
     */
    public PolicyMetrics(PrometheusRegistry registry, Supplier<Map<String, Long>> ruleFailures) {
        CounterWithCallback.builder()
                .name("policy_scheduler_rule_failures_total")
                .help("Failed evaluations of a rule of the current policy; restarts at 0 with a new policy")
                .labelNames("rule")
                .callback(callback -> ruleFailures.get().forEach((rule, count) -> callback.call((double) count, rule)))
                .register(registry);
        generation = Gauge.builder()
                .name("policy_scheduler_policy_generation")
                .help("Generation of the current policy; 1 is the policy at the start")
                .register(registry);
        generation.set(1);
        hash = Gauge.builder()
                .name("policy_scheduler_policy_info")
                .help("Hash of the text of the current policy; it should be the same on all replicas")
                .labelNames("hash")
                .register(registry);
        Counter reloads = new Families(registry)
                .counter("policy_scheduler_policy_reloads_total", "Attempts to reload the policy", "result");
        succeeded = reloads.labelValues("success");
        failed = reloads.labelValues("failure");
    }

    /** Another policy decides from now on. */
    public void reloaded(long newGeneration) {
        generation.set((double) newGeneration);
        succeeded.inc();
    }

    /** Sets the text of the policy in effect. */
    public void inEffect(String text) {
        hash.clear();
        hash.labelValues(hashOf(text)).set(1);
    }

    /** The first 16 digits of the text's SHA-256. */
    public static String hashOf(String text) {
        return Hashing.sha256()
                .hashString(text, StandardCharsets.UTF_8)
                .toString()
                .substring(0, DIGITS);
    }

    /** Counts a rejected policy; the previous one stays in effect. */
    public void reloadFailed() {
        failed.inc();
    }

    /**
     * The state of a canary.
     *
     * @param decisions by the policy that made them and by the comparison with the other one
     */
    public record Canary(
            boolean isActive, int waiting, int failing, int rollbacks, Map<String, Map<String, Long>> decisions) {
        public Canary {
            decisions = Map.copyOf(decisions);
        }

        /** Registers the families, read at each scrape. */
        public static void register(PrometheusRegistry registry, Supplier<Canary> canary) {
            GaugeWithCallback.builder()
                    .name("policy_scheduler_canary_active")
                    .help("1 while the policy of --policy-canary decides the pods of its share, 0 after a rollback")
                    .callback(gauge -> gauge.call(canary.get().isActive() ? 1 : 0))
                    .register(registry);
            GaugeWithCallback.builder()
                    .name("policy_scheduler_canary_pods")
                    .help("Pods of the share that wait because of the canary, or whose last attempt failed")
                    .labelNames("state")
                    .callback(gauge -> {
                        gauge.call(canary.get().waiting(), "waiting");
                        gauge.call(canary.get().failing(), "failing");
                    })
                    .register(registry);
            CounterWithCallback.builder()
                    .name("policy_scheduler_canary_rollbacks_total")
                    .help("Rollbacks of --policy-canary")
                    .callback(counter -> counter.call(canary.get().rollbacks()))
                    .register(registry);
            CounterWithCallback.builder()
                    .name("policy_scheduler_canary_decisions_total")
                    .help("Decisions during a canary, by the policy that made them (canary or current) and by the"
                            + " decision of the other policy: same, other_node, no_node, node (it finds one,"
                            + " and this one does not), or not_evaluated")
                    .labelNames("policy", "other")
                    .callback(counter -> canary.get()
                            .decisions()
                            .forEach((policy, counts) ->
                                    counts.forEach((other, count) -> counter.call(count, policy, other))))
                    .register(registry);
        }
    }

    /** Results of evaluating rules with both executors. */
    public static final class Executions {
        private Executions() {}

        /** Registers metrics that are read at each scrape; none if no evaluation is verified. */
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

    /** Metrics of the table values in effect. Thread-safe. */
    public static final class Tables {
        private static final double MILLI = 1000.0;

        private final Counter changes;

        /**
         * @param states by name of the table; thread-safe
         * @param clock by which values age
         */
        public Tables(PrometheusRegistry registry, Supplier<Map<String, TableState>> states, Clock clock) {
            gauge(
                    registry,
                    states,
                    "policy_scheduler_table_generation",
                    "Generation of the values of a table; 1 is the values at the load of the policy",
                    state -> OptionalDouble.of(state.generation()));
            gauge(
                    registry,
                    states,
                    "policy_scheduler_table_age_seconds",
                    "Age of the newest value of a table with measured values",
                    state -> age(state, clock.instant()));
            gauge(
                    registry,
                    states,
                    "policy_scheduler_table_stale_values",
                    "Keys of a table that count as missing because their values are too old",
                    state -> OptionalDouble.of(state.stale()));
            changes = new Families(registry)
                    .counter(
                            "policy_scheduler_table_changes_total",
                            "Updates of the values of a table that were applied or rejected",
                            "table",
                            "result");
        }

        private static OptionalDouble age(TableState state, Instant now) {
            Instant time = state.sourceTime();
            return time == null
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(Duration.between(time, now).toMillis() / MILLI);
        }

        private static void gauge(
                PrometheusRegistry registry,
                Supplier<Map<String, TableState>> states,
                String name,
                String help,
                Function<TableState, OptionalDouble> value) {
            GaugeWithCallback.builder()
                    .name(name)
                    .help(help)
                    .labelNames("table")
                    .callback(callback -> states.get()
                            .forEach((table, state) ->
                                    value.apply(state).ifPresent(number -> callback.call(number, table))))
                    .register(registry);
        }

        /** Counts new values in effect. */
        public void changed(String table) {
            changes.labelValues(table, "success").inc();
        }

        /** Other values were refused. */
        public void refused(String table) {
            changes.labelValues(table, "failure").inc();
        }
    }
}
