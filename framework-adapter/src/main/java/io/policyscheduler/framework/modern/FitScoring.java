package io.policyscheduler.framework.modern;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.PodResources.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.devices.ExtendedResources.DeviceCount;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.ScorePlugin;
import java.util.List;

/**
 * The scoring strategies of NodeResourcesFit. Mirrors {@code least_allocated.go}, {@code most_allocated.go} and
 * {@code requested_to_capacity_ratio.go} of {@code pkg/scheduler/framework/plugins/noderesources}.
 */
final class FitScoring {
    private static final Arithmetic SUMS = Arithmetic.SATURATING;
    private static final long MAX = ScorePlugin.MAX_SCORE;
    /** Scores of a shape go up to 10. */
    private static final int SHAPE_SCALE = 10;

    private enum Strategy {
        LEAST,
        MOST,
        RATIO
    }

    private record Basis(long milliCpu, long memory, ResourceVector scoring) {}

    private final List<Resources.Weighted> resources;
    private final Strategy strategy;
    private final Variant variant;
    private final long[] utilizations;
    private final long[] scores;
    private final Resources.ExtendedAmounts extended;

    /**
     * What differs between releases.
     *
     * @param onlyRequested whether resources are left out that the node does not have or that the pod does not request
     * @param overcommittedIsFull whether MostAllocated scores a resource that is requested beyond what is allocatable as full
     * @param countsOverhead whether the overhead of the pod counts
     */
    private record Variant(boolean onlyRequested, boolean overcommittedIsFull, boolean countsOverhead) {
        /** That of NodeResourcesFit, which scores since 1.22. */
        static Variant ofFit(Release release) {
            return new Variant(true, true, SchedulerChange.OVERHEAD_IS_SCORED.in(release));
        }

        /** That of the plugins that score before NodeResourcesFit does. */
        static Variant ofOlderPlugins(Release release) {
            return new Variant(
                    SchedulerChange.ONLY_REQUESTED_RESOURCES.in(release),
                    SchedulerChange.OVERCOMMITTED_IS_FULL.in(release),
                    true);
        }
    }

    private FitScoring(
            List<Resources.Weighted> resources,
            Strategy strategy,
            Variant variant,
            JsonNode shape,
            Resources.ExtendedAmounts extended) {
        this.extended = extended;
        this.resources = resources;
        this.strategy = strategy;
        this.variant = variant;
        this.utilizations = new long[shape.size()];
        this.scores = new long[shape.size()];
        for (int i = 0; i < utilizations.length; i++) {
            utilizations[i] = shape.get(i).path("utilization").asLong();
            scores[i] = shape.get(i).path("score").asLong() * SHAPE_SCALE;
        }
    }

    /**
     * The strategy that arguments name; LeastAllocated when they name none.
     *
     * @throws PluginException when the strategy is unknown or has no shape
     */
    static FitScoring of(JsonNode args, Release release, Resources.ExtendedAmounts extended) {
        Variant variant = Variant.ofFit(release);
        JsonNode settings = args.path("scoringStrategy");
        List<Resources.Weighted> resources = Resources.of(settings.path("resources"));
        String type = settings.path("type").asText("LeastAllocated");
        JsonNode shape = settings.path("requestedToCapacityRatio").path("shape");
        return switch (type) {
            case "LeastAllocated" -> new FitScoring(resources, Strategy.LEAST, variant, shape, extended);
            case "MostAllocated" -> new FitScoring(resources, Strategy.MOST, variant, shape, extended);
            case "RequestedToCapacityRatio" -> {
                if (shape.isEmpty()) {
                    throw new PluginException(
                            "scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must"
                                    + " be specified");
                }
                yield new FitScoring(resources, Strategy.RATIO, variant, shape, extended);
            }
            default -> throw new PluginException("scoring strategy " + type + " is not supported");
        };
    }

    /**
     * What a plugin scores by that is older than the strategies of NodeResourcesFit.
     *
     * @throws PluginException when RequestedToCapacityRatio has no shape
     */
    static FitScoring ofOlderPlugin(String plugin, JsonNode args, Release release) {
        List<Resources.Weighted> resources = Resources.of(args.path("resources"));
        JsonNode shape = args.path("shape");
        Strategy strategy = switch (plugin) {
            case PluginNames.NODE_RESOURCES_LEAST -> Strategy.LEAST;
            case PluginNames.NODE_RESOURCES_MOST -> Strategy.MOST;
            default -> Strategy.RATIO;
        };
        if (strategy == Strategy.RATIO && shape.isEmpty()) {
            throw new PluginException("shape: Required value: at least one point must be specified");
        }
        return new FitScoring(
                resources, strategy, Variant.ofOlderPlugins(release), shape, Resources.ExtendedAmounts.NONE);
    }

