package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the pods of one node by label, for one attempt. Questions in the words of the rule are looked up where the cluster
 * keeps them for everybody, all others in the tally of their label. Nodes that hold other pods than the cluster knows, as in a
 * trial, are counted on the spot. Used by one thread.
 */
final class NodeLabelCounts {
    private record Known(LabelQuestion question, PodCounts counts) {}

    private final CountTable table;
    private final @Nullable ClusterIndex index;
    private final List<LabelQuestion> questions;
    private final List<Known> known = new ArrayList<>(2);

    /** @param questions those that a rule asks for every pod and node */
    NodeLabelCounts(CountTable table, List<LabelQuestion> questions) {
        this.table = table;
        this.index = table.cluster().index();
        this.questions = questions;
    }

    /** Pods on a node that have a label; a null value stands for any. */
    long on(NodeInfo node, String key, @Nullable String value) {
        if (index != null) {
            int slot = index.ownSlotOf(node);
            if (slot != NodeInfo.NO_SLOT) {
                PodCounts counts = known(index, key, value);
                if (counts != null) {
                    return counts.at(slot);
                }
                if (value != null) {
                    return tallied(slot, Trait.label(key), value);
                }
            }
        }
        return walk(node, Trait.label(key), value);
    }

    /** Pods with a value of another trait on a node. */
    long with(Trait trait, NodeInfo node, String value) {
        int slot = index == null ? NodeInfo.NO_SLOT : index.ownSlotOf(node);
        return slot == NodeInfo.NO_SLOT ? walk(node, trait, value) : tallied(slot, trait, value);
    }

    private long tallied(int slot, Trait trait, String value) {
        return table.counted().pods(Place.NODE, "", trait).at(slot, value);
    }

    static long walk(NodeInfo node, Trait trait, @Nullable String value) {
        int count = 0;
        for (int i = node.podCount() - 1; i >= 0; i--) {
            count += trait.matches(node.pod(i), value) ? 1 : 0;
        }
        return count;
    }

    /** The counts to look up; null for a question in other words than the rule's. */
    private @Nullable PodCounts known(ClusterIndex from, String key, @Nullable String value) {
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).question().is(key, value)) {
                return known.get(i).counts();
            }
        }
        for (int i = 0; i < questions.size(); i++) {
            if (questions.get(i).is(key, value)) {
                PodCounts counts = from.counts(PodQuery.labelled(key, value));
                known.add(new Known(questions.get(i), counts));
                return counts;
            }
        }
        return null;
    }
}
