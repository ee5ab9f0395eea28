package io.policyscheduler.cmd.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Makes metric families with what all of them have in common. */
final class Families {
    private final PrometheusRegistry registry;

    Families(PrometheusRegistry registry) {
        this.registry = registry;
    }

    Counter counter(String name, String help, String... labels) {
        return Counter.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .withoutExemplars()
                .register(registry);
    }

    Histogram histogram(String name, String help, double[] bounds, String... labels) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .classicOnly()
                .classicUpperBounds(bounds)
                .withoutExemplars()
                .register(registry);
    }

    /** The upper bounds start, start * factor, ... */
    static double[] exponential(double start, double factor, int count) {
        double[] bounds = new double[count];
        double bound = start;
        for (int i = 0; i < count; i++) {
            bounds[i] = bound;
            bound *= factor;
        }
        return bounds;
    }

    /** The upper bounds start, start + step, ... */
    static double[] linear(double start, double step, int count) {
        double[] bounds = new double[count];
        for (int i = 0; i < count; i++) {
            bounds[i] = start + step * i;
        }
        return bounds;
    }
}
