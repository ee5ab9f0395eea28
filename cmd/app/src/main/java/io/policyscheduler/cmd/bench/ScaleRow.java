package io.policyscheduler.cmd.bench;

import io.policyscheduler.cmd.bench.BenchReport.Medians;
import io.policyscheduler.cmd.bench.ScaleBench.Size;
import io.policyscheduler.cmd.world.Workload;
import java.util.List;

/**
 * What deciding came to on a cluster of one size.
 *
 * @param path the way of deciding
 * @param podsPerSecond of each run
 * @param cpuMicros CPU time of the process for each pod, of each run
 * @param against microseconds for a pod, compared with the first size
 * @param heapBytes heap in use after a collection, with the whole cluster in it
 */
record ScaleRow(
        String decider,
        Workload workload,
        Size size,
        String path,
        List<Double> podsPerSecond,
        List<Double> cpuMicros,
        double against,
        long heapBytes) {
    private static final double MICROS = 1e6;

    ScaleRow {
        podsPerSecond = List.copyOf(podsPerSecond);
        cpuMicros = List.copyOf(cpuMicros);
    }

    /** The middle of the runs. */
    double rate() {
        return Medians.of(podsPerSecond);
    }

    /** Microseconds for a pod by the clock, in the middle of the runs. */
    double micros() {
        return MICROS / rate();
    }

    /** Microseconds of CPU time for a pod, in the middle of the runs. */
    double cpu() {
        return Medians.of(cpuMicros);
    }
}
