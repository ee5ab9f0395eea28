package io.policyscheduler.framework.modern.resource;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.PodResources.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
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
    private final long[] utilizations;
    private final long[] scores;

    private FitScoring(List<Resources.Weighted> resources, Strategy strategy, JsonNode shape) {
        this.resources = resources;
        this.strategy = strategy;
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
    static FitScoring of(JsonNode args) {
        JsonNode settings = args.path("scoringStrategy");
        List<Resources.Weighted> resources = Resources.of(settings.path("resources"));
        String type = settings.path("type").asText("LeastAllocated");
        JsonNode shape = settings.path("requestedToCapacityRatio").path("shape");
        return switch (type) {
            case "LeastAllocated" -> new FitScoring(resources, Strategy.LEAST, shape);
            case "MostAllocated" -> new FitScoring(resources, Strategy.MOST, shape);
            case "RequestedToCapacityRatio" -> {
                if (shape.isEmpty()) {
                    throw new PluginException(
                            "scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must"
                                    + " be specified");
                }
                yield new FitScoring(resources, Strategy.RATIO, shape);
            }
            default -> throw new PluginException("scoring strategy " + type + " is not supported");
        };
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
            if (capacity == 0 || (wanted == 0 && resource.isScalar())) {
                continue;
            }
            long score = score(SUMS.add(taken(taken, resource.name()), wanted), capacity);
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
        if (!Resources.areCpuAndMemory(resources)) {
            return false;
        }
        NodeAmounts amounts = index.amounts(RequestRules.MODERN);
        CurrentRequests requests = pod.resources().current();
        long milliCpu = requests.scoringMilliCpu();
        long memory = requests.scoringMemory();
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

    private static long wanted(CurrentRequests requests, String name) {
        return switch (name) {
            case ResourceNames.CPU -> requests.scoringMilliCpu();
            case ResourceNames.MEMORY -> requests.scoringMemory();
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
        return switch (strategy) {
            case LEAST -> requested > capacity ? 0 : SUMS.share(SUMS.subtract(capacity, requested), MAX, capacity);
            case MOST -> SUMS.share(Math.min(requested, capacity), MAX, capacity);
            case RATIO -> onShape(requested > capacity ? MAX : SUMS.share(requested, MAX, capacity));
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
