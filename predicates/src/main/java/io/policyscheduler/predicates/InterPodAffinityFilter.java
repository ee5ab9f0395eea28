package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.AffinityOwners;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.index.PodQuery.PodTermConjunction;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.index.TopologyCounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex.NamespaceRule;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Inter-pod affinity answered from counts of pods by topology pair. */
final class InterPodAffinityFilter implements PodFilter {
    /** More terms than this are not asked for one by one. */
    private static final int FEW = 8;

    /** What does not change during an attempt: the pod and its own required terms. */
    private record Terms(
            PodInfo pod,
            PodTermConjunction affinity,
            PodTermIndex antiAffinity,
            boolean antiAffinityValid,
            boolean matchesItself) {
        static Terms of(PodInfo pod) {
            PodTermConjunction own =
                    PodTermConjunction.of(pod, required(pod.affinity().podAffinity()));
            Affinity.PodTerms anti = pod.affinity().podAntiAffinity();
            return new Terms(
                    pod,
                    own,
                    anti == null ? PodTermIndex.EMPTY : anti.requiredIndex(),
                    anti == null || anti.requiredError() == null,
                    own.matches(pod));
        }

        boolean hasAntiAffinity() {
            return !antiAffinity.topologyKeys().isEmpty();
        }

        /** How many terms of anti-affinity and of this topology key mean a pod. */
        long avoiding(String topologyKey, PodInfo other) {
            return antiAffinity
                    .meaning(topologyKey, other.labels(), NamespaceRule.first(pod.namespace(), other.namespace()))
                    .terms();
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
        if (!required.isEmpty() && allHaveSelectors(required)) {
            PodCounts counts = index.counts(PodQuery.allOf(pod, required));
            for (String key : terms.affinity().topologyKeys()) {
                if (index.topologyKeys().contains(key)) {
                    affinity.add(key, counts.byValue(key));
                }
            }
        }
        PairCounts.Indexed antiAffinity = new PairCounts.Indexed(index);
        List<PodAffinityTerm> avoided = required(pod.affinity().podAntiAffinity());
        if (avoided.size() > FEW) {
            countAvoided(terms, index, antiAffinity);
        } else {
            for (PodAffinityTerm term : avoided) {
                if (term.selector() != null && index.topologyKeys().contains(term.topologyKey())) {
                    antiAffinity.add(
                            term.topologyKey(),
                            index.counts(PodQuery.allOf(pod, List.of(term))).byValue(term.topologyKey()));
                }
            }
        }
        PairCounts.Indexed existingAnti = new PairCounts.Indexed(index);
        for (AffinityOwners.Interest interest : index.affinityOwners().interestIn(pod)) {
            if (interest.kind() == AffinityOwners.Kind.REQUIRED_ANTI) {
                interest.group()
                        .addTo(
                                existingAnti.ownCounts(interest.topologyKey()),
                                index.topology(interest.topologyKey()),
                                interest.terms());
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

    /** Counts that others would share are not worth their room where there are thousands of them. */
    private static void countAvoided(Terms terms, ClusterIndex index, PairCounts.Indexed counts) {
        for (int slot : index.order()) {
            NodeInfo node = index.at(slot);
            Labels labels = node == null ? Labels.EMPTY : node.node().labels();
            for (int i = 0; node != null && i < labels.size(); i++) {
                long found = avoidedOn(terms, node, labels.key(i));
                if (found > 0) {
                    String key = labels.key(i);
                    counts.ownCounts(key)[index.topology(key).at(slot)] += found;
                }
            }
        }
    }

    private static long avoidedOn(Terms terms, NodeInfo node, String topologyKey) {
        long found = 0;
        if (terms.antiAffinity().termsOf(topologyKey) > 0) {
            for (int i = 0; i < node.podCount(); i++) {
                found += terms.avoiding(topologyKey, node.pod(i));
            }
        }
        return found;
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
        if (!terms.affinity().isEmpty() || terms.hasAntiAffinity()) {
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
        int matches = 0;
        for (int i = 0; i < node.podCount(); i++) {
            matches += terms.affinity().matches(node.pod(i)) ? 1 : 0;
        }
        for (int i = 0; i < labels.size(); i++) {
            String key = labels.key(i);
            if (matches > 0 && terms.affinity().topologyKeys().contains(key)) {
                affinity.add(key, labels.value(i), matches);
            }
            long avoided = avoidedOn(terms, node, key);
            if (avoided > 0) {
                antiAffinity.add(key, labels.value(i), avoided);
            }
        }
    }

    private static TopologyCounts countExistingAnti(PodInfo pod, ClusterView cluster) {
        TopologyCounts counts = new TopologyCounts();
        for (NodeInfo node : cluster.nodesWithAffinity()) {
            List<PodInfo> pods = node.podsWithAffinity();
            for (int i = 0; i < pods.size(); i++) {
                forRefusals(pods.get(i), pod, node.node().labels(), counts::add);
            }
        }
        return counts;
    }

    private interface PairVisitor {
        void visit(String key, String value, long terms);
    }

    /** Visits the pairs of a node by which required anti-affinity of {@code owner}, when there, means {@code pod}. */
    private static void forRefusals(PodInfo owner, PodInfo pod, Labels labels, PairVisitor visitor) {
        Affinity.PodTerms anti = owner.affinity().podAntiAffinity();
        if (anti == null || anti.required().isEmpty()) {
            return;
        }
        PodTermIndex terms = anti.requiredIndex();
        NamespaceRule rule = NamespaceRule.first(owner.namespace(), pod.namespace());
        for (int i = 0; i < labels.size(); i++) {
            long meant = terms.meaning(labels.key(i), pod.labels(), rule).terms();
            if (meant > 0) {
                visitor.visit(labels.key(i), labels.value(i), meant);
            }
        }
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
        for (String key : terms.affinity().topologyKeys()) {
            if (affinity.get(key, labels, slot) <= 0) {
                // The first of a group whose members want each other has to start somewhere, with or without the label.
                return affinity.nothing() && terms.matchesItself();
            }
        }
        return true;
    }

    private boolean antiAffinityViolated(Labels labels, int slot) {
        return terms.hasAntiAffinity() && antiAffinity.anyAmong(labels, slot);
    }

    @Override
    public boolean fitsUntilChanged() {
        return terms.affinity().isEmpty() && !terms.hasAntiAffinity() && existingAnti.isEmpty();
    }

    /** Nothing is counted that could be taken away, and pods are put back where they were. */
    @Override
    public boolean fitsTrials() {
        return fitsUntilChanged();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the slots of another index are other nodes
    public @Nullable SlotPredicate bySlot(ClusterIndex of) {
        boolean isUnchanged = existingAnti.isUnchanged() && affinity.isUnchanged() && antiAffinity.isUnchanged();
        if (index != of || !isUnchanged) {
            return null;
        }
        List<SlotPredicate> tests = new ArrayList<>(2);
        existingAnti.addTestsForNone(tests);
        // The first of a group whose members want each other has to start somewhere.
        if (!terms.affinity().isEmpty() && !(affinity.nothing() && terms.matchesItself())) {
            terms.affinity().topologyKeys().forEach(key -> tests.add(affinity.testForAny(key)));
        }
        if (terms.hasAntiAffinity()) {
            antiAffinity.addTestsForNone(tests);
        }
        return SlotPredicate.all(tests);
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
        String error = anti == null ? null : anti.requiredError();
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
        forRefusals(changed, terms.pod(), labels, (key, value, meant) -> existingAnti.add(key, value, sign * meant));
        // A nominated pod is bound to no node yet and so counts for its own anti-affinity only.
        if (changed.nodeName().isEmpty()) {
            return;
        }
        if (terms.affinity().matches(changed)) {
            for (int i = 0; i < labels.size(); i++) {
                if (terms.affinity().topologyKeys().contains(labels.key(i))) {
                    affinity.add(labels.key(i), labels.value(i), sign);
                }
            }
        }
        if (terms.hasAntiAffinity()) {
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
        if (everyTerm && !(terms.antiAffinityValid() && meansAny(changed))) {
            return;
        }
        for (int i = 0; i < labels.size(); i++) {
            String key = labels.key(i);
            long by = everyTerm ? terms.antiAffinity().termsOf(key) : terms.avoiding(key, changed);
            if (by > 0) {
                antiAffinity.add(key, labels.value(i), sign * by);
            }
        }
        if (sign > 0) {
            countedByEveryTerm.add(id);
        } else {
            countedByEveryTerm.remove(id);
        }
    }

    private boolean meansAny(PodInfo other) {
        return terms.antiAffinity()
                .meansAny(other.labels(), NamespaceRule.first(terms.pod().namespace(), other.namespace()));
    }
}
