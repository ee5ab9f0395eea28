package io.policyscheduler.cmd.metrics;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.LongSupplier;

/** What the memory of decisions costs. */
public final class HistoryMetrics {
    private HistoryMetrics() {}

    /**
     * Registers it.
     *
     * @param bytes roughly; called by the thread that scrapes
     */
    public static void register(PrometheusRegistry registry, LongSupplier bytes) {
        GaugeWithCallback.builder()
                .name("policy_scheduler_decision_history_bytes")
                .help("Estimated memory of the decision history for /debug/decisions")
                .callback(gauge -> gauge.call(bytes.getAsLong()))
                .register(registry);
    }
}
