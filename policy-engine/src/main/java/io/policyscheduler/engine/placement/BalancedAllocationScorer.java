package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Devices;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.ResourceWeight;
import java.util.List;

/**
 * Scores nodes by the balance of their resource usage with the incoming pod. Scores are truncated doubles, so the order of
 * operations matters. Mirrors {@code balanced_resource_allocation.go} of {@code pkg/scheduler/algorithm/priorities} of 1.17, and
 * {@code balanced_allocation.go} of {@code pkg/scheduler/framework/plugins/noderesources}.
 */
public final class BalancedAllocationScorer {
    private static final long MAX = 100;
    private static final long HALF = 50;

    /** The formula of a release. */
    public enum Formula {
        /**
         * Until 1.21: 100 minus the difference of the used fractions of CPU and memory, 0 if one of them is full. Containers
         * without a request count with defaults.
         */
        WHOLE_DIFFERENCE,
        /** 1.22 to 1.35: 100 minus the standard deviation of the used fractions. */
        DEVIATION,
        /** Since 1.36: 75 plus half of the pod's change of the {@link #DEVIATION} score. */
        IMPROVEMENT;

        /** Returns the formula of a release. */
        public static Formula of(Release release) {
            if (!SchedulerChange.BALANCED_FORMULA.in(release)) {
                return WHOLE_DIFFERENCE;
            }
            return SchedulerChange.BALANCE_IS_IMPROVED.in(release) ? IMPROVEMENT : DEVIATION;
        }
    }

    private final Formula formula;
    private final List<ResourceWeight> resources;
    private final boolean cpuAndMemory;
    private final RequestRules rules;
    private final Arithmetic sums;
    private final boolean countsVolumes;
    private final Devices devices;

    private BalancedAllocationScorer(
            Formula formula,
            List<ResourceWeight> resources,
            RequestRules rules,
            boolean countsVolumes,
            Devices devices) {
        this.formula = formula;
        this.resources = List.copyOf(resources);
        this.cpuAndMemory = formula == Formula.WHOLE_DIFFERENCE || ResourceWeight.areCpuAndMemory(resources);
        this.rules = rules;
        this.sums = rules.arithmetic();
        this.countsVolumes = countsVolumes;
        this.devices = devices;
    }

    /**
     * The formula of 1.17.
     *
     * @param countsVolumes whether attached volumes count as a third resource, if a volume-count predicate has stored its counts
     */
    public static BalancedAllocationScorer ofPolicy(RequestRules rules, boolean countsVolumes) {
        return new BalancedAllocationScorer(
                Formula.WHOLE_DIFFERENCE, ResourceWeight.CPU_AND_MEMORY, rules, countsVolumes, Devices.NONE);
    }

    /** The formula of a release of kube-scheduler after 1.17; until 1.21 only CPU and memory count. */
    public static BalancedAllocationScorer of(Release release, List<ResourceWeight> resources, Devices devices) {
        return new BalancedAllocationScorer(Formula.of(release), resources, RequestRules.MODERN, false, devices);
    }

    /** Returns the formula. */
    public Formula formula() {
        return formula;
    }

    /** Returns the score of a node by {@link Formula#WHOLE_DIFFERENCE}, 0 to 100, for a pod with these requests. */
    public long score(long milliCpu, long memory, NodeInfo node) {
        double cpuPart = part(rules.nonZeroMilliCpu(node), milliCpu, node.allocatableMilliCpu());
        double memoryPart = part(rules.nonZeroMemory(node), memory, node.allocatableMemory());
        if (countsVolumes && node.allocatableVolumes() > 0 && cpuPart < 1 && memoryPart < 1) {
            return threeParts(
                    cpuPart, memoryPart, (double) node.requestedVolumes() / (double) node.allocatableVolumes());
        }
        return difference(cpuPart, memoryPart);
    }

    /** Returns the score of a node by the other formulas, 50 to 100, for a pod with these requests. */
    public long score(ResourceVector requested, NodeInfo node) {
        if (cpuAndMemory) {
            // The default, without arrays, because this runs for each node.
            return scoreOfTwo(
                    rules.milliCpu(node),
                    requested.milliCpu(),
                    node.allocatableMilliCpu(),
                    rules.memory(node),
                    requested.memory(),
                    node.allocatableMemory());
        }
        return scoreOfAny(requested, node);
    }

