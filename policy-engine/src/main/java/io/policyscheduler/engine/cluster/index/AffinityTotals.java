package io.policyscheduler.engine.cluster.index;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex.NamespaceRule;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The inter-pod affinity scores of an incoming pod, in both directions, by topology value, from the
 * counts of the cluster's index instead of a walk over its pods. Only for worlds without invalid selectors, where the order of the walk
 * does not matter, and without selectors of namespaces.
 */
public final class AffinityTotals {
    /** Sums by value of a topology key. */
    private static final class Sums {
        final String key;
        final TopologyColumn column;
        final long[] byValue;

        Sums(String key, TopologyColumn column) {
            this.key = key;
            this.column = column;
            this.byValue = new long[column.valueCount()];
        }
    }

    /** More preferences than this are not asked for one by one. */
    private static final int FEW = 8;

    private final ClusterIndex index;
    private final List<Sums> all = new ArrayList<>(1);
    private boolean touched;

    private AffinityTotals(ClusterIndex index) {
        this.index = index;
    }

    /**
     * The totals for a pod.
     *
     * @param hardWeight what a required term of an existing pod that means this one counts; nothing when not above 0
     */
    public static AffinityTotals of(PodInfo pod, int hardWeight, ClusterIndex index) {
        AffinityTotals sums = new AffinityTotals(index);
        sums.addPreferences(pod, pod.affinity().podAffinity(), 1);
        sums.addPreferences(pod, pod.affinity().podAntiAffinity(), -1);
        for (AffinityOwners.Interest interest : index.affinityOwners().interestIn(pod)) {
            long weight = switch (interest.kind()) {
                case REQUIRED -> Math.max(hardWeight, 0) * interest.terms();
                case PREFERRED -> interest.weight();
                case REQUIRED_ANTI -> 0;
            };
            // Terms that cancel each other out count nothing, but something has been said.
            if (weight != 0 || interest.kind() == AffinityOwners.Kind.PREFERRED) {
                Sums of = sums.of(interest.topologyKey());
                sums.touched |= interest.group().addTo(of.byValue, of.column, weight);
            }
        }
        return sums;
    }

    private void addPreferences(PodInfo pod, Affinity.@Nullable PodTerms terms, int sign) {
        if (terms == null) {
            return;
        }
        if (terms.preferred().size() > FEW) {
            addUnshared(pod, terms.preferredIndex(), sign);
            return;
        }
        for (Affinity.WeightedPodTerm weighted : terms.preferred()) {
            String key = weighted.term().topologyKey();
            if (weighted.term().selector() != null && index.topologyKeys().contains(key)) {
                long[] counts = index.counts(PodQuery.allOf(pod, List.of(weighted.term())))
                        .byValue(key);
                long[] byValue = of(key).byValue;
                for (int i = 0; i < counts.length; i++) {
                    touched |= counts[i] > 0;
                    byValue[i] += (long) sign * weighted.weight() * counts[i];
                }
            }
        }
    }

    /** Counts that others would share are not worth their room where there are thousands of them. */
    private void addUnshared(PodInfo pod, PodTermIndex terms, int sign) {
        for (int slot : index.order()) {
            NodeInfo node = index.at(slot);
            Labels labels = node == null ? Labels.EMPTY : node.node().labels();
            for (int i = 0; node != null && i < labels.size(); i++) {
                String key = labels.key(i);
                if (terms.termsOf(key) > 0) {
                    Sums sums = of(key);
                    for (int p = 0; p < node.podCount(); p++) {
                        PodInfo other = node.pod(p);
                        NamespaceRule rule = NamespaceRule.first(pod.namespace(), other.namespace());
                        PodTermIndex.Meant meant = terms.meaning(key, other.labels(), rule);
                        touched |= meant.terms() > 0;
                        sums.byValue[sums.column.at(slot)] += sign * meant.weight();
                    }
                }
            }
        }
    }

    private Sums of(String key) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).key.equals(key)) {
                return all.get(i);
            }
        }
        Sums made = new Sums(key, index.topology(key));
        all.add(made);
        return made;
    }

    /** True when there is a pod that attracts, repels, is liked or avoided, though the sum may be 0. */
    public boolean isTouched() {
        return touched;
    }

    /** True when nothing can attract or repel. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** The sum of all topology values that the node has. */
    public long sum(NodeInfo node) {
        int slot = index.slotOf(node);
        long sum = 0;
        for (int i = 0; i < all.size(); i++) {
            Sums of = all.get(i);
            int value = slot < 0 ? numberOf(of, node.node().labels()) : of.column.at(slot);
            sum += value == TopologyColumn.NONE ? 0 : of.byValue[value];
        }
        return sum;
    }

    /** The same for the node in a slot. */
    public long sumAt(int slot) {
        long sum = 0;
        for (int i = 0; i < all.size(); i++) {
            Sums of = all.get(i);
            int value = of.column.at(slot);
            sum += value == TopologyColumn.NONE ? 0 : of.byValue[value];
        }
        return sum;
    }

    private static int numberOf(Sums sums, Labels labels) {
        String value = labels.get(sums.key);
        return value == null ? TopologyColumn.NONE : sums.column.numberOf(value);
    }
}
