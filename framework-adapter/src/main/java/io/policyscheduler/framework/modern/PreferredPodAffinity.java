package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.PodTermMatcher;
import io.policyscheduler.engine.cluster.PodTermMatcher.IncomingPod;
import io.policyscheduler.engine.cluster.PodTermMatcher.OwnTerms;
import io.policyscheduler.engine.cluster.index.AffinityOwners.AffinityMemo;
import io.policyscheduler.engine.cluster.index.AffinityTotals;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.TopologyCounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex.NamespaceRule;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How welcome the incoming pod is in each topology pair. Mirrors {@code preScoreState} of
 * {@code pkg/scheduler/framework/plugins/interpodaffinity/scoring.go}.
 */
final class PreferredPodAffinity {
    private record Weighted(PodTermMatcher term, long weight) {}

    private record Many(PodTermIndex terms, int sign) {}

    private record Wish(String topologyKey, long weight) {}

    private final IncomingPod incoming;
    private final List<Weighted> own = new ArrayList<>();
    /** The same where there are too many to be asked for one by one; by sign. */
    private final List<Many> ownMany = new ArrayList<>();

    private final OwnTerms ownTerms;
    private final int requiredWeight;
    private final TopologyCounts scores = new TopologyCounts();
    /** What {@link #scores} would be; null when they are counted here. */
    private final @Nullable AffinityTotals kept;

    /**
     * @param requiredWeight what a required affinity term of another pod that means the incoming one counts; 0 for nothing
     * @param exactNamespaces as for {@link OwnTerms}
     */
    PreferredPodAffinity(PodInfo pod, ClusterView cluster, int requiredWeight, boolean exactNamespaces) {
        this.incoming = new IncomingPod(pod, cluster);
        this.ownTerms = new OwnTerms(pod, cluster, exactNamespaces);
        this.requiredWeight = requiredWeight;
        addOwn(pod.affinity().podAffinity(), 1, cluster, exactNamespaces);
        addOwn(pod.affinity().podAntiAffinity(), -1, cluster, exactNamespaces);
        this.kept = kept(pod, cluster);
        if (kept != null) {
            return;
        }
        boolean allPods = hasPreferences(pod);
        AffinityMemo<List<Wish>> wishes = new AffinityMemo<>(this::wishes);
        for (NodeInfo node : allPods ? cluster.nodes() : cluster.nodesWithAffinity()) {
            Labels labels = node.node().labels();
            List<PodInfo> pods = allPods ? node.pods() : node.podsWithAffinity();
            for (int i = 0; i < pods.size(); i++) {
                count(pods.get(i), labels, wishes);
            }
        }
    }

    /** The same from counts that are kept; null when there are none that say it. */
    private @Nullable AffinityTotals kept(PodInfo pod, ClusterView cluster) {
        ClusterIndex index = cluster.index();
        if (index == null) {
            return null;
        }
        boolean isSimple = !pod.affinity().selectsNamespaces()
                && isKeepable(pod.affinity().podAffinity())
                && isKeepable(pod.affinity().podAntiAffinity())
                && !index.affinityOwners().anyInvalid()
                && !index.affinityOwners().anySelectsNamespaces();
        return isSimple ? AffinityTotals.of(pod, requiredWeight, index) : null;
    }

    private static boolean isKeepable(Affinity.@Nullable PodTerms terms) {
        return terms == null || (terms.preferred().size() <= RequiredPodAffinity.FEW && terms.preferredError() == null);
    }

    static List<Affinity.WeightedPodTerm> preferred(Affinity.@Nullable PodTerms terms) {
        return terms == null ? List.of() : terms.preferred();
    }

    static boolean hasPreferences(PodInfo pod) {
        return !preferred(pod.affinity().podAffinity()).isEmpty()
                || !preferred(pod.affinity().podAntiAffinity()).isEmpty();
    }

    private void addOwn(Affinity.@Nullable PodTerms terms, int sign, ClusterView cluster, boolean exactNamespaces) {
        if (terms != null && terms.preferred().size() > RequiredPodAffinity.FEW) {
            ownMany.add(new Many(terms.preferredIndex(), sign));
            return;
        }
        for (Affinity.WeightedPodTerm term : preferred(terms)) {
            own.add(new Weighted(
                    PodTermMatcher.ofCurrent(incoming.pod(), term.term(), cluster, exactNamespaces),
                    sign * (long) term.weight()));
        }
    }

