package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmConfig.ShapePoint;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Scores the utilisation of resources by a piecewise linear shape and averages over the resources by weight. A
 * resource that scores 0 is left out of the average. Mirrors
 * {@code algorithm/priorities/requested_to_capacity_ratio.go}.
 */
public final class RequestedToCapacityRatio implements Priority {
    /** Name of the form without arguments. */
    public static final String DEFAULT_NAME = "RequestedToCapacityRatioPriority";
    /** Name of the form with the arguments of a policy. */
    public static final String POLICY_NAME = "RequestedToCapacityRatio";

    private static final List<ShapePoint> DEFAULT_SHAPE = List.of(new ShapePoint(0, 100), new ShapePoint(100, 0));
    private static final Map<String, Long> DEFAULT_RESOURCES = defaultResources();
    private static final int FULL = 100;

    private final String name;
    private final List<ShapePoint> shape;
    private final String[] resources;
    private final long[] weights;
    private final RequestRules rules;

    private RequestedToCapacityRatio(
            String name, List<ShapePoint> shape, Map<String, Long> resources, FeatureGates gates) {
        if (shape.isEmpty()) {
            throw new IllegalArgumentException(
                    "invalid RequestedToCapacityRatioPriority arguments: at least one point must be specified");
        }
        this.name = name;
        this.rules = RequestRules.of(gates);
        this.shape = shape;
        this.resources = resources.keySet().toArray(String[]::new);
        this.weights = resources.values().stream()
                .mapToLong(weight -> weight == 0 ? 1 : weight)
                .toArray();
    }

    /** The form without arguments: the emptier the better, cpu and memory. */
    public static RequestedToCapacityRatio withDefaultShape(AlgorithmConfig config) {
        return new RequestedToCapacityRatio(DEFAULT_NAME, DEFAULT_SHAPE, DEFAULT_RESOURCES, config.gates());
    }

    /**
     * The form with the arguments of a policy.
     *
     * @throws IllegalArgumentException when the shape has no point
     */
    public static RequestedToCapacityRatio fromPolicy(AlgorithmConfig config) {
        return new RequestedToCapacityRatio(
                POLICY_NAME,
                config.ratioShape(),
                config.ratioResources().isEmpty() ? DEFAULT_RESOURCES : config.ratioResources(),
                config.gates());
    }

    private static Map<String, Long> defaultResources() {
        Map<String, Long> resources = new LinkedHashMap<>();
        resources.put(ResourceNames.CPU, 1L);
        resources.put(ResourceNames.MEMORY, 1L);
        return resources;
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
        ResourceAllocation[] allocations = allocations(context.pod());
        return node -> score(allocations, node);
    }

    private ResourceAllocation[] allocations(PodInfo pod) {
        ResourceAllocation[] allocations = new ResourceAllocation[resources.length];
        for (int i = 0; i < resources.length; i++) {
            allocations[i] = ResourceAllocation.of(rules, pod, resources[i]);
        }
        return allocations;
    }

    private long score(ResourceAllocation[] allocations, NodeInfo node) {
        long sum = 0;
        long weightSum = 0;
        for (int i = 0; i < allocations.length; i++) {
            long score = shapeAt(FULL - allocations[i].freeShare(node));
            if (score > 0) {
                sum += score * weights[i];
                weightSum += weights[i];
            }
        }
        return weightSum == 0 ? 0 : roundHalfAwayFromZero((double) sum / (double) weightSum);
    }

    private long shapeAt(long utilization) {
        ShapePoint left = shape.get(0);
        if (utilization <= left.utilization()) {
            return left.score();
        }
        for (int i = 1; i < shape.size(); i++) {
            ShapePoint right = shape.get(i);
            if (utilization <= right.utilization()) {
                return left.score()
                        + (right.score() - left.score())
                                * (utilization - left.utilization())
                                / (right.utilization() - left.utilization());
            }
            left = right;
        }
        return left.score();
    }

    /** Policies may hold negative weights, where {@code Math.round} takes the other half. */
    private static long roundHalfAwayFromZero(double value) {
        return value < 0 ? -Math.round(-value) : Math.round(value);
    }
}
