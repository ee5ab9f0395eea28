package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import java.util.List;

/**
 * All priorities of v1.17 by their name in a Policy file, except {@code EqualPriority}, which has no effect and is removed when a
 * policy is resolved.
 */
public final class PriorityCatalog {
    private PriorityCatalog() {}

    /** Adds them all. */
    public static void register(AlgorithmRegistry.Builder registry) {
        registry.priority("LeastRequestedPriority", ResourceAllocationPriority::leastRequested)
                .priority("MostRequestedPriority", ResourceAllocationPriority::mostRequested)
                .priority("BalancedResourceAllocation", BalancedResourceAllocation::new)
                .priority(ResourceAllocationPriority.RATIO_DEFAULT, ResourceAllocationPriority::ratioWithDefaultShape)
                .priority(ResourceAllocationPriority.RATIO_OF_POLICY, ResourceAllocationPriority::ratioOfPolicy)
                .priority("NodeAffinityPriority", config -> new NodeAffinityPriority())
                .priority("TaintTolerationPriority", config -> new TaintTolerationPriority())
                .priority("ImageLocalityPriority", config -> new ImageLocalityPriority())
                .priority("NodePreferAvoidPodsPriority", config -> new NodePreferAvoidPodsPriority())
                .priority("ResourceLimitsPriority", config -> new ResourceLimitsPriority())
                .priority("NodeLabel", NodeLabelPriority::new)
                .priority("ServiceAffinity", ServiceAffinityPriority::new)
                .priority("SelectorSpreadPriority", config -> SelectorSpreadPriority.ofControllers())
                .priority("ServiceSpreadingPriority", config -> SelectorSpreadPriority.ofServices())
                .priority("InterPodAffinityPriority", InterPodAffinityPriority::new)
                .priority("EvenPodsSpreadPriority", config -> new EvenPodsSpreadPriority());
    }

    /** Whether v1.17 can compute its shared priority metadata; see {@code algorithm/priorities/metadata.go}. */
    static final class PriorityMetadata {
        private PriorityMetadata() {}

        /** False if a {@code ScheduleAnyway} constraint of the pod has an invalid selector. */
        static boolean available(PodInfo pod) {
            List<TopologySpreadConstraint> constraints = pod.spec().spreadConstraints();
            for (TopologySpreadConstraint constraint : constraints) {
                if (constraint.isSoft()
                        && constraint.selector() != null
                        && constraint.selector().error() != null) {
                    return false;
                }
            }
            return true;
        }
    }
}
