package io.policyscheduler.priorities;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import org.jspecify.annotations.Nullable;

/**
 * Counts pods of one namespace that match a selector and are not terminating. Mirrors {@code countMatchingPods} of
 * {@code algorithm/priorities/selector_spreading.go}.
 */
final class PeerCounter {
    private final String namespace;
    private final @Nullable MemoizedSelector selector;
    private final @Nullable ClusterIndex index;
    private final @Nullable PodCounts counts;

    /** A selector that is null or empty counts nothing. */
    PeerCounter(ClusterView cluster, String namespace, @Nullable LabelSelector selector) {
        boolean countsNothing = selector == null || selector.isEmpty();
        this.namespace = namespace;
        this.selector = selector == null || countsNothing ? null : new MemoizedSelector(selector);
        this.index = countsNothing ? null : cluster.index();
        this.counts = index == null || selector == null ? null : index.counts(PodQuery.alive(namespace, selector));
    }

    /** The index that counts are taken from, or null. */
    @Nullable
    ClusterIndex index() {
        return index;
    }

    /** The counts by slot of {@link #index()}; null when there are none. */
    @Nullable
    PodCounts counts() {
        return counts;
    }

    /** Counts on nodes of the cluster's index by their slots; false when it has no counts. */
    boolean countSlots(int[] slots, int count, long[] found) {
        if (selector != null && counts == null) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            found[i] = counts == null ? 0 : counts.at(slots[i]);
        }
        return true;
    }

    long countOn(NodeInfo node) {
        if (selector == null) {
            return 0;
        }
        if (index != null && counts != null) {
            int slot = index.ownSlotOf(node);
            if (slot >= 0) {
                return counts.at(slot);
            }
        }
        long count = 0;
        for (int i = 0; i < node.podCount(); i++) {
            PodInfo pod = node.pod(i);
            if (!pod.terminating() && pod.namespace().equals(namespace) && selector.matches(pod.labels())) {
                count++;
            }
        }
        return count;
    }
}
