package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.resource.PodResources;
import java.util.List;

/**
 * 1 for a node whose total allocatable cpu or memory covers the pod's limit, else 0; running pods do not count. Mirrors
 * {@code algorithm/priorities/resource_limits.go}.
 */
public final class ResourceLimitsPriority implements Priority {
    @Override
    public String name() {
        return "ResourceLimitsPriority";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        PodResources resources = context.pod().resources();
        long cpu = resources.limitMilliCpu();
        long memory = resources.limitMemory();
        return node -> covers(node.allocatable().milliCpu(), cpu)
                        || covers(node.allocatable().memory(), memory)
                ? 1
                : 0;
    }

    private static boolean covers(long allocatable, long limit) {
        return limit != 0 && allocatable != 0 && limit <= allocatable;
    }
}
