package io.policyscheduler.cmd.metrics;

import com.google.common.hash.Hashing;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;

/** Which policy decides, and what became of attempts to load another one. Thread-safe. */
public final class PolicyMetrics {
    private static final int DIGITS = 16;

    private final Gauge generation;
    private final Gauge hash;
    private final CounterDataPoint succeeded;
    private final CounterDataPoint failed;

    /**
     * Registers the families, with generation 1: the policy that the process started with.
     *
     * @param ruleFailures rule to number of failures of the policy in force, safe for any thread
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

    /** The text that the policy in force was made of. */
    public void inForce(String text) {
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

    /** Another policy was refused; the one before still decides. */
    public void reloadFailed() {
        failed.inc();
    }
}
