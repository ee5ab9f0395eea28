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
 * @param decisions {@code /debug/decisions}
 * @param pages asked first about every path
 */
public record StatusContent(
        List<HealthCheck> healthz,
        List<HealthCheck> livez,
        List<HealthCheck> readyz,
        PrometheusRegistry metrics,
        Supplier<String> configz,
        QueryPage decisions,
        PathPages pages) {
    public StatusContent {
        healthz = List.copyOf(healthz);
        livez = List.copyOf(livez);
        readyz = List.copyOf(readyz);
    }

    /** Without further pages. */
    public StatusContent(
            List<HealthCheck> healthz,
            List<HealthCheck> livez,
            List<HealthCheck> readyz,
            PrometheusRegistry metrics,
            Supplier<String> configz,
            QueryPage decisions) {
        this(healthz, livez, readyz, metrics, configz, decisions, PathPages.NONE);
    }

    /** A copy with further pages. */
    public StatusContent withPages(PathPages value) {
        return new StatusContent(healthz, livez, readyz, metrics, configz, decisions, value);
    }

    /** A copy that says nothing of single pods and nodes: health, numbers and configuration only. */
    public StatusContent withoutPods() {
        return new StatusContent(healthz, livez, readyz, metrics, configz);
    }

    /** Without decisions. */
    public StatusContent(
            List<HealthCheck> healthz,
            List<HealthCheck> livez,
            List<HealthCheck> readyz,
            PrometheusRegistry metrics,
            Supplier<String> configz) {
        this(healthz, livez, readyz, metrics, configz, QueryPage.NONE);
    }
}
