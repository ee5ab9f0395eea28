package io.policyscheduler.cmd.http;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a {@link StatusServer} shows.
 *
 * @param healthz is the process well ({@code /healthz})
 * @param livez should it not be started anew ({@code /livez})
 * @param readyz has it done its preparations ({@code /readyz})
 * @param metrics scraped by {@code /metrics}
 * @param configz JSON text of {@code /configz}
 */
public record StatusContent(
        List<HealthCheck> healthz,
        List<HealthCheck> livez,
        List<HealthCheck> readyz,
        PrometheusRegistry metrics,
        Supplier<String> configz) {
    public StatusContent {
        healthz = List.copyOf(healthz);
        livez = List.copyOf(livez);
        readyz = List.copyOf(readyz);
    }
}
