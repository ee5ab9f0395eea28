package io.policyscheduler.cmd.bench;

import com.sun.management.OperatingSystemMXBean;
import io.policyscheduler.cmd.bench.BenchReport.Medians;
import io.policyscheduler.cmd.bench.BenchReport.Row;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.snapshot.BenchCluster;
import io.policyscheduler.cmd.snapshot.Workload;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.framework.cycle.AttemptListener;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.SchedulingCycle.DecisionPath;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures the scheduling cycle up to and including the assume step, which is the serial part of scheduling. Victims of
 * preemption are removed immediately, so that the preemptor is placed before the next pod.
 *
 * @param nodes nodes of 32 cores in three zones
 * @param pods pods on the nodes before the first decision
 * @param decisions pods decided in each run
 * @param runs measured runs, each on a new cluster
 * @param percentage percentageOfNodesToScore
 * @param seed of the random cluster
 * @param history capacity of the decision history; 0 for none
 * @param paths the implementations that are compared, alternately
 */
record Bench(int nodes, int pods, int decisions, int runs, int percentage, long seed, int history, List<Path> paths) {
    private static final Preemption PREEMPTION = new Preemption(true, true, true);
    private static final double NANOS = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    Bench {
        paths = List.copyOf(paths);
    }

    /**
     * Measures one row, after a warm-up run that is not counted.
     *
     * @param beside background load of every second run of the last path; null for none
     * @param progress receives the number of finished runs
     * @throws IOException if the background load cannot start
     */
    Result measure(Row row, BackgroundLoad.@Nullable Begin beside, IntConsumer progress) throws IOException {
        List<List<Run>> done = new ArrayList<>();
        List<Double> ratesBeside = new ArrayList<>();
        paths.forEach(path -> done.add(new ArrayList<>()));
        int placed = 0;
        int events = 0;
        for (int run = 0; run <= runs; run++) {
            for (int path = 0; path < paths.size(); path++) {
                Run made = run(row, paths.get(path), (benchCluster, kept) -> BackgroundLoad.NOTHING);
                placed = made.placed();
                if (run > 0) {
                    done.get(path).add(made);
                }
            }
            Run other = beside == null ? null : run(row, paths.get(paths.size() - 1), beside);
            if (run > 0 && other != null) {
                ratesBeside.add(other.rate());
                events += other.events();
            }
            progress.accept(run);
        }
        List<Result.PathRuns> figures = new ArrayList<>();
        for (int path = 0; path < paths.size(); path++) {
            figures.add(new Result.PathRuns(
                    paths.get(path).name(),
                    done.get(path).stream().map(Run::rate).toList(),
                    done.get(path).stream().map(Run::cpuMicros).toList()));
        }
        return new Result(row.decider(), row.workload(), figures, placed, ratesBeside, events);
    }

    /**
     * The result of one run.
     *
     * @param rate pods a second
     * @param cpuMicros CPU time of the process for each pod
     * @param events number of events of the background load
     */
    record Run(double rate, double cpuMicros, int placed, int events) {}

    /** One run on a new cluster. */
    Run run(Row row, Path path, BackgroundLoad.Begin begin) throws IOException {
        BenchCluster benchCluster = new BenchCluster(row.workload(), nodes, pods, decisions, seed);
        DecisionHistory kept = begin.history(history);
        SchedulingCycle cycle =
                path.source().cycle(row.profile().apply(benchCluster.cluster), benchCluster.cluster, percentage, kept);
        // Otherwise, the garbage of earlier runs would always be collected in the same of two alternating runs.
        System.gc();
        try (BackgroundLoad beside = begin.with(benchCluster, kept)) {
            int placed = 0;
            long cpu = cpuNanos();
            long start = System.nanoTime();
            for (PodInfo pod : benchCluster.pending) {
                beside.deciding();
                Decision decision = cycle.decide(pod, NominatedPods.NONE);
                kept.onDecision(pod, decision, 0);
                String node = decision.node();
                if (node == null && row.workload().preempts()) {
                    node = makeRoom(cycle, benchCluster, pod);
                }
                if (node != null) {
                    benchCluster.cluster.addPod(pod.withNodeName(node));
                    placed++;
                }
                if (node != null && decision.isPlaced() && kept.needsDetails()) {
                    kept.onBound(
                            new QueuedPod(pod, Instant.EPOCH, 0, 0, Instant.EPOCH, Instant.EPOCH, Set.of()), node, 0);
                }
                beside.decided(pod, decision);
            }
            double seconds = (System.nanoTime() - start) / NANOS;
            double cpuMicros = (cpuNanos() - cpu) / NANOS_PER_MICRO / decisions;
            return new Run(decisions / seconds, cpuMicros, placed, beside.events());
        }
    }

