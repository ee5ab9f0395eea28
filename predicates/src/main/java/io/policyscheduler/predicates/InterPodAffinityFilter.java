package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Verdict;
import io.policyscheduler.engine.cluster.Affinity;
import io.policyscheduler.engine.cluster.AffinityMemo;
import io.policyscheduler.engine.cluster.AffinityOwners;
import io.policyscheduler.engine.cluster.ClusterIndex;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.Labels;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodAffinityTerm;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.cluster.PodQuery;
import io.policyscheduler.engine.cluster.PodTermMatcher;
import io.policyscheduler.engine.cluster.TopologyCounts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Inter-pod affinity answered from counts of pods by topology pair. */
final class InterPodAffinityFilter implements PodFilter {
    /** What does not change during an attempt: the pod and its own required terms. */
    private record Terms(
            PodInfo pod,
            List<PodTermMatcher> affinity,
            List<PodTermMatcher> antiAffinity,
            boolean antiAffinityValid,
            boolean matchesItself) {
        static Terms of(PodInfo pod) {
            Affinity.PodTerms affinity = pod.affinity().podAffinity();
            Affinity.PodTerms anti = pod.affinity().podAntiAffinity();
            List<PodTermMatcher> own = affinity == null ? List.of() : PodTermMatcher.of(pod, affinity.required());
            List<PodAffinityTerm> antiTerms = anti == null ? List.of() : anti.required();
            return new Terms(
                    pod, own, PodTermMatcher.of(pod, antiTerms), firstError(antiTerms) == null, matchesAll(own, pod));
        }
    }

    private final Terms terms;
    private final @Nullable ClusterIndex index;
    /** Existing pods whose anti-affinity means the pod. */
    private final AdjustedCounts existingAnti;
    /** Existing pods that match all of the pod's affinity terms. */
    private final AdjustedCounts affinity;
    /** Existing pods that match an anti-affinity term of the pod. */
    private final AdjustedCounts antiAffinity;
    /** Pods counted in {@link #antiAffinity} by every term because {@link #addPod} put them there; by namespace/name. */
    private final Set<String> countedByEveryTerm;

    private InterPodAffinityFilter(
            Terms terms,
            @Nullable ClusterIndex index,
            AdjustedCounts existingAnti,
            AdjustedCounts affinity,
            AdjustedCounts antiAffinity,
            Set<String> countedByEveryTerm) {
        this.terms = terms;
        this.index = index;
        this.existingAnti = existingAnti;
        this.affinity = affinity;
        this.antiAffinity = antiAffinity;
        this.countedByEveryTerm = countedByEveryTerm;
    }

    static InterPodAffinityFilter of(PodInfo pod, ClusterView cluster) {
        ClusterIndex index = cluster.index();
        return index == null ? byWalking(pod, cluster) : byIndex(pod, index);
    }

    private static InterPodAffinityFilter byIndex(PodInfo pod, ClusterIndex index) {
        Terms terms = Terms.of(pod);
        PairCounts.Indexed affinity = new PairCounts.Indexed(index);
        List<PodAffinityTerm> required = required(pod.affinity().podAffinity());
        if (allHaveSelectors(required)) {
            for (PodAffinityTerm term : required) {
                affinity.add(
                        term.topologyKey(),
                        index.counts(PodQuery.allOf(pod, required)).byValue(term.topologyKey()));
            }
        }
        PairCounts.Indexed antiAffinity = new PairCounts.Indexed(index);
        for (PodAffinityTerm term : required(pod.affinity().podAntiAffinity())) {
            if (term.selector() != null) {
                antiAffinity.add(
                        term.topologyKey(),
                        index.counts(PodQuery.allOf(pod, List.of(term))).byValue(term.topologyKey()));
            }
        }
        PairCounts.Indexed existingAnti = new PairCounts.Indexed(index);
        for (AffinityOwners.Interest interest : index.affinityOwners().interestIn(pod)) {
            if (interest.kind() == AffinityOwners.Kind.REQUIRED_ANTI) {
                interest.group()
                        .addTo(
                                existingAnti.ownCounts(interest.topologyKey()),
                                index.topology(interest.topologyKey()),
                                1);
            }
        }
        return new InterPodAffinityFilter(
                terms,
                index,
                new AdjustedCounts(existingAnti),
                new AdjustedCounts(affinity),
                new AdjustedCounts(antiAffinity),
                new HashSet<>());
    }

