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
     */
    public record Result(Workload workload, List<Double> podsPerSecond, int placed) {
        public Result {
            podsPerSecond = List.copyOf(podsPerSecond);
        }

        /** The middle of the runs. */
        public double median() {
            List<Double> sorted = podsPerSecond.stream().sorted().toList();
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
            placed = 0;
            long start = System.nanoTime();
            for (PodInfo pod : world.pending) {
                Decision decision = cycle.decide(pod, NominatedPods.NONE);
                kept.onDecision(pod, decision, 0);
                String node = decision.node();
                if (node != null) {
                    world.cluster.addPod(pod.withNodeName(node));
                    placed++;
                }
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            if (run > 0) {
                rates.add(decisions / seconds);
            }
            progress.accept(run);
        }
        return new Result(workload, rates, placed);
    }
}
