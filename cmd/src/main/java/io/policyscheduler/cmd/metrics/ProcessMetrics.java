package io.policyscheduler.cmd.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.prometheus.metrics.model.registry.MultiCollector;
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

/** CPU, memory, files, threads and garbage collection of this process, under the usual names. Read when scraped. */
public final class ProcessMetrics implements MultiCollector {
    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;

    @Override
    public MetricSnapshots collect() {
        List<MetricSnapshot> all = new ArrayList<>();
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
}
