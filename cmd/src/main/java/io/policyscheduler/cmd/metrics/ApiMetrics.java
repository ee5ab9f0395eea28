package io.policyscheduler.cmd.metrics;

import io.policyscheduler.cmd.kube.connection.KubeConnection.Observer;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** The calls of the API server, by the names of client-go. */
public final class ApiMetrics implements Observer {
    private static final double NANOS = 1e9;
    private static final double[] BOUNDS = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};

    private final Counter requests;
    private final Histogram durations;

    /** @param registry must not have the families yet */
    public ApiMetrics(PrometheusRegistry registry) {
        Families families = new Families(registry);
        requests = families.counter(
                "rest_client_requests_total",
                "[ALPHA] Requests to the API server by status code; <error> if there was no response",
                "code",
                "method",
                "host");
        durations = families.histogram(
                "rest_client_request_duration_seconds",
                "[ALPHA] Time to the first byte of a response from the API server",
                BOUNDS,
                "verb",
                "host");
    }

    @Override
    public void called(String method, String host, int code, long nanos) {
        requests.labelValues(code == 0 ? "<error>" : Integer.toString(code), method, host)
                .inc();
        durations.labelValues(method, host).observe(nanos / NANOS);
    }
}
