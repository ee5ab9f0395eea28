package io.policyscheduler.cmd.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Which policy decides, and what became of attempts to load another one. Thread-safe. */
public final class PolicyMetrics {
    private final Gauge generation;
    private final CounterDataPoint succeeded;
    private final CounterDataPoint failed;

    /** Registers the families, with generation 1: the policy that the process started with. */
    public PolicyMetrics(PrometheusRegistry registry) {
        generation = Gauge.builder()
                .name("policy_scheduler_policy_generation")
                .help("Number of the policy that decides; 1 is the one from the start")
                .register(registry);
        generation.set(1);
        Counter reloads = new Families(registry)
                .counter("policy_scheduler_policy_reloads_total", "Attempts to load another policy", "result");
        succeeded = reloads.labelValues("success");
        failed = reloads.labelValues("failure");
    }

    /** Another policy decides from now on. */
    public void reloaded(long newGeneration) {
        generation.set((double) newGeneration);
        succeeded.inc();
    }

    /** Another policy was refused; the one before still decides. */
    public void reloadFailed() {
        failed.inc();
    }
}
