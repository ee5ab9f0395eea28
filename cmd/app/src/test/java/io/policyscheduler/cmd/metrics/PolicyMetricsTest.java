package io.policyscheduler.cmd.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PolicyMetricsTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();

    private List<String> samples(String family) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(out, registry.scrape());
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith(family))
                .toList();
    }

    @Test
    void failuresOfRulesAreReadAtEachScrape() throws IOException {
        Map<String, Long> failures = new TreeMap<>();
        new PolicyMetrics(registry, () -> failures);
        assertEquals(List.of(), samples("policy_scheduler_rule_failures_total"));
        failures.put("UnderlayIPs", 3L);
        failures.put("Free \"IPs\"", 1L);
        assertEquals(
                List.of(
                        "policy_scheduler_rule_failures_total{rule=\"Free \\\"IPs\\\"\"} 1.0",
                        "policy_scheduler_rule_failures_total{rule=\"UnderlayIPs\"} 3.0"),
                samples("policy_scheduler_rule_failures_total"));
        assertEquals(List.of("policy_scheduler_policy_generation 1.0"), samples("policy_scheduler_policy_generation"));
    }
}
