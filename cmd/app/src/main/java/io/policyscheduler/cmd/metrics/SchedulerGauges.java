package io.policyscheduler.cmd.metrics;

import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Gauges of the scheduler's state. All values of a scrape belong to one moment. */
public final class SchedulerGauges implements MultiCollector {
    private static final String ALPHA = "[ALPHA] ";
    private static final double MILLIS = 1e3;

    private final Supplier<Counts> counts;
    private final BooleanSupplier leader;
    private final Supplier<Map<String, String>> versions;
    private final Supplier<Map<String, Integer>> unreadable;
    private final Supplier<Map<String, Duration>> silences;
    private final String lock;

    /**
     * Gauges to register.
     *
     * @param counts called by the thread that scrapes; must be safe there
     * @param leader whether this process schedules; always true without leader election
     * @param versions resourceVersion of the last event of each watch, by resource; versions that are not numbers are omitted
     * @param unreadable by kind, how many objects cannot be read
     * @param silences time since the server stopped responding, by resource; zero while it responds
     * @param lock name of the lock of the leader election; empty for none
     */
    public SchedulerGauges(
            Supplier<Counts> counts,
            BooleanSupplier leader,
            Supplier<Map<String, String>> versions,
            Supplier<Map<String, Integer>> unreadable,
            Supplier<Map<String, Duration>> silences,
            String lock) {
        this.counts = counts;
        this.leader = leader;
        this.versions = versions;
        this.unreadable = unreadable;
        this.silences = silences;
        this.lock = lock;
    }

    @Override
    public MetricSnapshots collect() {
        Counts now = counts.get();
        List<MetricSnapshot> all = new ArrayList<>();
        all.add(gauge(
                "scheduler_pending_pods",
                ALPHA + "Pending pods by queue",
                "queue",
                List.of("active", "backoff", "unschedulable", "gated"),
                now.active(),
                now.backoff(),
                now.unschedulable(),
                now.gated()));
        // The doubled prefix is v1.17's; later releases dropped it.
        for (String name : List.of("scheduler_scheduler_cache_size", "scheduler_cache_size")) {
            all.add(gauge(
                    name,
                    ALPHA + "Number of nodes, pods, and assumed pods in the cache",
                    "type",
                    List.of("nodes", "pods", "assumed_pods"),
                    now.nodes(),
                    now.cachedPods(),
                    now.assumed()));
        }
        all.add(gauge(
                "scheduler_scheduler_goroutines",
                ALPHA + "Number of running binds",
                "work",
                List.of("binding"),
                now.binding()));
        all.add(gauge(
                "scheduler_goroutines",
                ALPHA + "Number of running binds",
                "operation",
                List.of("binding"),
                now.binding()));
        all.add(gauge(
                "policy_scheduler_rereading_pods",
                "Failed pods that are read from the API server again before they are requeued",
                "",
                List.of(""),
                now.rereading()));
        all.add(gauge(
                "policy_scheduler_status_writes",
                "Pods whose condition is to be written or is being written",
                "",
                List.of(""),
                now.statusWrites()));
        all.add(gauge(
                "policy_scheduler_leader",
                "1 if this process schedules pods, 0 if it is on standby",
                "",
                List.of(""),
                leader.getAsBoolean() ? 1 : 0));
        if (!lock.isEmpty()) {
            all.add(gauge(
                    "leader_election_master_status",
                    ALPHA + "1 if this process is the leader, 0 if it is on standby",
                    "name",
                    List.of(lock),
                    leader.getAsBoolean() ? 1 : 0));
        }
        all.add(versions());
        all.add(silences());
        Map<String, Integer> byKind = unreadable.get();
        all.add(gauge(
                "policy_scheduler_unreadable_objects",
                "Unreadable objects in the cluster, which are ignored, by kind",
                "kind",
                List.copyOf(byKind.keySet()),
                Ints.toArray(byKind.values())));
        return new MetricSnapshots(all);
    }

    private GaugeSnapshot silences() {
        GaugeSnapshot.Builder builder = GaugeSnapshot.builder()
                .name("policy_scheduler_watch_unanswered_seconds")
                .help("Time since the API server stopped responding to a watch; 0 while it responds");
        silences.get()
                .forEach((resource, silence) -> builder.dataPoint(GaugeDataPointSnapshot.builder()
                        .labels(Labels.of("resource", resource))
                        .value(silence.toMillis() / MILLIS)
                        .build()));
        return builder.build();
    }

    private GaugeSnapshot versions() {
        GaugeSnapshot.Builder builder = GaugeSnapshot.builder()
                .name("policy_scheduler_watch_resource_version")
                .help("Resource version of the last event of a watch; a watch that is far behind the others is stuck");
        versions.get().forEach((resource, version) -> {
            Long number = Longs.tryParse(version);
            if (number != null) {
                builder.dataPoint(GaugeDataPointSnapshot.builder()
                        .labels(Labels.of("resource", resource))
                        .value(number)
                        .build());
            }
        });
        return builder.build();
    }

    private static GaugeSnapshot gauge(String name, String help, String label, List<String> values, int... numbers) {
        GaugeSnapshot.Builder builder = GaugeSnapshot.builder().name(name).help(help);
        for (int i = 0; i < numbers.length; i++) {
            builder.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(label.isEmpty() ? Labels.EMPTY : Labels.of(label, values.get(i)))
                    .value(numbers[i])
                    .build());
        }
        return builder.build();
    }

    /** Creates metric families with common settings. */
    static final class Families {
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
}
