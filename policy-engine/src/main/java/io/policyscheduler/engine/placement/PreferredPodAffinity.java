package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.placement.PodAffinityTerms.hasPreferences;
import static io.policyscheduler.engine.placement.PodAffinityTerms.preferred;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.index.PodsWithAffinity;
import io.policyscheduler.engine.cluster.index.TopologyCounts;
import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
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
 * The inter-pod affinity scores of an incoming pod: for each topology pair, the sum of the weights of its own preferences for the
 * pods there, and of the terms of these pods that match it. The sums come from the counts of the cluster's index or, if these are
 * not applicable, from iterating over all pods. Mirrors {@code algorithm/priorities/interpod_affinity.go} of 1.17 and
 * {@code preScoreState} of {@code pkg/scheduler/framework/plugins/interpodaffinity/scoring.go}.
 */
public final class PreferredPodAffinity {
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

    /** The maximum number of preferences with counts in the index, to limit memory use. */
    private static final int FEW = 8;

    private final PodAffinityTerms terms;
    private final int requiredWeight;
    /** Null if all pods are iterated. */
    private final @Nullable ClusterIndex index;

    private final List<Sums> indexed = new ArrayList<>(1);
    private TopologyCounts scanned = new TopologyCounts();
    private boolean touched;

    /**
     * Computes the sums.
     *
     * @param requiredWeight the weight of a required affinity term of another pod that matches the incoming pod; ignored if not
     *     above 0
     * @param invalidVoids whether an invalid selector of a pod in the cluster makes all scores fail, as in 1.17; else it matches no
     *     pod
     */
    public PreferredPodAffinity(PodAffinityTerms terms, ClusterView cluster, int requiredWeight, boolean invalidVoids) {
        this.terms = terms;
        this.requiredWeight = requiredWeight;
        Affinity own = terms.pod().affinity();
        boolean isValid = isValid(own.podAffinity()) && isValid(own.podAntiAffinity());
        this.index = isValid ? terms.index() : null;
        if (index != null) {
            addByIndex(index, own);
        } else if (!(invalidVoids && !isValid) && !scan(cluster, own, invalidVoids)) {
            scanned = new TopologyCounts();
        }
    }

    private static boolean isValid(Affinity.@Nullable PodTerms terms) {
        return terms == null || terms.preferredError() == null;
    }

    private void addByIndex(ClusterIndex of, Affinity own) {
        addPreferences(of, own.podAffinity(), 1);
        addPreferences(of, own.podAntiAffinity(), -1);
        for (PodsWithAffinity.GroupTerms owners : of.affinityOwners().termsMatching(terms.pod())) {
            long weight = switch (owners.kind()) {
                case REQUIRED -> Math.max(requiredWeight, 0) * owners.terms();
                case PREFERRED -> owners.weight();
                case REQUIRED_ANTI -> 0;
            };
            // Preferences that cancel each other out also create the pair.
            if (weight != 0 || owners.kind() == PodsWithAffinity.Kind.PREFERRED) {
                Sums sums = sums(of, owners.topologyKey());
                touched |= owners.group().addTo(sums.byValue, sums.column, weight);
            }
        }
    }

    private void addPreferences(ClusterIndex of, Affinity.@Nullable PodTerms preferences, int sign) {
        if (preferences == null) {
            return;
        }
        if (preferences.preferred().size() > FEW) {
            addUnshared(of, preferences.preferredIndex(), sign);
            return;
        }
        for (Affinity.WeightedPodTerm weighted : preferences.preferred()) {
            String key = weighted.term().topologyKey();
            if (weighted.term().selector() != null && of.topologyKeys().contains(key)) {
                long[] counts = of.counts(PodQuery.allOf(terms.pod(), List.of(weighted.term())))
                        .byValue(key);
                long[] byValue = sums(of, key).byValue;
                for (int i = 0; i < counts.length; i++) {
                    touched |= counts[i] > 0;
                    byValue[i] += (long) sign * weighted.weight() * counts[i];
                }
            }
        }
    }

    private void addUnshared(ClusterIndex of, PodTermIndex preferences, int sign) {
        for (int slot : of.order()) {
            NodeInfo node = of.at(slot);
            Labels labels = node == null ? Labels.EMPTY : node.node().labels();
            for (int i = 0; node != null && i < labels.size(); i++) {
                String key = labels.key(i);
                for (int p = 0; preferences.termsOf(key) > 0 && p < node.podCount(); p++) {
                    PodTermIndex.Meant matching =
                            preferences.meaning(key, node.pod(p).labels(), own(node.pod(p)));
                    Sums sums = sums(of, key);
                    touched |= matching.terms() > 0;
                    sums.byValue[sums.column.at(slot)] += sign * matching.weight();
                }
            }
        }
    }

    private NamespaceRule own(PodInfo other) {
        return terms.own(other.namespace());
    }

    private Sums sums(ClusterIndex of, String key) {
        for (int i = 0; i < indexed.size(); i++) {
            if (indexed.get(i).key.equals(key)) {
                return indexed.get(i);
            }
        }
        Sums made = new Sums(key, of.topology(key));
        indexed.add(made);
        return made;
    }