    private static List<PodAffinityTerm> required(Affinity.@Nullable PodTerms terms) {
        return terms == null ? List.of() : terms.required();
    }

    private static boolean allHaveSelectors(List<PodAffinityTerm> terms) {
        for (PodAffinityTerm term : terms) {
            if (term.selector() == null) {
                return false;
            }
        }
        return true;
    }

    private static InterPodAffinityFilter byWalking(PodInfo pod, ClusterView cluster) {
        Terms terms = Terms.of(pod);
        TopologyCounts affinity = new TopologyCounts();
        TopologyCounts antiAffinity = new TopologyCounts();
        if (!terms.affinity().isEmpty() || !terms.antiAffinity().isEmpty()) {
            for (NodeInfo node : cluster.nodes()) {
                countMatchesOf(terms, node, affinity, antiAffinity);
            }
        }
        return new InterPodAffinityFilter(
                terms,
                null,
                new AdjustedCounts(new PairCounts.Walked(countExistingAnti(pod, cluster))),
                new AdjustedCounts(new PairCounts.Walked(affinity)),
                new AdjustedCounts(new PairCounts.Walked(antiAffinity)),
                new HashSet<>());
    }

    private static void countMatchesOf(
            Terms terms, NodeInfo node, TopologyCounts affinity, TopologyCounts antiAffinity) {
        Labels labels = node.node().labels();
        if (!terms.affinity().isEmpty()) {
            int matches = 0;
            for (int i = 0; i < node.podCount(); i++) {
                matches += matchesAll(terms.affinity(), node.pod(i)) ? 1 : 0;
            }
            for (PodTermMatcher term : terms.affinity()) {
                addMatches(affinity, term.topologyKey(), labels, matches);
            }
        }
        for (PodTermMatcher term : terms.antiAffinity()) {
            if (labels.has(term.topologyKey())) {
                addMatches(antiAffinity, term.topologyKey(), labels, term.countOn(node));
            }
        }
    }

    private static void addMatches(TopologyCounts counts, String key, Labels labels, int matches) {
        String value = labels.get(key);
        if (matches > 0 && value != null) {
            counts.add(key, value, matches);
        }
    }

    private static TopologyCounts countExistingAnti(PodInfo pod, ClusterView cluster) {
        TopologyCounts counts = new TopologyCounts();
        AffinityMemo<List<String>> keysOf = new AffinityMemo<>(existing -> antiAffinityKeys(existing, pod));
        for (NodeInfo node : cluster.nodesWithAffinity()) {
            List<PodInfo> pods = node.podsWithAffinity();
            for (int i = 0; i < pods.size(); i++) {
                List<String> keys = keysOf.get(pods.get(i));
                for (int k = 0; k < keys.size(); k++) {
                    addMatches(counts, keys.get(k), node.node().labels(), 1);
                }
            }
        }
        return counts;
    }

    /** Topology keys of the required anti-affinity terms of {@code owner} that mean {@code pod}, with repetitions. */
    private static List<String> antiAffinityKeys(PodInfo owner, PodInfo pod) {
        Affinity.PodTerms anti = owner.affinity().podAntiAffinity();
        if (anti == null || anti.required().isEmpty()) {
            return List.of();
        }
        List<String> keys = new ArrayList<>();
        for (PodAffinityTerm term : anti.required()) {
            if (term.matches(owner, pod)) {
                keys.add(term.topologyKey());
            }
        }
        return List.copyOf(keys);
    }

    @Override
    public Verdict check(NodeInfo node) {
        Labels labels = node.node().labels();
        int slot = index == null ? -1 : index.slotOf(node);
        if (existingAnti.anyAmong(labels, slot)) {
            return MatchInterPodAffinity.EXISTING_ANTI_AFFINITY_FAILS;
        }
        if (!terms.affinity().isEmpty() && !affinityHolds(labels, slot)) {
            return MatchInterPodAffinity.AFFINITY_FAILS;
        }
        if (antiAffinityViolated(labels, slot)) {
            return MatchInterPodAffinity.ANTI_AFFINITY_FAILS;
        }
        return Verdict.FITS;
    }

