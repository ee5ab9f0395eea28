package io.policyscheduler.cmd.bench;

import com.sun.management.OperatingSystemMXBean;
import io.policyscheduler.cmd.bench.BenchReport.Medians;
import io.policyscheduler.cmd.bench.BenchReport.Row;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.TeeListener.Attempts;
import io.policyscheduler.cmd.snapshot.BenchCluster;
import io.policyscheduler.cmd.snapshot.Workload;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.PreemptionResult.PreemptionPlan;
import io.policyscheduler.framework.cycle.AttemptListener;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.SchedulingCycle.DecisionPath;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.profile.Profile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures deciding and assuming, the serial part of scheduling. A pod that has to make room takes it at once: its victims are gone
 * before the next one is decided.
 *
 * @param nodes nodes of 32 cores in three zones
 * @param pods pods on them before the first decision
 * @param decisions pods decided in each run
 * @param runs measured runs, each on a fresh world
 * @param percentage percentageOfNodesToScore
 * @param seed of the world
 * @param history decisions that are remembered; 0 for none
 * @param paths the ways of deciding that are compared, in turn
 */
record Bench(int nodes, int pods, int decisions, int runs, int percentage, long seed, int history, List<Path> paths) {
    private static final Preemption PREEMPTION = new Preemption(true, true, true);
    private static final double NANOS = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    Bench {
        paths = List.copyOf(paths);
    }

    /**
     * Measures a row after one run that does not count.
     *
     * @param beside what goes on beside every second run of the last path; null to make no such runs
     * @param progress hears the number of runs done
     * @throws IOException when what goes on beside cannot begin
     */
    Result measure(Row row, Companion.@Nullable Begin beside, IntConsumer progress) throws IOException {
        List<List<Run>> done = new ArrayList<>();
        List<Double> ratesBeside = new ArrayList<>();
        paths.forEach(path -> done.add(new ArrayList<>()));
        int placed = 0;
        int events = 0;
        for (int run = 0; run <= runs; run++) {
            for (int path = 0; path < paths.size(); path++) {
                Run made = run(row, paths.get(path), (world, kept) -> Companion.NOTHING);
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
     * What one run came to.
     *
     * @param rate pods a second
     * @param cpuMicros CPU time of the process for each pod
     * @param events what happened beside it
     */
    record Run(double rate, double cpuMicros, int placed, int events) {}

    /** One run on a world of its own. */
    Run run(Row row, Path path, Companion.Begin begin) throws IOException {
        BenchCluster world = new BenchCluster(row.workload(), nodes, pods, decisions, seed);
        DecisionHistory kept = begin.history(history);
        SchedulingCycle cycle =
                path.source().cycle(row.profile().apply(world.cluster), world.cluster, percentage, new Attempts(kept));
        try (Companion beside = begin.with(world, kept)) {
            int placed = 0;
            long cpu = cpuNanos();
            long start = System.nanoTime();
            for (PodInfo pod : world.pending) {
                beside.deciding();
                Decision decision = cycle.decide(pod, NominatedPods.NONE);
                kept.onDecision(pod, decision, 0);
                String node = decision.node();
                if (node == null && row.workload().preempts()) {
                    node = makeRoom(cycle, world, pod);
                }
                if (node != null) {
                    world.cluster.addPod(pod.withNodeName(node));
                    placed++;
                }
                beside.decided(pod, decision);
            }
            double seconds = (System.nanoTime() - start) / NANOS;
            double cpuMicros = (cpuNanos() - cpu) / NANOS_PER_MICRO / decisions;
            return new Run(decisions / seconds, cpuMicros, placed, beside.events());
        }
    }

    /** Evicts whom preemption chooses; the node that has room now, null when nothing helps. */
    static @Nullable String makeRoom(SchedulingCycle cycle, BenchCluster world, PodInfo pod) {
        PreemptionPlan room = cycle.preemption().makeRoom(pod, NominatedPods.NONE, PREEMPTION);
        room.victims().forEach(world.cluster::removePod);
        return room.node();
    }

    /** CPU time of this process so far, all its threads together; 0 where the system does not tell. */
    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? Math.max(0, system.getProcessCpuTime())
                : 0;
    }

    /**
     * The figures of one row.
     *
     * @param paths those of each way of deciding, the plain one first; each run of one right after that of the other
     * @param placed pods placed in the last run
     * @param beside pods a second of the last path with something else going on, each run right after the one without; empty when there
     *     was none
     * @param events what went on in those, counted
     */
    record Result(
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

        Result {
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

    /** What goes on beside the decisions of one run, from when it is made until it is closed. */
    interface Companion extends AutoCloseable {
        /** Nothing goes on. */
        Companion NOTHING = new Companion() {
            @Override
            public int events() {
                return 0;
            }

            @Override
            public void close() {}
        };

        /** Begins it for a run. */
        @FunctionalInterface
        interface Begin {
            /** @throws IOException when a port of the loopback address cannot be used */
            Companion with(BenchCluster world, DecisionHistory history) throws IOException;

            /** The history of the run, before {@link #with}. */
            default DecisionHistory history(int capacity) throws IOException {
                return new DecisionHistory(capacity, SteadyClock.system());
            }
        }

        /** Called before each decision, on the thread that decides. */
        default void deciding() {}

        /** A pod was decided, and counts on its node if it has one. */
        default void decided(PodInfo pod, Decision decision) {}

        /** How much has happened so far. */
        int events();

        @Override
        void close();
    }

    /**
     * A way in which the scheduling cycle comes to the same decisions. This is the only place that knows which there are.
     *
     * @param name in lower case, for tables and JSON
     */
    record Path(String name, Source source) {
        /** Makes a cycle that goes this way. */
        @FunctionalInterface
        interface Source {
            SchedulingCycle cycle(Profile profile, ClusterState cluster, int percentage, AttemptListener attempts);
        }

        /** All ways, the plain one first; what {@code run} does is the last. */
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

        /** The way that {@code run} goes. */
        static Path usual() {
            return ALL.get(ALL.size() - 1);
        }
    }
}