    /** What a pod's scores rest on, besides the node. */
    Object basis(PodInfo pod) {
        CurrentRequests requests = pod.resources().current();
        return new Basis(requests.scoringMilliCpu(), requests.scoringMemory(), requests.scoring());
    }

    long score(PodInfo pod, NodeInfo node) {
        CurrentRequests requests = pod.resources().current();
        ResourceVector allocatable = node.allocatable();
        RequestTotals taken = node.currentRequests();
        long sum = 0;
        long weights = 0;
        for (int i = 0; i < resources.size(); i++) {
            Resources.Weighted resource = resources.get(i);
            long wanted = wanted(requests, resource.name());
            long capacity = Resources.amount(allocatable, resource.name());
            if (variant.onlyRequested() && wanted == 0 && resource.isScalar()) {
                continue;
            }
            long used = taken(taken, resource.name());
            DeviceCount devices = capacity == 0 && resource.isScalar() ? extended.count(resource.name(), node) : null;
            if (devices != null) {
                capacity = devices.all();
                used = devices.allocated();
            }
            if (variant.onlyRequested() && capacity == 0) {
                continue;
            }
            long score = score(SUMS.add(used, wanted), capacity);
            if (strategy != Strategy.RATIO || score > 0) {
                sum += score * resource.weight();
                weights += resource.weight();
            }
        }
        return average(sum, weights);
    }

    private long average(long sum, long weights) {
        if (weights == 0) {
            return 0;
        }
        return strategy == Strategy.RATIO ? Math.round((double) sum / weights) : sum / weights;
    }

    /** The same for nodes by their slots, where all that counts stands in columns; false where it does not. */
    boolean scoreSlots(PodInfo pod, ClusterIndex index, int[] slots, int count, long[] scores) {
        if (!Resources.areCpuAndMemory(resources) || !variant.onlyRequested()) {
            return false;
        }
        NodeAmounts amounts = index.amounts(RequestRules.MODERN);
        CurrentRequests requests = pod.resources().current();
        long milliCpu = wanted(requests, ResourceNames.CPU);
        long memory = wanted(requests, ResourceNames.MEMORY);
        for (int i = 0; i < count; i++) {
            int slot = slots[i];
            long sum = 0;
            long weights = 0;
            long capacity = amounts.allocatableMilliCpu(slot);
            if (capacity != 0) {
                long score = score(SUMS.add(amounts.nonZeroMilliCpu(slot), milliCpu), capacity);
                if (strategy != Strategy.RATIO || score > 0) {
                    sum = score * resources.get(0).weight();
                    weights = resources.get(0).weight();
                }
            }
            capacity = amounts.allocatableMemory(slot);
            if (capacity != 0) {
                long score = score(SUMS.add(amounts.nonZeroMemory(slot), memory), capacity);
                if (strategy != Strategy.RATIO || score > 0) {
                    sum += score * resources.get(1).weight();
                    weights += resources.get(1).weight();
                }
            }
            scores[i] = average(sum, weights);
        }
        return true;
    }

    private long wanted(CurrentRequests requests, String name) {
        return switch (name) {
            case ResourceNames.CPU ->
                requests.scoringMilliCpu() - (variant.countsOverhead() ? 0 : requests.overheadMilliCpu());
            case ResourceNames.MEMORY ->
                requests.scoringMemory() - (variant.countsOverhead() ? 0 : requests.overheadMemory());
            default -> Resources.amount(requests.scoring(), name);
        };
    }

    private static long taken(RequestTotals totals, String name) {
        return switch (name) {
            case ResourceNames.CPU -> totals.nonZeroMilliCpu();
            case ResourceNames.MEMORY -> totals.nonZeroMemory();
            default -> Resources.requested(totals, name);
        };
    }

    private long score(long requested, long capacity) {
        if (!variant.onlyRequested()) {
            return scoreOfAll(requested, capacity);
        }
        return switch (strategy) {
            case LEAST -> requested > capacity ? 0 : SUMS.share(SUMS.subtract(capacity, requested), MAX, capacity);
            case MOST -> SUMS.share(Math.min(requested, capacity), MAX, capacity);
            case RATIO -> onShape(requested > capacity ? MAX : SUMS.share(requested, MAX, capacity));
        };
    }

    /** Up to 1.21, where the node need not have the resource. */
    private long scoreOfAll(long requested, long capacity) {
        boolean full = capacity == 0 || requested > capacity;
        return switch (strategy) {
            case LEAST -> full ? 0 : SUMS.share(SUMS.subtract(capacity, requested), MAX, capacity);
            case MOST -> {
                if (full) {
                    yield capacity != 0 && variant.overcommittedIsFull() ? MAX : 0;
                }
                yield SUMS.share(requested, MAX, capacity);
            }
            case RATIO -> onShape(full ? MAX : MAX - SUMS.share(SUMS.subtract(capacity, requested), MAX, capacity));
        };
    }

    private long onShape(long utilization) {
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