    private boolean affinityHolds(Labels labels, int slot) {
        for (int i = 0; i < terms.affinity().size(); i++) {
            if (affinity.get(terms.affinity().get(i).topologyKey(), labels, slot) <= 0) {
                // The first of a group whose members want each other has to start somewhere, with or without the label.
                return affinity.nothing() && terms.matchesItself();
            }
        }
        return true;
    }

    private boolean antiAffinityViolated(Labels labels, int slot) {
        for (int i = 0; i < terms.antiAffinity().size(); i++) {
            if (antiAffinity.get(terms.antiAffinity().get(i).topologyKey(), labels, slot) > 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean fitsUntilChanged() {
        return terms.affinity().isEmpty() && terms.antiAffinity().isEmpty() && existingAnti.isEmpty();
    }

    @Override
    public PodFilter copy() {
        return new InterPodAffinityFilter(
                terms,
                index,
                existingAnti.copy(),
                affinity.copy(),
                antiAffinity.copy(),
                new HashSet<>(countedByEveryTerm));
    }

    @Override
    public @Nullable String addPod(PodInfo added, NodeInfo node) {
        Affinity.PodTerms anti = added.affinity().podAntiAffinity();
        String error = anti == null ? null : firstError(anti.required());
        if (error == null) {
            change(added, node.node().labels(), 1);
        }
        return error;
    }

    @Override
    public @Nullable String removePod(PodInfo removed, NodeInfo node) {
        change(removed, node.node().labels(), -1);
        return null;
    }

    private void change(PodInfo changed, Labels labels, int sign) {
        for (String key : antiAffinityKeys(changed, terms.pod())) {
            addIfLabelled(existingAnti, key, labels, sign);
        }
        // A nominated pod is bound to no node yet and so counts for its own anti-affinity only.
        if (changed.nodeName().isEmpty()) {
            return;
        }
        if (!terms.affinity().isEmpty() && matchesAll(terms.affinity(), changed)) {
            for (PodTermMatcher term : terms.affinity()) {
                addIfLabelled(affinity, term.topologyKey(), labels, sign);
            }
        }
        if (!terms.antiAffinity().isEmpty()) {
            changeAntiAffinity(changed, labels, sign);
        }
    }

    /**
     * v1.17 counts a pod at the start by the terms that it matches, but a pod added later by every term as soon as it matches
     * one. It has to be taken away in the way in which it came.
     */
    private void changeAntiAffinity(PodInfo changed, Labels labels, int sign) {
        String id = changed.namespace() + "/" + changed.name();
        boolean everyTerm = sign > 0 || countedByEveryTerm.contains(id);
        if (everyTerm && !(terms.antiAffinityValid() && matchesAny(terms.antiAffinity(), changed))) {
            return;
        }
        for (PodTermMatcher term : terms.antiAffinity()) {
            if (everyTerm || term.matches(changed)) {
                addIfLabelled(antiAffinity, term.topologyKey(), labels, sign);
            }
        }
        if (sign > 0) {
            countedByEveryTerm.add(id);
        } else {
            countedByEveryTerm.remove(id);
        }
    }

    private static void addIfLabelled(AdjustedCounts counts, String key, Labels labels, int amount) {
        String value = labels.get(key);
        if (value != null) {
            counts.add(key, value, amount);
        }
    }

    private static boolean matchesAll(List<PodTermMatcher> matchers, PodInfo pod) {
        for (int i = 0; i < matchers.size(); i++) {
            if (!matchers.get(i).matches(pod)) {
                return false;
            }
        }
        return !matchers.isEmpty();
    }

    private static boolean matchesAny(List<PodTermMatcher> matchers, PodInfo pod) {
        for (int i = 0; i < matchers.size(); i++) {
            if (matchers.get(i).matches(pod)) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable String firstError(List<PodAffinityTerm> terms) {
        for (PodAffinityTerm term : terms) {
            if (term.selector() != null && term.selector().error() != null) {
                return term.selector().error();
            }
        }
        return null;
    }
}
