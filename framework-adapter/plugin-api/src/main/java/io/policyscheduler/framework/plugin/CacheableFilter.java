package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A filter plugin that declares the inputs of {@link #filter}, so that the framework caches its results. The cached path calls the
 * same {@code filter}; the plugin needs no second implementation.
 */
public interface CacheableFilter extends FilterPlugin {
    /** Returns the inputs of {@link #filter} for the pod. Called after PreFilter, unless that returned skip. */
    FilterReads filterReads(CycleState state, PodInfo pod);

    /**
     * The inputs of a filter for a pod.
     *
     * @param key the inputs other than the node and its pods: the framework reuses the result for a node until the node changes,
     *     for all pods with an equal key. Null if the filter reads more
     * @param revision a number that changes whenever the results for the same pod and an unchanged node may change
     * @param passesAll whether every node passes until AddPod or RemovePod changes {@code state}
     * @param passesTrials whether every node passes also if pods of one node are removed and added again, and pods without
     *     inter-pod affinity are added to it
     * @param bySlot returns a test of the nodes of the cluster's index by slot, which is valid until the cluster or {@code state}
     *     changes; null if there is none
     */
    record FilterReads(
            @Nullable Object key,
            long revision,
            boolean passesAll,
            boolean passesTrials,
            Function<ClusterIndex, @Nullable SlotPredicate> bySlot) {
        /** Anything in the cluster. */
        public static final FilterReads CLUSTER = new FilterReads(null, 0, false, false, index -> null);

        /** The node, its pods, and the key. */
        public static FilterReads of(Object key) {
            return new FilterReads(key, 0, false, false, index -> null);
        }

        /** The declaration of the plugin; {@link #CLUSTER} without one. */
        public static FilterReads of(FilterPlugin plugin, CycleState state, PodInfo pod) {
            return plugin instanceof CacheableFilter cacheable ? cacheable.filterReads(state, pod) : CLUSTER;
        }

        /** A copy with another test by slot. */
        public FilterReads withSlots(Function<ClusterIndex, @Nullable SlotPredicate> test) {
            return new FilterReads(key, revision, passesAll, passesTrials, test);
        }
    }
}