    private long scoreOfAny(ResourceVector requested, NodeInfo node) {
        double[] before = new double[resources.size()];
        double[] after = new double[resources.size()];
        int count = 0;
        for (ResourceWeight resource : resources) {
            long own = resource.amount(requested);
            if (own == 0 && resource.isScalar()) {
                continue;
            }
            long allocatable = resource.amount(node.allocatable());
            long taken = resource.requested(rules, node);
            Devices.Count ofDevices = allocatable == 0 && own > 0 ? devices.count(resource.name(), node) : null;
            if (ofDevices != null) {
                allocatable = ofDevices.all();
                taken = ofDevices.allocated();
            }
            if (allocatable != 0) {
                before[count] = cappedPart(taken, 0, allocatable);
                after[count] = cappedPart(taken, own, allocatable);
                count++;
            }
        }
        long with = balance(after, count);
        return formula == Formula.IMPROVEMENT ? improvement(with, balance(before, count)) : with;
    }

    /**
     * Writes the scores of nodes by their slots in the index.
     *
     * @param milliCpu that the pod requests
     * @param memory that the pod requests
     * @return false, with {@code scores} undefined, if the index does not have all amounts
     */
    public boolean scoreSlots(long milliCpu, long memory, ClusterIndex index, int[] slots, int count, long[] scores) {
        if (!cpuAndMemory || countsVolumes) {
            return false;
        }
        NodeAmounts amounts = index.amounts(rules);
        for (int i = 0; i < count; i++) {
            int slot = slots[i];
            scores[i] = formula == Formula.WHOLE_DIFFERENCE
                    ? difference(
                            part(amounts.nonZeroMilliCpu(slot), milliCpu, amounts.allocatableMilliCpu(slot)),
                            part(amounts.nonZeroMemory(slot), memory, amounts.allocatableMemory(slot)))
                    : scoreOfTwo(
                            amounts.milliCpu(slot),
                            milliCpu,
                            amounts.allocatableMilliCpu(slot),
                            amounts.memory(slot),
                            memory,
                            amounts.allocatableMemory(slot));
        }
        return true;
    }

    private double part(long taken, long own, long allocatable) {
        return allocatable == 0 ? 1.0 : (double) sums.add(taken, own) / (double) allocatable;
    }

    private double cappedPart(long taken, long own, long allocatable) {
        return Math.min((double) sums.add(taken, own) / allocatable, 1);
    }

    private static long difference(double cpu, double memory) {
        return cpu >= 1 || memory >= 1 ? 0 : (long) ((1.0 - Math.abs(cpu - memory)) * (double) MAX);
    }

    private static long threeParts(double cpu, double memory, double volumes) {
        if (volumes >= 1) {
            return 0;
        }
        double mean = (cpu + memory + volumes) / 3.0;
        double variance =
                ((cpu - mean) * (cpu - mean) + (memory - mean) * (memory - mean) + (volumes - mean) * (volumes - mean))
                        / 3.0;
        return (long) ((1.0 - variance) * (double) MAX);
    }

    /** 50 to 100: 75 if the pod does not change the balance. */
    private static long improvement(long with, long without) {
        return HALF + (HALF + with - without) / 2;
    }

    /** 50 to 100 for the used fractions of resources. */
    private static long balance(double[] parts, int count) {
        if (count == 2) {
            return balance(parts[0], parts[1]);
        }
        double deviation = 0;
        if (count > 2) {
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += parts[i];
            }
            double mean = sum / count;
            double squares = 0;
            for (int i = 0; i < count; i++) {
                squares += (parts[i] - mean) * (parts[i] - mean);
            }
            deviation = Math.sqrt(squares / count);
        }
        return (long) ((1 - deviation) * MAX);
    }

    private static long balance(double cpu, double memory) {
        return (long) ((1 - Math.abs((cpu - memory) / 2)) * MAX);
    }

    /** The score by CPU and memory. If a node lacks one of them, every usage of the other is balanced. */
    private long scoreOfTwo(long takenCpu, long milliCpu, long cpus, long takenMemory, long memory, long bytes) {
        boolean both = cpus != 0 && bytes != 0;
        long with = both ? balance(cappedPart(takenCpu, milliCpu, cpus), cappedPart(takenMemory, memory, bytes)) : MAX;
        if (formula != Formula.IMPROVEMENT) {
            return with;
        }
        long without = both ? balance(cappedPart(takenCpu, 0, cpus), cappedPart(takenMemory, 0, bytes)) : MAX;
        return improvement(with, without);
    }
}
