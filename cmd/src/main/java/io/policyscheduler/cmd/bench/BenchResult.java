package io.policyscheduler.cmd.bench;

import io.policyscheduler.cmd.workload.Workload;
import java.util.List;

/**
 * The figures of one row.
 *
 * @param paths those of each way of deciding, the plain one first; each run of one right after that of the other
 * @param placed pods placed in the last run
 * @param beside pods a second of the last path with something else going on, each run right after the one without; empty when there
 *     was none
 * @param events what went on in those, counted
 */
record BenchResult(
        String decider, Workload workload, List<PathRuns> paths, int placed, List<Double> beside, int events) {
    /**
     * The runs of one way of deciding, in order.
     *
     * @param podsPerSecond by the clock
     * @param cpuMicros CPU time of the whole process for each pod; what runs beside it does not count
     */
    record PathRuns(String name, List<Double> podsPerSecond, List<Double> cpuMicros) {
        PathRuns {
            podsPerSecond = List.copyOf(podsPerSecond);
            cpuMicros = List.copyOf(cpuMicros);
        }

        /** The middle of the runs. */
        double rate() {
            return Medians.of(podsPerSecond);
        }

        /** The middle of the runs. */
        double cpu() {
            return Medians.of(cpuMicros);
        }
    }

    BenchResult {
        paths = List.copyOf(paths);
        beside = List.copyOf(beside);
    }

    /** The first way. */
    PathRuns plain() {
        return paths.get(0);
    }

    /** The way that {@code run} goes. */
    PathRuns usual() {
        return paths.get(paths.size() - 1);
    }

    /** How many times as many pods a second the last way decides as the first, in the middle of the pairs. */
    double gain() {
        return Medians.ofRatios(usual().podsPerSecond(), plain().podsPerSecond());
    }

    /** The middle of the ratios of each run with something else to the one before it. */
    double besideRatio() {
        return Medians.ofRatios(beside, usual().podsPerSecond());
    }
}
