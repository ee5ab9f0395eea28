package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.PodResources.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scores nodes by the fraction of their resources that the pods of the node and the incoming pod request. Containers without a CPU
 * or memory request count with defaults. Mirrors {@code resource_allocation.go}, {@code least_requested.go},
 * {@code most_requested.go}, and {@code requested_to_capacity_ratio.go} of {@code pkg/scheduler/algorithm/priorities} of 1.17, and
 * their successors in {@code pkg/scheduler/framework/plugins/noderesources}.
 */
public final class ResourceAllocationScorer {
    private static final long MAX = 100;

    /** The formula for one resource. */
    public enum Strategy {
        /** The smaller the requested fraction, the better. */
        LEAST,
        /** The larger the requested fraction, the better. */
        MOST,
        /** A shape maps the requested fraction to a score. A resource with score 0 is excluded from the average. */
        RATIO
    }

    /** A resource and its weight. */
    public record ResourceWeight(String name, long weight) {
        /** CPU and memory, with the same weight. */
        public static final List<ResourceWeight> CPU_AND_MEMORY =
                List.of(new ResourceWeight(ResourceNames.CPU, 1), new ResourceWeight(ResourceNames.MEMORY, 1));

        /** Returns whether this is a scalar resource. */
        public boolean isScalar() {
            return switch (name) {
                case ResourceNames.CPU, ResourceNames.MEMORY, ResourceNames.EPHEMERAL_STORAGE -> false;
                default -> true;
            };
        }

        /** Returns the amount of the resource; 0 if there is none. */
        public long amount(ResourceVector vector) {
            return switch (name) {
                case ResourceNames.CPU -> vector.milliCpu();
                case ResourceNames.MEMORY -> vector.memory();
                case ResourceNames.EPHEMERAL_STORAGE -> vector.ephemeralStorage();
                default -> vector.scalar(name);
            };
        }

        /** Returns the amount that the pods of a node request. */
        public long requested(RequestRules rules, NodeInfo node) {
            return switch (name) {
                case ResourceNames.CPU -> rules.milliCpu(node);
                case ResourceNames.MEMORY -> rules.memory(node);
                case ResourceNames.EPHEMERAL_STORAGE -> rules.ephemeralStorage(node);
                default -> rules.scalar(node, name);
            };
        }

        /** Returns whether a list consists of CPU and memory, in this order. */
        public static boolean areCpuAndMemory(List<ResourceWeight> resources) {
            return resources.size() == 2
                    && resources.get(0).name().equals(ResourceNames.CPU)
                    && resources.get(1).name().equals(ResourceNames.MEMORY);
        }
    }

    /** A piecewise linear function from a utilization, 0 to 100, to a score, 0 to 100. */
    public record Shape(long[] utilizations, long[] scores) {
        /** The shape for strategies that need none. */
        public static final Shape NONE = new Shape(new long[0], new long[0]);

        private long of(long utilization) {
            if (utilization <= utilizations[0]) {
                return scores[0];
            }
            for (int i = 1; i < utilizations.length; i++) {
                if (utilization <= utilizations[i]) {
                    return scores[i - 1]
                            + (scores[i] - scores[i - 1])
                                    * (utilization - utilizations[i - 1])
                                    / (utilizations[i] - utilizations[i - 1]);
                }
            }
            return scores[scores.length - 1];
        }
    }

    /**
     * The rules of a release.
     *
     * @param requests the sums of requests
     * @param ofPolicy whether the requests of the incoming pod are those of {@code requests}, as in priorities, else the scoring
     *     requests of plugins
     * @param onlyRequested whether resources that the node does not have or that the pod does not request are ignored
     * @param overcommittedIsFull whether MOST scores an overcommitted resource as full
     * @param countsOverhead whether the overhead of the pod counts
     */
    public record Rules(
            RequestRules requests,
            boolean ofPolicy,
            boolean onlyRequested,
            boolean overcommittedIsFull,
            boolean countsOverhead) {
        /** The rules of the priorities of 1.17. */
        public static Rules ofPolicy(RequestRules requests) {
            return new Rules(requests, true, false, false, true);
        }
    }