    private void count(PodInfo other, Labels labels, AffinityMemo<List<Wish>> wishes) {
        for (int i = 0; i < own.size(); i++) {
            Weighted weighted = own.get(i);
            if (weighted.term().matches(other)) {
                record(labels, weighted.term().topologyKey(), weighted.weight());
            }
        }
        for (int i = 0; i < ownMany.size(); i++) {
            Many many = ownMany.get(i);
            record(labels, many.terms(), ownTerms.ruleFor(other.namespace()), other.labels(), many.sign());
        }
        if (saysMuch(other)) {
            countMuch(other, labels);
        } else if (other.hasPodAffinity()) {
            List<Wish> ofOther = wishes.get(other);
            for (int i = 0; i < ofOther.size(); i++) {
                record(labels, ofOther.get(i).topologyKey(), ofOther.get(i).weight());
            }
        }
    }

    private static boolean saysMuch(PodInfo other) {
        return saysMuch(other.affinity().podAffinity())
                || saysMuch(other.affinity().podAntiAffinity());
    }

    private static boolean saysMuch(Affinity.@Nullable PodTerms terms) {
        return terms != null && terms.required().size() + terms.preferred().size() > RequiredPodAffinity.FEW;
    }

    /** The same as counting the wishes of a pod. */
    private void countMuch(PodInfo owner, Labels labels) {
        NamespaceRule rule = incoming.ruleOf(owner.namespace());
        Labels pod = incoming.pod().labels();
        Affinity.PodTerms affinity = owner.affinity().podAffinity();
        if (affinity != null && requiredWeight > 0) {
            record(labels, affinity.requiredIndex(), rule, pod, requiredWeight);
        }
        if (affinity != null) {
            record(labels, affinity.preferredIndex(), rule, pod, 1);
        }
        Affinity.PodTerms anti = owner.affinity().podAntiAffinity();
        if (anti != null) {
            record(labels, anti.preferredIndex(), rule, pod, -1);
        }
    }

    /** Adds to the pairs of a node what terms say about a pod. */
    private void record(Labels node, PodTermIndex terms, NamespaceRule rule, Labels pod, int factor) {
        for (int i = 0; i < node.size(); i++) {
            PodTermIndex.Meant meant = terms.meaning(node.key(i), pod, rule);
            if (meant.terms() > 0) {
                scores.add(node.key(i), node.value(i), factor * meant.weight());
            }
        }
    }

    private void record(Labels labels, String key, long weight) {
        String value = labels.get(key);
        if (value != null) {
            scores.add(key, value, weight);
        }
    }

    /** What the terms of another pod say about the incoming one. */
    private List<Wish> wishes(PodInfo owner) {
        List<Wish> wishes = new ArrayList<>();
        if (requiredWeight > 0) {
            for (PodAffinityTerm term :
                    RequiredPodAffinity.required(owner.affinity().podAffinity())) {
                if (incoming.isMeantBy(owner, term)) {
                    wishes.add(new Wish(term.topologyKey(), requiredWeight));
                }
            }
        }
        addWishes(wishes, owner, preferred(owner.affinity().podAffinity()), 1);
        addWishes(wishes, owner, preferred(owner.affinity().podAntiAffinity()), -1);
        return List.copyOf(wishes);
    }

    private void addWishes(List<Wish> wishes, PodInfo owner, List<Affinity.WeightedPodTerm> terms, int sign) {
        for (Affinity.WeightedPodTerm term : terms) {
            if (incoming.isMeantBy(owner, term.term())) {
                wishes.add(new Wish(term.term().topologyKey(), sign * (long) term.weight()));
            }
        }
    }

    /** True when no pair has been touched. */
    boolean isEmpty() {
        return kept == null ? scores.isEmpty() : !kept.isTouched();
    }

    long score(NodeInfo node) {
        return kept == null ? scores.sum(node.node().labels()) : kept.sum(node);
    }

    /** The scores of nodes by their slots; false when they are not known. */
    boolean scoreSlots(int[] slots, int count, long[] into) {
        if (kept == null) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            into[i] = kept.sumAt(slots[i]);
        }
        return true;
    }
}
