package io.policyscheduler.cmd.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.metrics.ProcessMetrics.Requests;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApiMetricsTest {
    @Test
    void callsAreCountedByAnswer() throws IOException {
        PrometheusRegistry registry = new PrometheusRegistry();
        Requests metrics = new Requests(registry);
        metrics.called("GET", "10.0.0.1:6443", 200, 20_000_000);
        metrics.called("GET", "10.0.0.1:6443", 200, 30_000_000);
        metrics.called("POST", "10.0.0.1:6443", 0, 1_000_000_000);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(text, registry.scrape());
        assertEquals(
                List.of(
                        "rest_client_request_duration_seconds_sum{host=\"10.0.0.1:6443\",verb=\"GET\"} 0.05",
                        "rest_client_request_duration_seconds_sum{host=\"10.0.0.1:6443\",verb=\"POST\"} 1.0",
                        "rest_client_requests_total{code=\"200\",host=\"10.0.0.1:6443\",method=\"GET\"} 2.0",
                        "rest_client_requests_total{code=\"<error>\",host=\"10.0.0.1:6443\",method=\"POST\"} 1.0"),
                text.toString(StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.contains("_sum") || line.startsWith("rest_client_requests_total"))
                        .toList());
    }
}
