package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmConfig.ShapePoint;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.placement.ResourceAllocationScorer;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Devices;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.ResourceWeight;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Rules;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Shape;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Strategy;
import java.util.ArrayList;
import java.util.List;

/**
 * LeastRequestedPriority, MostRequestedPriority, and RequestedToCapacityRatio: they score nodes by the part of their resources that pods
 * request. Mirrors {@code algorithm/priorities/resource_allocation.go}.
 */
public final class ResourceAllocationPriority implements Priority {
    /** The name of RequestedToCapacityRatio without arguments. */
    public static final String RATIO_DEFAULT = "RequestedToCapacityRatioPriority";
    /** The name of RequestedToCapacityRatio with the arguments of a policy. */
    public static final String RATIO_OF_POLICY = "RequestedToCapacityRatio";

    private static final List<ShapePoint> DEFAULT_SHAPE = List.of(new ShapePoint(0, 100), new ShapePoint(100, 0));

    private final String name;
    private final ResourceAllocationScorer scorer;

    private ResourceAllocationPriority(
            String name, List<ResourceWeight> resources, Strategy strategy, Shape shape, AlgorithmConfig config) {
        this.name = name;
        this.scorer = new ResourceAllocationScorer(
                resources, strategy, shape, Rules.ofPolicy(RequestRules.of(config.gates())), Devices.NONE);
    }

    /** Prefers nodes with much free CPU and memory. */
    public static ResourceAllocationPriority leastRequested(AlgorithmConfig config) {
        return new ResourceAllocationPriority(
                "LeastRequestedPriority", ResourceWeight.CPU_AND_MEMORY, Strategy.LEAST, Shape.NONE, config);
    }

    /** Prefers nodes with little free CPU and memory, so that other nodes become empty. An exceeded resource scores 0. */
    public static ResourceAllocationPriority mostRequested(AlgorithmConfig config) {
        return new ResourceAllocationPriority(
                "MostRequestedPriority", ResourceWeight.CPU_AND_MEMORY, Strategy.MOST, Shape.NONE, config);
    }

    /** Maps utilization to scores without arguments: the emptier, the better. */
    public static ResourceAllocationPriority ratioWithDefaultShape(AlgorithmConfig config) {
        return new ResourceAllocationPriority(
                RATIO_DEFAULT, ResourceWeight.CPU_AND_MEMORY, Strategy.RATIO, shape(DEFAULT_SHAPE), config);
    }

    /**
     * Maps utilization to scores with the arguments of a policy.
     *
     * @throws IllegalArgumentException if the shape has no point
     */
    public static ResourceAllocationPriority ratioOfPolicy(AlgorithmConfig config) {
        List<ResourceWeight> resources = new ArrayList<>();
        config.ratioResources()
                .forEach((name, weight) -> resources.add(new ResourceWeight(name, weight == 0 ? 1 : weight)));
        return new ResourceAllocationPriority(
                RATIO_OF_POLICY,
                resources.isEmpty() ? ResourceWeight.CPU_AND_MEMORY : resources,
                Strategy.RATIO,
                shape(config.ratioShape()),
                config);
    }

    private static Shape shape(List<ShapePoint> points) {
        if (points.isEmpty()) {
            throw new IllegalArgumentException(
                    "invalid RequestedToCapacityRatioPriority arguments: at least one point must be specified");
        }
        return new Shape(
                points.stream().mapToLong(ShapePoint::utilization).toArray(),
                points.stream().mapToLong(ShapePoint::score).toArray());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        PodInfo pod = context.pod();
        return new Scorer(
                scorer, pod, scorer.requested(pod, ResourceNames.CPU), scorer.requested(pod, ResourceNames.MEMORY));
    }

    private record Scorer(ResourceAllocationScorer scorer, PodInfo pod, long milliCpu, long memory)
            implements PodScorer {
        @Override
        public Object basis() {
            return scorer.basis(pod);
        }

        @Override
        public long score(NodeInfo node) {
            return scorer.isCpuAndMemory() ? scorer.score(milliCpu, memory, node) : scorer.score(pod, node);
        }

        @Override
        public void scoreAll(List<NodeInfo> nodes, long[] scores) {
            for (int i = 0; i < scores.length; i++) {
                scores[i] = score(nodes.get(i));
            }
        }

        @Override
        public boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
            return scorer.scoreSlots(pod, index, slots, count, scores);
        }
    }
}
