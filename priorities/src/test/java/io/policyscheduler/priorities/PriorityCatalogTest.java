package io.policyscheduler.priorities;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmConfig.ShapePoint;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PriorityCatalogTest {
    private static final List<String> NAMES = List.of(
            "BalancedResourceAllocation",
            "EvenPodsSpreadPriority",
            "ImageLocalityPriority",
            "InterPodAffinityPriority",
            "LeastRequestedPriority",
            "MostRequestedPriority",
            "NodeAffinityPriority",
            "NodeLabel",
            "NodePreferAvoidPodsPriority",
            "RequestedToCapacityRatio",
            "RequestedToCapacityRatioPriority",
            "ResourceLimitsPriority",
            "SelectorSpreadPriority",
            "ServiceAffinity",
            "ServiceSpreadingPriority",
            "TaintTolerationPriority");

    @Test
    void buildsEachPriorityUnderItsName() {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        PriorityCatalog.register(builder);
        AlgorithmRegistry registry = builder.build();
        assertEquals(NAMES, List.copyOf(registry.priorityNames()));
        AlgorithmConfig config = withShape();
        assertEquals(
                NAMES,
                NAMES.stream()
                        .map(name -> registry.priority(name, config).name())
                        .toList());
    }

    /** One of the priorities cannot be created without a shape. */
    private static AlgorithmConfig withShape() {
        AlgorithmConfig d = AlgorithmConfig.defaults();
        return new AlgorithmConfig(
                d.presentLabels(),
                d.absentLabels(),
                d.affinityLabels(),
                d.preferPresentLabels(),
                d.preferAbsentLabels(),
                d.antiAffinityLabels(),
                List.of(new ShapePoint(0, 100)),
                d.ratioResources(),
                d.ignoredResources(),
                d.hardPodAffinityWeight(),
                d.gates(),
                d.environment(),
                Set.of());
    }
}
