package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.PodResources.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Devices;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.ResourceWeight;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;

/**
 * Prefers nodes whose resources would be used evenly. Mirrors
 * {@code pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go}.
 */
public final class NodeResourcesBalancedAllocation implements PreScorePlugin, InTreeScore, CacheableScore {
    public static final String NAME = "NodeResourcesBalancedAllocation";

    private static final long HALF = 50;

    private final List<ResourceWeight> resources;
    private final boolean skipsBestEffort;
    private final boolean halvesDifference;
    private final boolean exactSums;
    private final boolean scoresImprovement;
    private final NodeResourcesFit.ExtendedAmounts extended;

    /** Made with the arguments of a profile. */
    public NodeResourcesBalancedAllocation(PluginHandle handle) {
        this.resources = NodeResourcesFit.resources(handle.args().path("resources"));
        this.halvesDifference = SchedulerChange.BALANCED_FORMULA.in(handle.release());
        this.exactSums = SchedulerChange.EXACT_SUMS.in(handle.release());
        this.scoresImprovement = SchedulerChange.BALANCE_IS_IMPROVED.in(handle.release());
        this.extended = new NodeResourcesFit.ExtendedAmounts(handle);
        this.skipsBestEffort = SchedulerChange.BEST_EFFORT_IS_NOT_BALANCED.in(handle.release());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        ResourceVector wanted = wanted(context.pod());
        for (ResourceWeight resource : resources) {
            if (resource.amount(wanted) != 0) {
                return Status.SUCCESS;
            }
        }
        return skipsBestEffort ? Status.SKIP : Status.SUCCESS;
    }

    @Override
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        CurrentRequests requests = pod.resources().current();
        Object key = halvesDifference
                ? wanted(pod)
                : List.of(requests.scoringMilliCpu(), requests.scoringMemory(), requests.scoring());
        return ScoreReads.of(
                key, Reduction.NONE, (index, slots, count, scores) -> scoreSlots(pod, index, slots, count, scores));
    }

    private ResourceVector wanted(PodInfo pod) {
        CurrentRequests requests = pod.resources().current();
        return exactSums ? requests.placed() : requests.scoring();
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        if (!halvesDifference) {
            return wholeDifference(pod, node);
        }
        ResourceVector wanted = wanted(pod);
        double[] before = new double[resources.size()];
        double[] after = new double[resources.size()];
        int count = 0;
        for (ResourceWeight resource : resources) {
            long own = resource.amount(wanted);
            if (own == 0 && resource.isScalar()) {
                continue;
            }
            long allocatable = resource.amount(node.allocatable());
            long taken = resource.requested(RequestRules.MODERN, node);
            Devices.Count devices = allocatable == 0 && own > 0 ? extended.count(resource.name(), node) : null;
            if (devices != null) {
                allocatable = devices.all();
                taken = devices.allocated();
            }
            if (allocatable != 0) {
                before[count] = fraction(taken, 0, allocatable);
                after[count] = fraction(taken, own, allocatable);
                count++;
            }
        }
        long with = balance(after, count);
        return scoresImprovement ? improvement(with, balance(before, count)) : with;
    }

    /** 50 to 100: 75 if the pod leaves the balance as it is. */
    private static long improvement(long with, long without) {
        return HALF + (HALF + with - without) / 2;
    }

    /** 50 to 100 for fractions of resources in use. */
    private static long balance(double[] fractions, int count) {
        double deviation = 0;
        if (count == 2) {
            deviation = Math.abs((fractions[0] - fractions[1]) / 2);
        } else if (count > 2) {
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += fractions[i];
            }
            double mean = sum / count;
            double squares = 0;
            for (int i = 0; i < count; i++) {
                squares += (fractions[i] - mean) * (fractions[i] - mean);
            }
            deviation = Math.sqrt(squares / count);
        }
        return (long) ((1 - deviation) * MAX_SCORE);
    }

    private boolean scoreSlots(PodInfo pod, ClusterIndex index, int[] slots, int count, long[] scores) {
        if (!ResourceWeight.areCpuAndMemory(resources) || !halvesDifference) {
            return false;
        }
        NodeAmounts amounts = index.amounts(RequestRules.MODERN);
        ResourceVector wanted = wanted(pod);
        long milliCpu = wanted.milliCpu();
        long memory = wanted.memory();
        for (int i = 0; i < count; i++) {
            int slot = slots[i];
            long with = balance(amounts, slot, milliCpu, memory);
            scores[i] = scoresImprovement ? improvement(with, balance(amounts, slot, 0, 0)) : with;
        }
        return true;
    }

    /** Up to 1.21: CPU and memory, with defaults for containers that request none. */
    private static long wholeDifference(PodInfo pod, NodeInfo node) {
        CurrentRequests requests = pod.resources().current();
        double cpu = part(
                node.currentRequests().nonZeroMilliCpu(),
                requests.scoringMilliCpu(),
                node.allocatable().milliCpu());
        double memory = part(
                node.currentRequests().nonZeroMemory(),
                requests.scoringMemory(),
                node.allocatable().memory());
        return cpu >= 1 || memory >= 1 ? 0 : (long) ((1 - Math.abs(cpu - memory)) * MAX_SCORE);
    }

    private static double part(long taken, long own, long allocatable) {
        return allocatable == 0 ? 1 : (double) Arithmetic.SATURATING.add(taken, own) / allocatable;
    }

    private static long balance(NodeAmounts amounts, int slot, long milliCpu, long memory) {
        long cpus = amounts.allocatableMilliCpu(slot);
        long bytes = amounts.allocatableMemory(slot);
        double deviation = cpus == 0 || bytes == 0
                ? 0
                : Math.abs((fraction(amounts.milliCpu(slot), milliCpu, cpus)
                                - fraction(amounts.memory(slot), memory, bytes))
                        / 2);
        return (long) ((1 - deviation) * MAX_SCORE);
    }

    /** The part of the resource that is in use, at most 1. */
    private static double fraction(long taken, long own, long allocatable) {
        return Math.min((double) Arithmetic.SATURATING.add(taken, own) / allocatable, 1);
    }
}
