package io.policyscheduler.priorities;

import io.policyscheduler.engine.cluster.LabelSelector;
import io.policyscheduler.engine.cluster.MemoizedSelector;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import org.jspecify.annotations.Nullable;

/**
 * Counts pods of one namespace that match a selector and are not terminating. Mirrors {@code countMatchingPods} of
 * {@code algorithm/priorities/selector_spreading.go}.
 */
final class PeerCounter {
    private final String namespace;
    private final @Nullable MemoizedSelector selector;

    /** A selector that is null or empty counts nothing. */
    PeerCounter(String namespace, @Nullable LabelSelector selector) {
        this.namespace = namespace;
        this.selector = selector == null || selector.isEmpty() ? null : new MemoizedSelector(selector);
    }

    long countOn(NodeInfo node) {
        if (selector == null) {
            return 0;
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
