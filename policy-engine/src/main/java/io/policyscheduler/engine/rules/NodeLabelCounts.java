package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.ClusterIndex;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodCounts;
import io.policyscheduler.engine.cluster.PodQuery;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the pods of one node by label, for one attempt: looked up where the cluster keeps them, counted on the spot for
 * nodes that hold other pods than the cluster knows, as in a trial. Used by one thread.
 */
final class NodeLabelCounts {
    /**
     * Questions looked up at most. A label or value that differs from node to node is a new question each time, and to keep the
     * counts of each would cost more than to walk over the pods of one node.
     */
    private static final int MAX_QUESTIONS = 4;

    private record Known(String key, @Nullable String value, PodCounts counts) {
        /** Labels in rules are mostly constants, so that it is mostly the same object. */
        @SuppressWarnings("ReferenceEquality") // followed by equals
        boolean is(String otherKey, @Nullable String otherValue) {
            return (key == otherKey || key.equals(otherKey))
                    && (value == otherValue || (value != null && value.equals(otherValue)));
        }
    }

    private final @Nullable ClusterIndex index;
    private final List<Known> known = new ArrayList<>(2);

    NodeLabelCounts(ClusterView cluster) {
        this.index = cluster.index();
    }

    /** Pods on a node that have a label; a null value stands for any. */
    int on(NodeInfo node, String key, @Nullable String value) {
        if (index != null) {
            int slot = index.ownSlotOf(node);
            PodCounts counts = slot == NodeInfo.NO_SLOT ? null : of(index, key, value);
            if (counts != null) {
                return counts.at(slot);
            }
        }
        int count = 0;
        for (int i = node.podCount() - 1; i >= 0; i--) {
            boolean has = value == null
                    ? node.pod(i).labels().has(key)
                    : node.pod(i).labels().has(key, value);
            count += has ? 1 : 0;
        }
        return count;
    }

    /** How many questions are looked up; for tests. */
    int questions() {
        return known.size();
    }

    /** The counts to look up; null for a question too many. */
    private @Nullable PodCounts of(ClusterIndex from, String key, @Nullable String value) {
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).is(key, value)) {
                return known.get(i).counts();
            }
        }
        if (known.size() == MAX_QUESTIONS) {
            return null;
        }
        PodCounts counts = from.counts(PodQuery.labelled(key, value));
        known.add(new Known(key, value, counts));
        return counts;
    }
}
