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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

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
    /** What happens beside the decisions. */
    @FunctionalInterface
    interface Beside {
        /** Nothing. */
        Beside NOTHING = () -> 0;

        /**
         * Called after each decision.
         *
         * @return how much has changed
         */
        int happen();
    }

    /** What happens beside the decisions, for as long as it is not closed. */
    interface Refreshing extends Beside, AutoCloseable {
        @Override
        void close();
    }

    /**
     * One workload's figures.
     *
     * @param podsPerSecond one for each run, in order
     * @param placed pods placed in the last run
     * @param still the same with tables that are not refreshed, each run just before its counterpart; empty when there are no tables
     * @param refreshes tables that got other values in the measured runs
     */
    public record Result(Workload workload, List<Double> podsPerSecond, int placed, List<Double> still, int refreshes) {
        public Result {
            podsPerSecond = List.copyOf(podsPerSecond);
            still = List.copyOf(still);
        }

        /** The middle of the runs. */
        public double median() {
            return median(podsPerSecond);
        }

        /** The middle of the runs with tables that are not refreshed. */
        public double stillMedian() {
            return median(still);
        }

        private static double median(List<Double> rates) {
            List<Double> sorted = rates.stream().sorted().toList();
            int middle = sorted.size() / 2;
            return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        }
    }

    /**
     * Measures a workload after one run that does not count.
     *
     * @param profile makes a profile for each run
     * @param progress hears the number of runs done
     */
    public Result measure(Workload workload, Function<ClusterState, Profile> profile, IntConsumer progress) {
        List<Double> rates = new ArrayList<>();
        int placed = 0;
        for (int run = 0; run <= runs; run++) {
            Run made = run(workload, profile, Beside.NOTHING);
            placed = made.placed();
            if (run > 0) {
                rates.add(made.podsPerSecond());
            }
            progress.accept(run);
        }
        return new Result(workload, rates, placed, List.of(), 0);
    }

    /**
     * The same with runs in which the tables of the profile stay as they are before those in which they are refreshed.
     *
     * @param refreshing begins to refresh them
     */
    public Result measure(
            Workload workload,
            Function<ClusterState, Profile> profile,
            Supplier<Refreshing> refreshing,
            IntConsumer progress) {
        List<Double> rates = new ArrayList<>();
        List<Double> still = new ArrayList<>();
        int placed = 0;
        int refreshes = 0;
        for (int run = 0; run <= runs; run++) {
            Run before = run(workload, profile, Beside.NOTHING);
            Run made;
            try (Refreshing refreshed = refreshing.get()) {
                made = run(workload, profile, refreshed);
            }
            placed = made.placed();
            if (run > 0) {
                still.add(before.podsPerSecond());
                rates.add(made.podsPerSecond());
                refreshes += made.changes();
            }
            progress.accept(run);
        }
        return new Result(workload, rates, placed, still, refreshes);
    }

    /**
     * One run.
     *
     * @param changes what happened beside it
     */
    private record Run(double podsPerSecond, int placed, int changes) {}

    private Run run(Workload workload, Function<ClusterState, Profile> profile, Beside beside) {
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
        int placed = 0;
        int changes = 0;
        long start = System.nanoTime();
        for (PodInfo pod : world.pending) {
            Decision decision = cycle.decide(pod, NominatedPods.NONE);
            kept.onDecision(pod, decision, 0);
            String node = decision.node();
            if (node != null) {
                world.cluster.addPod(pod.withNodeName(node));
                placed++;
            }
            changes += beside.happen();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Run(decisions / seconds, placed, changes);
    }
}
