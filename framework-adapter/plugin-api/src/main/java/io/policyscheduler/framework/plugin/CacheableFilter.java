package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A filter plugin that declares what {@link #filter} reads, so that the framework reuses its results. The framework caches the results of
 * {@code filter} itself; the plugin has no second implementation for this.
 */
public interface CacheableFilter extends FilterPlugin {
    /** Returns what {@link #filter} reads for the pod. Called after PreFilter, if that did not skip the filter. */
    FilterReads filterReads(CycleState state, PodInfo pod);

    /**
     * What a filter reads for a pod.
     *
     * @param key what it reads besides the node and the pods on it: the framework reuses the result for a node until the node changes,
     *     for all pods with an equal key. Null if it reads more
     * @param revision another number whenever the results for the same pod and an unchanged node can be different
     * @param passesAll whether every node passes until a what-if changes {@code state}
     * @param passesTrials whether every node passes also if pods of one node are removed and added again, and pods without inter-pod
     *     affinity are added to it
     * @param bySlot returns a test of the nodes of the cluster's index by their slots, which holds until the cluster or {@code state}
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

        /** The node, the pods on it, and the key. */
        public static FilterReads of(Object key) {
            return new FilterReads(key, 0, false, false, index -> null);
        }

        /** What the plugin declares; {@link #CLUSTER} if it declares nothing. */
        public static FilterReads of(FilterPlugin plugin, CycleState state, PodInfo pod) {
            return plugin instanceof CacheableFilter cacheable ? cacheable.filterReads(state, pod) : CLUSTER;
        }

        /** The same with another test by slot. */
        public FilterReads withSlots(Function<ClusterIndex, @Nullable SlotPredicate> test) {
            return new FilterReads(key, revision, passesAll, passesTrials, test);
        }
    }

    /** The part of a pod that an algorithm of {@link Scope#NODE} can read; equal for siblings. */
    final class PodClass {
        private final PodInfo pod;
        private final int hash;

        /** The class of {@code pod}. */
        public PodClass(PodInfo pod) {
            this.pod = pod;
            this.hash = 31
                            * (31 * System.identityHashCode(pod.spec())
                                    + pod.labels().hashCode())
                    + pod.namespace().hashCode();
        }

        /** Compares specs as objects: the reader shares equal ones, and an equal copy only costs another evaluation. */
        @Override
        @SuppressWarnings("ReferenceEquality")
        public boolean equals(@Nullable Object o) {
            return o instanceof PodClass other
                    && hash == other.hash
                    && pod.spec() == other.pod.spec()
                    && pod.labels().equals(other.pod.labels())
                    && pod.namespace().equals(other.pod.namespace())
                    && pod.annotations().equals(other.pod.annotations())
                    && Objects.equals(pod.controller(), other.pod.controller())
                    && pod.nodeName().equals(other.pod.nodeName())
                    && pod.terminating() == other.pod.terminating();
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