    /** Iterates over all pods; returns false if an invalid selector makes all scores fail. */
    private boolean scan(ClusterView cluster, Affinity own, boolean invalidVoids) {
        PodTermIndex liked = preferred(own.podAffinity());
        PodTermIndex avoided = preferred(own.podAntiAffinity());
        boolean hasPreferences = hasPreferences(terms.pod());
        // Pods without affinity only matter for the incoming pod's preferences.
        for (NodeInfo node : hasPreferences ? cluster.nodes() : cluster.nodesWithAffinity()) {
            Labels labels = node.node().labels();
            if (labels.isEmpty()) {
                continue;
            }
            for (int i = 0; hasPreferences && i < node.podCount(); i++) {
                PodInfo other = node.pod(i);
                add(liked, own(other), other.labels(), 1, labels);
                add(avoided, own(other), other.labels(), -1, labels);
            }
            List<PodInfo> owners = node.podsWithAffinity();
            for (int i = 0; i < owners.size(); i++) {
                if (invalidVoids && !isValid(owners.get(i).affinity())) {
                    return false;
                }
                addTermsOf(owners.get(i), labels);
            }
        }
        touched = !scanned.isEmpty();
        return true;
    }

    private boolean isValid(Affinity ofOther) {
        Affinity.PodTerms affinity = ofOther.podAffinity();
        boolean isRequiredValid = affinity == null || requiredWeight <= 0 || affinity.requiredError() == null;
        return isRequiredValid && isValid(affinity) && isValid(ofOther.podAntiAffinity());
    }

    private void addTermsOf(PodInfo owner, Labels node) {
        NamespaceRule rule = terms.ofOthers(owner.namespace());
        Labels pod = terms.pod().labels();
        Affinity.PodTerms affinity = owner.affinity().podAffinity();
        if (affinity != null && requiredWeight > 0) {
            add(affinity.requiredIndex(), rule, pod, requiredWeight, node);
        }
        add(preferred(affinity), rule, pod, 1, node);
        add(preferred(owner.affinity().podAntiAffinity()), rule, pod, -1, node);
    }

    /** Adds to the pairs of a node the weights of the terms that match a pod with these labels. */
    private void add(PodTermIndex of, NamespaceRule rule, Labels pod, int factor, Labels node) {
        for (int i = 0; !of.topologyKeys().isEmpty() && i < node.size(); i++) {
            PodTermIndex.Meant matching = of.meaning(node.key(i), pod, rule);
            if (matching.terms() > 0) {
                scanned.add(node.key(i), node.value(i), factor * matching.weight());
            }
        }
    }

    /** Returns true if no pair has a weight; its sum can be 0. */
    public boolean isEmpty() {
        return !touched;
    }

    /** Returns the sum over the topology pairs of the node. */
    public long score(NodeInfo node) {
        if (index == null) {
            return scanned.sum(node.node().labels());
        }
        int slot = index.slotOf(node);
        if (slot >= 0) {
            return sumAt(slot);
        }
        long sum = 0;
        for (int i = 0; i < indexed.size(); i++) {
            Sums of = indexed.get(i);
            String value = node.node().labels().get(of.key);
            int number = value == null ? TopologyColumn.NONE : of.column.numberOf(value);
            sum += number == TopologyColumn.NONE ? 0 : of.byValue[number];
        }
        return sum;
    }

    private long sumAt(int slot) {
        long sum = 0;
        for (int i = 0; i < indexed.size(); i++) {
            Sums of = indexed.get(i);
            int number = of.column.at(slot);
            sum += number == TopologyColumn.NONE ? 0 : of.byValue[number];
        }
        return sum;
    }

    /** Writes the scores of the nodes in the first {@code count} slots; returns false if the index is not applicable. */
    public boolean scoreSlots(int[] slots, int count, long[] scores) {
        for (int i = 0; index != null && i < count; i++) {
            scores[i] = sumAt(slots[i]);
        }
        return index != null;
    }

    /**
     * Normalizes the first {@code count} scores to 0..100, in place.
     *
     * @param withZero whether 0 belongs to the range of the scores, as up to 1.18, even if no node has this score
     */
    public static void normalize(long[] scores, int count, boolean withZero) {
        long min = withZero ? 0 : Long.MAX_VALUE;
        long max = withZero ? 0 : Long.MIN_VALUE;
        for (int i = 0; i < count; i++) {
            min = Math.min(min, scores[i]);
            max = Math.max(max, scores[i]);
        }
        long range = max - min;
        long lastScore = min;
        long lastResult = 0;
        for (int i = 0; i < count; i++) {
            // Most nodes have the score of the node before.
            if (scores[i] != lastScore) {
                lastScore = scores[i];
                lastResult = range > 0 ? (long) (100 * ((double) (scores[i] - min) / range)) : 0;
            }
            scores[i] = lastResult;
        }
    }
}