    /** Evicts the victims of preemption and returns the nominated node; null if preemption does not help. */
    static @Nullable String makeRoom(SchedulingCycle cycle, BenchCluster benchCluster, PodInfo pod) {
        PreemptionPlan room = cycle.preemption().preempt(pod, NominatedPods.NONE, PREEMPTION);
        room.victims().forEach(benchCluster.cluster::removePod);
        return room.node();
    }

    /** CPU time of all threads of this process; 0 if the operating system does not report it. */
    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? Math.max(0, system.getProcessCpuTime())
                : 0;
    }

    /**
     * The measurements of one row.
     *
     * @param paths measurements by path, the plain path first; the runs of all paths alternate
     * @param placed pods placed in the last run
     * @param beside pods per second of the last path with the background load, each run after one without it; empty without a
     *     load
     * @param events events of the background load by run
     */
    record Result(
            String decider, Workload workload, List<PathRuns> paths, int placed, List<Double> beside, int events) {
        /**
         * The runs of one path, in order.
         *
         * @param podsPerSecond by wall-clock time
         * @param cpuMicros CPU time of the process per pod, without the background load
         */
        record PathRuns(String name, List<Double> podsPerSecond, List<Double> cpuMicros) {
            PathRuns {
                podsPerSecond = List.copyOf(podsPerSecond);
                cpuMicros = List.copyOf(cpuMicros);
            }

            /** Median of the runs. */
            double rate() {
                return Medians.of(podsPerSecond);
            }

            /** Median of the runs. */
            double cpu() {
                return Medians.of(cpuMicros);
            }
        }

        Result {
            paths = List.copyOf(paths);
            beside = List.copyOf(beside);
        }

        /** The first path. */
        PathRuns plain() {
            return paths.get(0);
        }

        /** The path that {@code run} uses. */
        PathRuns usual() {
            return paths.get(paths.size() - 1);
        }

        /** Median of the ratios of pods per second of the last path to those of the first path. */
        double gain() {
            return Medians.ofRatios(usual().podsPerSecond(), plain().podsPerSecond());
        }

        /** Median of the ratios of each run with the background load to the run before it. */
        double besideRatio() {
            return Medians.ofRatios(beside, usual().podsPerSecond());
        }
    }

    /** Background load during the decisions of one run, from creation to {@code close}. */
    interface BackgroundLoad extends AutoCloseable {
        /** No load. */
        BackgroundLoad NOTHING = new BackgroundLoad() {
            @Override
            public int events() {
                return 0;
            }

            @Override
            public void close() {}
        };

        /** Starts the load for a run. */
        @FunctionalInterface
        interface Begin {
            /** @throws IOException if a port of the loopback address cannot be used */
            BackgroundLoad with(BenchCluster benchCluster, DecisionHistory history) throws IOException;

            /** The history of the run, before {@link #with}. */
            default DecisionHistory history(int capacity) throws IOException {
                return new DecisionHistory(capacity, SteadyClock.system());
            }
        }

        /** Called before each decision, on the scheduling thread. */
        default void deciding() {}

        /** Called after each decision. A placed pod counts on its node already. */
        default void decided(PodInfo pod, Decision decision) {}

        /** Number of events of this load. */
        int events();

        @Override
        void close();
    }

    /**
     * An implementation of the scheduling cycle. All of them make the same decisions. This is the only list of them.
     *
     * @param name in lower case, for tables and JSON
     */
    record Path(String name, Source source) {
        /** Creates a cycle of this path. */
        @FunctionalInterface
        interface Source {
            SchedulingCycle cycle(Profile profile, ClusterState cluster, int percentage, AttemptListener attempts);
        }

        /** All paths, the plain one first and the one of {@code run} last. */
        static final List<Path> ALL = List.of(of(DecisionPath.PLAIN), of(DecisionPath.KEPT));

        private static Path of(DecisionPath path) {
            return new Path(
                    path.name().toLowerCase(Locale.ROOT),
                    (profile, cluster, percentage, attempts) -> SchedulingCycle.builder(profile, cluster)
                            .percentageOfNodesToScore(percentage)
                            .tieBreak(TieBreak.roundRobin())
                            .attempts(attempts)
                            .path(path)
                            .build());
        }

        /** The path that {@code run} uses. */
        static Path usual() {
            return ALL.get(ALL.size() - 1);
        }
    }
}
