package io.policyscheduler.cmd.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Map;
import java.util.function.Supplier;

/** Which values of tables are in force, and what became of others. Thread-safe. */
public final class TableMetrics {
    private final Counter changes;

    /** @param generations by name of the table, safe for any thread */
    public TableMetrics(PrometheusRegistry registry, Supplier<Map<String, Long>> generations) {
        GaugeWithCallback.builder()
                .name("policy_scheduler_table_generation")
                .help("Number of the values of a table that rules read; 1 is those that the policy came with")
                .labelNames("table")
                .callback(
                        callback -> generations.get().forEach((table, number) -> callback.call((double) number, table)))
                .register(registry);
        changes = new Families(registry)
                .counter(
                        "policy_scheduler_table_changes_total",
                        "Other values of a table that came into force or were refused",
                        "table",
                        "result");
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
