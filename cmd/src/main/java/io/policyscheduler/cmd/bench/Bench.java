package io.policyscheduler.cmd.bench;

import com.sun.management.OperatingSystemMXBean;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.live.TeeListener.Attempts;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.cmd.workload.BenchWorld;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.Room;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
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
record Bench(
        int nodes,
        int pods,
        int decisions,
        int runs,
        int percentage,
        long seed,
        int history,
        List<DecidingPath> paths) {
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
    BenchResult measure(BenchRow row, Beside.@Nullable Begin beside, IntConsumer progress) throws IOException {
        List<List<Run>> done = new ArrayList<>();
        List<Double> ratesBeside = new ArrayList<>();
        paths.forEach(path -> done.add(new ArrayList<>()));
        int placed = 0;
        int events = 0;
        for (int run = 0; run <= runs; run++) {
            for (int path = 0; path < paths.size(); path++) {
                Run made = run(row, paths.get(path), (world, kept) -> Beside.NOTHING);
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
        List<BenchResult.PathRuns> figures = new ArrayList<>();
        for (int path = 0; path < paths.size(); path++) {
            figures.add(new BenchResult.PathRuns(
                    paths.get(path).name(),
                    done.get(path).stream().map(Run::rate).toList(),
                    done.get(path).stream().map(Run::cpuMicros).toList()));
        }
        return new BenchResult(row.decider(), row.workload(), figures, placed, ratesBeside, events);
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
    Run run(BenchRow row, DecidingPath path, Beside.Begin begin) throws IOException {
        BenchWorld world = new BenchWorld(row.workload(), nodes, pods, decisions, seed);
        DecisionHistory kept = new DecisionHistory(history, SteadyClock.system());
        SchedulingCycle cycle =
                path.source().cycle(row.profile().apply(world.cluster), world.cluster, percentage, new Attempts(kept));
        try (Beside beside = begin.with(world, kept)) {
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
    static @Nullable String makeRoom(SchedulingCycle cycle, BenchWorld world, PodInfo pod) {
        Room room = cycle.preemption().makeRoom(pod, NominatedPods.NONE, PREEMPTION);
        room.victims().forEach(world.cluster::removePod);
        return room.node();
    }

    /** CPU time of this process so far, all its threads together; 0 where the system does not tell. */
    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? Math.max(0, system.getProcessCpuTime())
                : 0;
    }
}
