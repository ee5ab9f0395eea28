package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.ClusterIndex;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodCounts;
import io.policyscheduler.engine.cluster.PodQuery;
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
    private final List<LabelQuestion> questions;
    private @Nullable List<Known> known;

    /** @param questions those that a rule asks for every pod and node */
    NodeLabelCounts(CountTable table, List<LabelQuestion> questions) {
        this.table = table;
        this.questions = questions;
    }

    /** Pods on a node that have a label; a null value stands for any. */
    long on(NodeInfo node, String key, @Nullable String value) {
        ClusterIndex index = table.cluster().index();
        int slot = index == null ? NodeInfo.NO_SLOT : index.ownSlotOf(node);
        if (index == null || slot == NodeInfo.NO_SLOT) {
            return walk(node, Trait.label(key), value);
        }
        List<Known> all = known(index);
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).question().is(key, value)) {
                return all.get(i).counts().at(slot);
            }
        }
        return value == null ? walk(node, Trait.label(key), null) : tallied(slot, Trait.label(key), value);
    }

    /** Pods of a namespace on a node. */
    long inNamespace(NodeInfo node, String namespace) {
        ClusterIndex index = table.cluster().index();
        int slot = index == null ? NodeInfo.NO_SLOT : index.ownSlotOf(node);
        return slot == NodeInfo.NO_SLOT
                ? walk(node, Trait.NAMESPACE, namespace)
                : tallied(slot, Trait.NAMESPACE, namespace);
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

    private List<Known> known(ClusterIndex index) {
        List<Known> looked = known;
        if (looked == null) {
            looked = new ArrayList<>(questions.size());
            for (LabelQuestion question : questions) {
                looked.add(new Known(question, index.counts(PodQuery.labelled(question.key(), question.value()))));
            }
            known = looked;
        }
        return looked;
    }
}
