package io.policyscheduler.cmd.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.policyscheduler.cmd.kube.connection.KubeConnection.Observer;
import io.policyscheduler.cmd.metrics.SchedulerGauges.Families;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** CPU, memory, files, threads and garbage collection of this process, under the usual names. Read when scraped. */
public final class ProcessMetrics implements MultiCollector {
    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;

    private final String version;

    /** @param version of this program, as {@code policy-scheduler version} prints it */
    public ProcessMetrics(String version) {
        this.version = version;
    }

    @Override
    public MetricSnapshots collect() {
        List<MetricSnapshot> all = new ArrayList<>();
        all.add(GaugeSnapshot.builder()
                .name("policy_scheduler_build")
                .help("Version of this program and of Java; the value is 1")
                .dataPoint(GaugeDataPointSnapshot.builder()
                        .labels(Labels.of("java_version", Runtime.version().toString(), "version", version))
                        .value(1)
                        .build())
                .build());
        all.add(gauge(
                "process_start_time_seconds",
                "Start time of the process in seconds since the Unix epoch",
                ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS));
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            all.add(CounterSnapshot.builder()
                    .name("process_cpu_seconds")
                    .help("CPU time of the process")
                    .dataPoint(CounterDataPointSnapshot.builder()
                            .value(Math.max(0, system.getProcessCpuTime()) / NANOS)
                            .build())
                    .build());
            all.add(gauge("process_open_fds", "Open files", (double) system.getOpenFileDescriptorCount()));
            all.add(gauge(
                    "process_max_fds", "Maximum number of open files", (double) system.getMaxFileDescriptorCount()));
        }
        all.add(memory());
        all.add(gauge(
                "jvm_threads_current",
                "Threads of the JVM",
                ManagementFactory.getThreadMXBean().getThreadCount()));
        all.add(garbageCollection());
        return new MetricSnapshots(all);
    }

    private static GaugeSnapshot gauge(String name, String help, double value) {
        return GaugeSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
                .build();
    }

    private static GaugeSnapshot memory() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        return GaugeSnapshot.builder()
                .name("jvm_memory_used_bytes")
                .help("Memory of the JVM in use")
                .dataPoint(area("heap", memory.getHeapMemoryUsage().getUsed()))
                .dataPoint(area("nonheap", memory.getNonHeapMemoryUsage().getUsed()))
                .build();
    }

    private static GaugeDataPointSnapshot area(String area, long bytes) {
        return GaugeDataPointSnapshot.builder()
                .labels(Labels.of("area", area))
                .value((double) bytes)
                .build();
    }

    private static SummarySnapshot garbageCollection() {
        SummarySnapshot.Builder builder =
                SummarySnapshot.builder().name("jvm_gc_collection_seconds").help("Time spent in garbage collection");
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            builder.dataPoint(SummaryDataPointSnapshot.builder()
                    .labels(Labels.of("gc", collector.getName()))
                    .count(Math.max(0, collector.getCollectionCount()))
                    .sum(Math.max(0, collector.getCollectionTime()) / MILLIS)
                    .build());
        }
        return builder.build();
    }

    /** The calls of the API server, by the names of client-go. */
    public static final class Requests implements Observer {
        private static final double NANOS = 1e9;
        private static final double[] BOUNDS = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};

        private final Counter requests;
        private final Histogram durations;

        /** @param registry must not have the families yet */
        public Requests(PrometheusRegistry registry) {
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

    /** Size of the decision history. */
    public static final class History {
        private History() {}

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

        /**
         * Registers the families of the decision log. All suppliers are called by the thread that scrapes.
         *
         * @param written decisions and results
         * @param dropped entries that exceeded the queue
         * @param failed those that could not be written
         * @param bytes on disk
         */
        public static void registerLog(
                PrometheusRegistry registry,
                LongSupplier written,
                LongSupplier dropped,
                LongSupplier failed,
                LongSupplier bytes) {
            CounterWithCallback.builder()
                    .name("policy_scheduler_decision_log_entries_total")
                    .help("Decisions and results for --decision-log: written, dropped (the queue was full), or failed"
                            + " (not writable)")
                    .labelNames("result")
                    .callback(callback -> {
                        callback.call(written.getAsLong(), "written");
                        callback.call(dropped.getAsLong(), "dropped");
                        callback.call(failed.getAsLong(), "failed");
                    })
                    .register(registry);
            GaugeWithCallback.builder()
                    .name("policy_scheduler_decision_log_bytes")
                    .help("Size of the files of --decision-log")
                    .callback(gauge -> gauge.call(bytes.getAsLong()))
                    .register(registry);
        }
    }
}
