package io.policyscheduler.framework.modern.resource;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.PodResources.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
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
public final class NodeResourcesBalancedAllocation implements PreScorePlugin, InTreeScore {
    public static final String NAME = "NodeResourcesBalancedAllocation";

    private final List<Resources.Weighted> resources;
    private final boolean skipsBestEffort;
    private final boolean halvesDifference;
    private final boolean exactSums;

    /** Made with the arguments of a profile. */
    public NodeResourcesBalancedAllocation(PluginHandle handle) {
        this.resources = Resources.of(handle.args().path("resources"));
        this.halvesDifference = SchedulerChange.BALANCED_FORMULA.in(handle.release());
        this.exactSums = SchedulerChange.EXACT_SUMS.in(handle.release());
        this.skipsBestEffort = SchedulerChange.BEST_EFFORT_IS_NOT_BALANCED.in(handle.release());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        ResourceVector wanted = wanted(context.pod());
        for (Resources.Weighted resource : resources) {
            if (Resources.amount(wanted, resource.name()) != 0) {
                return Status.SUCCESS;
            }
        }
        return skipsBestEffort ? Status.SKIP : Status.SUCCESS;
    }

    @Override
    public Scope scoreScope() {
        return Scope.NODE;
    }

    @Override
    public Object scoreBasis(CycleState state, PodInfo pod) {
        CurrentRequests requests = pod.resources().current();
        return halvesDifference
                ? wanted(pod)
                : List.of(requests.scoringMilliCpu(), requests.scoringMemory(), requests.scoring());
    }

    private ResourceVector wanted(PodInfo pod) {
        CurrentRequests requests = pod.resources().current();
        return exactSums ? requests.placed() : requests.scoring();
    }

    @Override
    public Reduction reduction(CycleState state) {
        return Reduction.NONE;
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        if (!halvesDifference) {
            return wholeDifference(pod, node);
        }
        ResourceVector wanted = wanted(pod);
        double sum = 0;
        double first = 0;
        double second = 0;
        int count = 0;
        for (int i = 0; i < resources.size(); i++) {
            double fraction = fraction(resources.get(i), wanted, node);
            if (fraction >= 0) {
                second = count == 1 ? fraction : second;
                first = count == 0 ? fraction : first;
                sum += fraction;
                count++;
            }
        }
        double deviation = 0;
        if (count == 2) {
            deviation = Math.abs((first - second) / 2);
        } else if (count > 2) {
            deviation = deviation(wanted, node, sum / count, count);
        }
        return (long) ((1 - deviation) * MAX_SCORE);
    }

    @Override
    public boolean scoreSlots(
            CycleState state, PodInfo pod, ClusterIndex index, int[] slots, int count, long[] scores) {
        if (!Resources.areCpuAndMemory(resources) || !halvesDifference) {
            return false;
        }
        NodeAmounts amounts = index.amounts(RequestRules.MODERN);
        ResourceVector wanted = wanted(pod);
        long milliCpu = wanted.milliCpu();
        long memory = wanted.memory();
        for (int i = 0; i < count; i++) {
            int slot = slots[i];
            long cpus = amounts.allocatableMilliCpu(slot);
            long bytes = amounts.allocatableMemory(slot);
            double deviation = cpus == 0 || bytes == 0
                    ? 0
                    : Math.abs((fraction(amounts.milliCpu(slot), milliCpu, cpus)
                                    - fraction(amounts.memory(slot), memory, bytes))
                            / 2);
            scores[i] = (long) ((1 - deviation) * MAX_SCORE);
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

    private static double fraction(long taken, long own, long allocatable) {
        return Math.min((double) Arithmetic.SATURATING.add(taken, own) / allocatable, 1);
    }

    private double deviation(ResourceVector wanted, NodeInfo node, double mean, int count) {
        double squares = 0;
        for (int i = 0; i < resources.size(); i++) {
            double fraction = fraction(resources.get(i), wanted, node);
            if (fraction >= 0) {
                squares += (fraction - mean) * (fraction - mean);
            }
        }
        return Math.sqrt(squares / count);
    }

    /** How much of the resource would be in use, at most 1; negative when it does not count on this node. */
    private static double fraction(Resources.Weighted resource, ResourceVector wanted, NodeInfo node) {
        long own = Resources.amount(wanted, resource.name());
        long allocatable = Resources.amount(node.allocatable(), resource.name());
        if (allocatable == 0 || (own == 0 && resource.isScalar())) {
            return -1;
        }
        return fraction(Resources.requested(node.currentRequests(), resource.name()), own, allocatable);
    }
}
