package io.policyscheduler.framework.insight.audit;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.HashMap;
import java.util.Map;

/**
 * How much may be evicted at once, with the names of the descheduler's policy.
 *
 * @param perNode maxNoOfPodsToEvictPerNode
 * @param perNamespace maxNoOfPodsToEvictPerNamespace
 * @param total maxNoOfPodsToEvictTotal
 * @param priorityThreshold pods of this priority and above stay
 */
public record EvictionLimits(int perNode, int perNamespace, int total, int priorityThreshold) {
    /** None but that pods of the cluster itself stay: system-cluster-critical has this priority. */
    public static final EvictionLimits NONE =
            new EvictionLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, 2_000_000_000);

    /** What has been planned so far. */
    static final class Count {
        private final EvictionLimits limits;
        private final Map<String, Integer> byNode = new HashMap<>();
        private final Map<String, Integer> byNamespace = new HashMap<>();
        private int total;

        Count(EvictionLimits limits) {
            this.limits = limits;
        }

        /** Why one more pod has to stay; empty when it may go. */
        String sparing(PodInfo pod) {
            if (pod.priority() >= limits.priorityThreshold) {
                return "priority " + pod.priority() + " is not below " + limits.priorityThreshold;
            }
            if (total >= limits.total) {
                return "limit of " + limits.total + " evictions";
            }
            if (byNode.getOrDefault(pod.nodeName(), 0) >= limits.perNode) {
                return "limit of " + limits.perNode + " from node " + pod.nodeName();
            }
            return byNamespace.getOrDefault(pod.namespace(), 0) >= limits.perNamespace
                    ? "limit of " + limits.perNamespace + " from namespace " + pod.namespace()
                    : "";
        }

        /** The pod goes. */
        void add(PodInfo pod) {
            total++;
            byNode.merge(pod.nodeName(), 1, Integer::sum);
            byNamespace.merge(pod.namespace(), 1, Integer::sum);
        }
    }
}
