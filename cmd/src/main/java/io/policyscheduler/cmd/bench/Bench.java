package io.policyscheduler.cmd.bench;

import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.live.HeardAttempts;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.cmd.workload.BenchWorld;
import io.policyscheduler.cmd.workload.Workload;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.BoundedScores;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.profile.Profile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures deciding and assuming, the serial part of scheduling.
 *
 * @param nodes nodes of 32 cores in three zones
 * @param pods pods on them before the first decision
 * @param decisions pods decided in each run
 * @param runs measured runs, each on a fresh world
 * @param percentage percentageOfNodesToScore
 * @param seed of the world
 * @param history decisions that are remembered; 0 for none
 */
record Bench(int nodes, int pods, int decisions, int runs, int percentage, long seed, int history) {
    /**
     * One workload's figures.
     *
     * @param podsPerSecond one for each run, in order
     * @param placed pods placed in the last run
     * @param beside the same with something else going on, each run right after the one without; empty when there was none
     * @param events what went on in those, counted
     */
    public record Result(Workload workload, List<Double> podsPerSecond, int placed, List<Double> beside, int events) {
        public Result {
            podsPerSecond = List.copyOf(podsPerSecond);
            beside = List.copyOf(beside);
        }

        /** Nothing else went on. */
        public Result(Workload workload, List<Double> podsPerSecond, int placed) {
            this(workload, podsPerSecond, placed, List.of(), 0);
        }

        /** The middle of the runs. */
        public double median() {
            return median(podsPerSecond);
        }

        /** The middle of the ratios of each run with something else to the one before it. */
        public double ratio() {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < beside.size(); i++) {
                ratios.add(beside.get(i) / podsPerSecond.get(i));
            }
            return median(ratios);
        }

        private static double median(List<Double> values) {
            List<Double> sorted = values.stream().sorted().toList();
            int middle = sorted.size() / 2;
            return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        }
    }

    /**
     * Measures a workload after one run that does not count.
     *
     * @param profile makes a profile for each run
     * @param beside what goes on beside every second run; null to make no such runs
     * @param progress hears the number of runs done
     * @throws IOException when what goes on beside cannot begin
     */
    public Result measure(
            Workload workload,
            Function<ClusterState, Profile> profile,
            Beside.@Nullable Begin beside,
            IntConsumer progress)
            throws IOException {
        List<Double> rates = new ArrayList<>();
        List<Double> ratesBeside = new ArrayList<>();
        int placed = 0;
        int events = 0;
        for (int run = 0; run <= runs; run++) {
            Run plain = run(workload, profile, (world, kept) -> Beside.NOTHING);
            Run other = beside == null ? null : run(workload, profile, beside);
            placed = plain.placed();
            if (run > 0) {
                rates.add(plain.rate());
                if (other != null) {
                    ratesBeside.add(other.rate());
                    events += other.events();
                }
            }
            progress.accept(run);
        }
        return new Result(workload, rates, placed, ratesBeside, events);
    }

    private record Run(double rate, int placed, int events) {}

    private Run run(Workload workload, Function<ClusterState, Profile> profile, Beside.Begin begin) throws IOException {
        BenchWorld world = new BenchWorld(workload, nodes, pods, decisions, seed);
        DecisionHistory kept = new DecisionHistory(history, SteadyClock.system());
        SchedulingCycle cycle = new SchedulingCycle(
                profile.apply(world.cluster),
                world.cluster,
                percentage,
                TieBreak.roundRobin(),
                Extenders.NONE,
                BoundedScores.UNHEARD,
                new HeardAttempts(kept));
        try (Beside beside = begin.with(world, kept)) {
            int placed = 0;
            long start = System.nanoTime();
            for (PodInfo pod : world.pending) {
                beside.deciding();
                Decision decision = cycle.decide(pod, NominatedPods.NONE);
                kept.onDecision(pod, decision, 0);
                String node = decision.node();
                if (node != null) {
                    world.cluster.addPod(pod.withNodeName(node));
                    placed++;
                }
                beside.decided(pod, decision);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            return new Run(decisions / seconds, placed, beside.events());
        }
    }
}
