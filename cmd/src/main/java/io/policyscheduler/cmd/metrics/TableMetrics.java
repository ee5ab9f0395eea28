package io.policyscheduler.cmd.metrics;

import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.Supplier;

/** Which values of tables are in force, and what became of others. Thread-safe. */
public final class TableMetrics {
    private static final double MILLI = 1000.0;

    private final Counter changes;

    /**
     * @param states by name of the table, safe for any thread
     * @param clock by which values age
     */
    public TableMetrics(PrometheusRegistry registry, Supplier<Map<String, TableState>> states, Clock clock) {
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
                        .forEach(
                                (table, state) -> value.apply(state).ifPresent(number -> callback.call(number, table))))
                .register(registry);
    }

    /** Other values are in force. */
    public void changed(String table) {
        changes.labelValues(table, "success").inc();
    }

    /** Other values were refused. */
    public void refused(String table) {
        changes.labelValues(table, "failure").inc();
    }
}