    /** Finds devices that satisfy extended resources, since 1.36. */
    @FunctionalInterface
    public interface Devices {
        /** No device satisfies a resource. */
        Devices NONE = (resource, node) -> null;

        /** The number of devices of a node. */
        record Count(long all, long allocated) {}

        /** Returns the devices of a node that satisfy a resource; null if no device class provides it. */
        @Nullable
        Count count(String resource, NodeInfo node);
    }

    private record Basis(
            long milliCpu, long memory, @Nullable ResourceVector others) {}

    private final List<ResourceWeight> resources;
    private final boolean cpuAndMemory;
    /** The default of most releases, which needs only one division by a constant. */
    private final boolean isLeastOfBoth;

    private final Strategy strategy;
    private final Shape shape;
    private final Rules rules;
    private final Arithmetic sums;
    private final Devices devices;

    /** @param shape for RATIO, with at least one point */
    public ResourceAllocationScorer(
            List<ResourceWeight> resources, Strategy strategy, Shape shape, Rules rules, Devices devices) {
        this.resources = List.copyOf(resources);
        this.cpuAndMemory = ResourceWeight.areCpuAndMemory(resources);
        this.isLeastOfBoth = strategy == Strategy.LEAST && ResourceWeight.CPU_AND_MEMORY.equals(resources);
        this.strategy = strategy;
        this.shape = shape;
        this.rules = rules;
        this.sums = rules.requests().arithmetic();
        this.devices = devices;
    }

    /** Returns whether only CPU and memory are scored. */
    public boolean isCpuAndMemory() {
        return cpuAndMemory;
    }

    /** Returns the inputs of the scores for a pod, in addition to the node. */
    public Object basis(PodInfo pod) {
        return new Basis(
                requested(pod, ResourceNames.CPU),
                requested(pod, ResourceNames.MEMORY),
                cpuAndMemory ? null : others(pod));
    }

    private ResourceVector others(PodInfo pod) {
        return rules.ofPolicy()
                ? rules.requests().request(pod)
                : pod.resources().current().scoring();
    }

    /** Returns the amount of a resource that the pod requests. */
    public long requested(PodInfo pod, String name) {
        RequestRules requests = rules.requests();
        CurrentRequests current = pod.resources().current();
        return switch (name) {
            case ResourceNames.CPU ->
                rules.ofPolicy()
                        ? requests.scoringMilliCpu(pod)
                        : current.scoringMilliCpu() - (rules.countsOverhead() ? 0 : current.overheadMilliCpu());
            case ResourceNames.MEMORY ->
                rules.ofPolicy()
                        ? requests.scoringMemory(pod)
                        : current.scoringMemory() - (rules.countsOverhead() ? 0 : current.overheadMemory());
            case ResourceNames.EPHEMERAL_STORAGE -> others(pod).ephemeralStorage();
            default -> others(pod).scalar(name);
        };
    }

    private long taken(NodeInfo node, ResourceWeight resource) {
        return switch (resource.name()) {
            case ResourceNames.CPU -> rules.requests().nonZeroMilliCpu(node);
            case ResourceNames.MEMORY -> rules.requests().nonZeroMemory(node);
            default -> resource.requested(rules.requests(), node);
        };
    }

    /** Returns the score of a node, 0 to 100. */
    public long score(PodInfo pod, NodeInfo node) {
        return cpuAndMemory
                ? score(requested(pod, ResourceNames.CPU), requested(pod, ResourceNames.MEMORY), node)
                : scoreOfAny(pod, node);
    }

    /** Returns the score of a node for a pod with these requests; see {@link #isCpuAndMemory}. */
    public long score(long milliCpu, long memory, NodeInfo node) {
        RequestRules requests = rules.requests();
        return score(
                node.allocatableMilliCpu(),
                sums.add(requests.nonZeroMilliCpu(node), milliCpu),
                node.allocatableMemory(),
                sums.add(requests.nonZeroMemory(node), memory));
    }

    private long scoreOfAny(PodInfo pod, NodeInfo node) {
        ResourceVector allocatable = node.allocatable();
        long sum = 0;
        long weights = 0;
        for (int i = 0; i < resources.size(); i++) {
            ResourceWeight resource = resources.get(i);
            long requested = requested(pod, resource.name());
            if (rules.onlyRequested() && requested == 0 && resource.isScalar()) {
                continue;
            }
            long capacity = resource.amount(allocatable);
            long used = taken(node, resource);
            Devices.Count count = capacity == 0 && resource.isScalar() ? devices.count(resource.name(), node) : null;
            if (count != null) {
                capacity = count.all();
                used = count.allocated();
            }
            long score = score(sums.add(used, requested), capacity);
            if (counts(score, capacity)) {
                sum += score * resource.weight();
                weights += resource.weight();
            }
        }
        return average(sum, weights);
    }

    /**
     * Writes the scores of nodes by their slots in the index.
     *
     * @return false, with {@code scores} undefined, if the index does not have all resources
     */
    public boolean scoreSlots(PodInfo pod, ClusterIndex index, int[] slots, int count, long[] scores) {
        if (!cpuAndMemory) {
            return false;
        }
        NodeAmounts amounts = index.amounts(rules.requests());
        Arithmetic adding = sums;
        long milliCpu = requested(pod, ResourceNames.CPU);
        long memory = requested(pod, ResourceNames.MEMORY);
        for (int i = 0; i < count; i++) {
            int slot = slots[i];
            scores[i] = score(
                    amounts.allocatableMilliCpu(slot),
                    adding.add(amounts.nonZeroMilliCpu(slot), milliCpu),
                    amounts.allocatableMemory(slot),
                    adding.add(amounts.nonZeroMemory(slot), memory));
        }
        return true;
    }

    /** Scores both resources together, because this runs for each node. */
    private long score(long cpus, long requestedCpus, long bytes, long requestedBytes) {
        if (isLeastOfBoth && cpus != 0 && bytes != 0) {
            return (free(requestedCpus, cpus) + free(requestedBytes, bytes)) / 2;
        }
        long ofCpu = score(requestedCpus, cpus);
        long ofMemory = score(requestedBytes, bytes);
        long cpuWeight = counts(ofCpu, cpus) ? resources.get(0).weight() : 0;
        long memoryWeight = counts(ofMemory, bytes) ? resources.get(1).weight() : 0;
        return average(ofCpu * cpuWeight + ofMemory * memoryWeight, cpuWeight + memoryWeight);
    }

    /** Whether a resource is included in the average. */
    private boolean counts(long score, long capacity) {
        return (capacity != 0 || !rules.onlyRequested()) && (strategy != Strategy.RATIO || score > 0);
    }

    private long average(long sum, long weights) {
        if (weights == 0) {
            return 0;
        }
        if (strategy == Strategy.RATIO) {
            // As in Go, rounds half away from zero: policies can have negative weights.
            double value = (double) sum / weights;
            return value < 0 ? -Math.round(-value) : Math.round(value);
        }
        return sum / weights;
    }

    /** Returns 0 without capacity, except for RATIO before 1.22. */
    private long score(long requested, long capacity) {
        boolean full = capacity == 0 || requested > capacity;
        return switch (strategy) {
            case LEAST -> full ? 0 : free(requested, capacity);
            case MOST -> {
                if (full) {
                    yield capacity != 0 && rules.overcommittedIsFull() ? MAX : 0;
                }
                yield sums.share(requested, MAX, capacity);
            }
            case RATIO -> {
                if (full) {
                    yield shape.of(MAX);
                }
                // Both are truncated, in different directions.
                yield shape.of(
                        rules.onlyRequested() ? sums.share(requested, MAX, capacity) : MAX - free(requested, capacity));
            }
        };
    }

    /** Returns the free part of a resource with a capacity; 0 if it is exceeded. */
    private long free(long requested, long capacity) {
        return requested > capacity ? 0 : sums.share(sums.subtract(capacity, requested), MAX, capacity);
    }
}
