package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.placement.PodAffinityTerms.required;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.index.PodQuery.PodTermConjunction;
import io.policyscheduler.engine.cluster.index.PodsWithAffinity;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.index.SlotPredicate.TopologyPodsPredicate;
import io.policyscheduler.engine.cluster.index.TopologyCounts;
import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
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

/**
 * Required inter-pod affinity and anti-affinity of an incoming pod, and required anti-affinity of running pods. Three tables count
 * pods by topology pair (node label key and value): pods whose anti-affinity matches the incoming pod, pods that match all of its
 * affinity terms, and pods that match its anti-affinity terms. The counts come from the index of the cluster or, if it is not
 * applicable, from iterating over all pods. AddPod and RemovePod change the counts of a {@link #copy}.
 *
 * <p>Mirrors {@code podAffinityMetadata} of {@code algorithm/predicates/metadata.go} for {@link Rules#V1_17}, else
 * {@code preFilterState} of {@code pkg/scheduler/framework/plugins/interpodaffinity/filtering.go}. Release 1.17 differs from later
 * ones in three ways: the first pod of a group that matches its own terms may run on a node without the topology keys; a nominated
 * pod, which is not bound yet, counts for its own anti-affinity only; and a pod that a trial adds counts for every anti-affinity
 * term as soon as it matches one.
 */
public final class RequiredPodAffinity {
    /** The result for a node. */
    public enum Result {
        /** The node is feasible. */
        PASSES,
        /** No pod in the domain matches a required affinity term of the pod. */
        AFFINITY,
        /** A pod in the domain matches a required anti-affinity term of the pod. */
        ANTI_AFFINITY,
        /** A pod in the domain has a required anti-affinity term that matches the pod. */
        EXISTING_ANTI_AFFINITY
    }

    /** The maximum number of terms with counts in the index, to limit memory use. */
    private static final int FEW = 8;

    /** The rules of a release. */
    public enum Rules {
        /** 1.17. */
        V1_17(true, false, true),
        /** 1.18: the same, but each added pod counts only for the terms that it matches. */
        V1_18(true, false, true),
        /** Later releases, for a policy: the terms of other pods come first. */
        EXISTING_FIRST(true, true, false),
        /** Since 1.19. */
        V1_19(false, true, false);

        /** Whether the terms of other pods are evaluated before the own ones, which determines the reason. */
        private final boolean existingFirst;

        private final boolean needsKeys;
        /** Whether own terms ignore added and removed pods that are not bound. */
        private final boolean ignoresNominated;

        Rules(boolean existingFirst, boolean needsKeys, boolean ignoresNominated) {
            this.existingFirst = existingFirst;
            this.needsKeys = needsKeys;
            this.ignoresNominated = ignoresNominated;
        }
    }

    private final PodAffinityTerms terms;
    private final Rules rules;

    private final PodTermConjunction affinity;
    private final PodTermIndex antiAffinity;
    /** The index for slots of nodes; null if all pods were iterated. */
    private final @Nullable ClusterIndex index;

    private final PairCounts avoiding;
    private final PairCounts matching;
    private final PairCounts avoided;
    /** Pods that {@link #add} has counted for every anti-affinity term; by namespace/name. */
    private final Set<String> countedByEveryTerm;

    /** Counts the pods of the cluster. */
    public RequiredPodAffinity(PodAffinityTerms terms, ClusterView cluster, Rules rules) {
        PodInfo pod = terms.pod();
        this.terms = terms;
        this.rules = rules;
        this.affinity = new PodTermConjunction(required(pod.affinity().podAffinity()), terms::own);
        Affinity.PodTerms anti = pod.affinity().podAntiAffinity();
        this.antiAffinity = anti == null ? PodTermIndex.EMPTY : anti.requiredIndex();
        this.index = terms.index();
        this.avoiding = new PairCounts(index);
        this.matching = new PairCounts(index);
        this.avoided = new PairCounts(index);
        this.countedByEveryTerm = new HashSet<>(0);
        if (index == null) {
            countByScan(cluster);
        } else {
            countByIndex(index);
        }
        avoiding.freeze();
        matching.freeze();
        avoided.freeze();
    }

    private RequiredPodAffinity(RequiredPodAffinity other) {
        this.terms = other.terms;
        this.rules = other.rules;
        this.affinity = other.affinity;
        this.antiAffinity = other.antiAffinity;
        this.index = other.index;
        this.avoiding = new PairCounts(other.avoiding);
        this.matching = new PairCounts(other.matching);
        this.avoided = new PairCounts(other.avoided);
        this.countedByEveryTerm = new HashSet<>(other.countedByEveryTerm);
    }

    /** An independent copy, which shares the initial counts. */
    public RequiredPodAffinity copy() {
        return new RequiredPodAffinity(this);
    }

    private void countByIndex(ClusterIndex of) {
        PodInfo pod = terms.pod();
        List<PodAffinityTerm> requested = required(pod.affinity().podAffinity());
        if (requested.stream().allMatch(term -> term.selector() != null)) {
            for (String key : affinity.topologyKeys()) {
                if (of.topologyKeys().contains(key)) {
                    matching.addShared(
                            key, of.counts(PodQuery.allOf(pod, requested)).byValue(key));
                }
            }
        }
        List<PodAffinityTerm> unwanted = required(pod.affinity().podAntiAffinity());
        if (unwanted.size() > FEW) {
            countAvoided(of);
        } else {
            for (PodAffinityTerm term : unwanted) {
                String key = term.topologyKey();
                if (term.selector() != null && of.topologyKeys().contains(key)) {
                    avoided.addShared(
                            key, of.counts(PodQuery.allOf(pod, List.of(term))).byValue(key));
                }
            }
        }
        for (PodsWithAffinity.GroupTerms owners : of.affinityOwners().termsMatching(pod)) {
            if (owners.kind() == PodsWithAffinity.Kind.REQUIRED_ANTI) {
                String key = owners.topologyKey();
                owners.group().addTo(avoiding.ownCounts(key), of.topology(key), owners.terms());
            }
        }
    }

    private void countAvoided(ClusterIndex of) {
        for (int slot : of.order()) {
            NodeInfo node = of.at(slot);
            Labels labels = node == null ? Labels.EMPTY : labels(node);
            for (int i = 0; node != null && i < labels.size(); i++) {
                String key = labels.key(i);
                long found = 0;
                for (int p = 0; antiAffinity.termsOf(key) > 0 && p < node.podCount(); p++) {
                    found += antiAffinity
                            .meaning(key, node.pod(p).labels(), own(node.pod(p)))
                            .terms();
                }
                if (found > 0) {
                    avoided.ownCounts(key)[of.topology(key).at(slot)] += found;
                }
            }
        }
    }

    private void countByScan(ClusterView cluster) {
        for (NodeInfo node : cluster.nodesWithAffinity()) {
            List<PodInfo> pods = node.podsWithAffinity();
            for (int i = 0; i < pods.size(); i++) {
                countAvoiding(pods.get(i), labels(node), 1);
            }
        }
        if (hasTerms()) {
            for (NodeInfo node : cluster.nodes()) {
                for (int i = 0; i < node.podCount(); i++) {
                    countMatching(node.pod(i), labels(node), 1);
                    count(avoided, antiAffinity, node.pod(i).labels(), own(node.pod(i)), labels(node), 1);
                }
            }
        }
    }

    private static Labels labels(NodeInfo node) {
        return node.node().labels();
    }

    private NamespaceRule own(PodInfo other) {
        return terms.own(other.namespace());
    }

    /** Adds the terms that match a pod with these labels to the pairs of a node. */
    private static void count(
            PairCounts counts, PodTermIndex terms, Labels pod, NamespaceRule rule, Labels node, long sign) {
        if (terms.topologyKeys().isEmpty()) {
            return;
        }
        for (int i = 0; i < node.size(); i++) {
            long matching = terms.meaning(node.key(i), pod, rule).terms();
            if (matching > 0) {
                counts.add(node.key(i), node.value(i), sign * matching);
            }
        }
    }

    private void countAvoiding(PodInfo owner, Labels node, int sign) {
        Affinity.PodTerms anti = owner.affinity().podAntiAffinity();
        if (anti != null && !anti.required().isEmpty()) {
            count(avoiding, anti.requiredIndex(), terms.pod().labels(), terms.ofOthers(owner.namespace()), node, sign);
        }
    }

    private void countMatching(PodInfo other, Labels node, int sign) {
        if (affinity.matches(other)) {
            for (int i = 0; i < node.size(); i++) {
                if (affinity.topologyKeys().contains(node.key(i))) {
                    matching.add(node.key(i), node.value(i), sign);
                }
            }
        }
    }

    private boolean hasTerms() {
        return !affinity.isEmpty() || !antiAffinity.topologyKeys().isEmpty();
    }

    /** Returns true if every node passes, until the counts are changed. */
    public boolean passesAll() {
        return avoiding.isEmpty() && !hasTerms();
    }

    /** Adds a pod to the node. */
    public void add(PodInfo added, NodeInfo node) {
        change(added, labels(node), 1);
    }

    /** Removes a pod from the node. */
    public void remove(PodInfo removed, NodeInfo node) {
        change(removed, labels(node), -1);
    }

    private void change(PodInfo changed, Labels node, int sign) {
        countAvoiding(changed, node, sign);
        if (rules.ignoresNominated && changed.nodeName().isEmpty()) {
            return;
        }
        countMatching(changed, node, sign);
        if (rules == Rules.V1_17) {
            changeAvoidedByEveryTerm(changed, node, sign);
        } else {
            count(avoided, antiAffinity, changed.labels(), own(changed), node, sign);
        }
    }

    /** In 1.17: a pod must be subtracted in the same way as it was added. */
    private void changeAvoidedByEveryTerm(PodInfo changed, Labels node, int sign) {
        Affinity.PodTerms anti = terms.pod().affinity().podAntiAffinity();
        if (anti == null || anti.required().isEmpty()) {
            return;
        }
        String id = changed.namespace() + "/" + changed.name();
        if (sign < 0 && !countedByEveryTerm.remove(id)) {
            count(avoided, antiAffinity, changed.labels(), own(changed), node, sign);
        } else if (anti.requiredError() == null && antiAffinity.meansAny(changed.labels(), own(changed))) {
            for (int i = 0; i < node.size(); i++) {
                long all = antiAffinity.termsOf(node.key(i));
                if (all > 0) {
                    avoided.add(node.key(i), node.value(i), sign * all);
                }
            }
            if (sign > 0) {
                countedByEveryTerm.add(id);
            }
        }
    }

    /** Returns whether the node passes, else the first reason. */
    public Result check(NodeInfo node) {
        Labels labels = labels(node);
        int slot = index == null ? NodeInfo.NO_SLOT : index.slotOf(node);
        if (rules.existingFirst && avoiding.anyAmong(labels, slot)) {
            return Result.EXISTING_ANTI_AFFINITY;
        }
        if (!affinity.isEmpty() && !hasMatching(labels, slot)) {
            return Result.AFFINITY;
        }
        if (avoided.anyAmong(labels, slot)) {
            return Result.ANTI_AFFINITY;
        }
        return !rules.existingFirst && avoiding.anyAmong(labels, slot) ? Result.EXISTING_ANTI_AFFINITY : Result.PASSES;
    }

    private boolean hasMatching(Labels node, int slot) {
        boolean everywhere = true;
        for (String key : affinity.topologyKeys()) {
            if (matching.isAbove0(key, node, slot)) {
                continue;
            }
            if (rules.needsKeys && !node.has(key)) {
                return false;
            }
            everywhere = false;
        }
        return everywhere || isFirstOfGroup();
    }

    /** Whether the pod may be the first one of a group whose pods require each other. */
    private boolean isFirstOfGroup() {
        return matching.isEmpty() && affinity.matches(terms.pod());
    }

    /** Returns a test of the nodes of the index by slot; null for another index, or if the counts were changed. */
    @SuppressWarnings("ReferenceEquality") // slots are valid for one index
    public @Nullable SlotPredicate bySlot(ClusterIndex of) {
        if (index != of || avoiding.isChanged() || avoided.isChanged() || matching.isChanged()) {
            return null;
        }
        List<SlotPredicate> tests = new ArrayList<>(2);
        avoiding.addTestsForNone(tests);
        avoided.addTestsForNone(tests);
        boolean isFirst = !affinity.isEmpty() && isFirstOfGroup();
        for (String key : affinity.topologyKeys()) {
            if (!isFirst) {
                tests.add(matching.testForAny(key));
            } else if (rules.needsKeys) {
                TopologyColumn column = of.topology(key);
                tests.add(slot -> column.at(slot) != TopologyColumn.NONE);
            }
        }
        return SlotPredicate.all(tests);
    }

    /** Pod counts by topology pair: initial counts, which copies share, and changes. A pair with count 0 does not exist. */
    private static final class PairCounts {
        private final @Nullable ClusterIndex index;
        /** Keys of counts by value number; the counts belong to the index unless {@link #own}. */
        private final List<String> keys;

        private final List<TopologyColumn> columns;
        private final List<long[]> byValue;
        private final Set<String> own;
        /** Counts from iterating over pods. */
        private TopologyCounts scanned;

        private TopologyCounts changes = new TopologyCounts();
        private int pairs;

        PairCounts(@Nullable ClusterIndex index) {
            this.index = index;
            this.keys = new ArrayList<>(1);
            this.columns = new ArrayList<>(1);
            this.byValue = new ArrayList<>(1);
            this.own = new HashSet<>(0);
            this.scanned = new TopologyCounts();
        }

        PairCounts(PairCounts other) {
            this.index = other.index;
            this.keys = other.keys;
            this.columns = other.columns;
            this.byValue = other.byValue;
            this.own = other.own;
            this.scanned = other.scanned;
            this.changes = other.changes.copy();
            this.pairs = other.pairs;
        }

        /** Adds counts of the index, which must not be modified. */
        void addShared(String key, long[] counts) {
            if (keys.contains(key)) {
                long[] sum = ownCounts(key);
                for (int i = 0; i < sum.length; i++) {
                    sum[i] += counts[i];
                }
            } else if (index != null) {
                keys.add(key);
                columns.add(index.topology(key));
                byValue.add(counts);
            }
        }

        /** The counts of a key, mutable until {@link #freeze}. */
        long[] ownCounts(String key) {
            int at = keys.indexOf(key);
            if (at < 0 && index != null) {
                at = keys.size();
                addShared(key, new long[index.topology(key).valueCount()]);
                own.add(key);
            } else if (own.add(key)) {
                byValue.set(at, byValue.get(at).clone());
            }
            return byValue.get(at);
        }

        /** Completes the initial counts. */
        void freeze() {
            scanned = changes;
            changes = new TopologyCounts();
            for (long[] counts : byValue) {
                for (long count : counts) {
                    pairs += count == 0 ? 0 : 1;
                }
            }
        }

        void add(String key, String value, long amount) {
            long before = get(key, value);
            changes.add(key, value, amount);
            pairs += (before + amount == 0 ? 0 : 1) - (before == 0 ? 0 : 1);
        }

        boolean isEmpty() {
            return pairs == 0;
        }

        boolean isChanged() {
            return !changes.isEmpty();
        }

        long get(String key, String value) {
            long count = scanned.isEmpty() ? 0 : scanned.get(key, value);
            count += changes.isEmpty() ? 0 : changes.get(key, value);
            int at = keys.indexOf(key);
            int number = at < 0 ? TopologyColumn.NONE : columns.get(at).numberOf(value);
            return number == TopologyColumn.NONE ? count : count + byValue.get(at)[number];
        }

        /** Returns true if the pair of this key in the labels has a count above 0; {@code slot} of their node, or negative. */
        boolean isAbove0(String key, Labels labels, int slot) {
            if (slot >= 0 && changes.isEmpty()) {
                int at = keys.indexOf(key);
                return at >= 0 && isAbove0(at, slot);
            }
            String value = labels.get(key);
            return value != null && get(key, value) > 0;
        }

        private boolean isAbove0(int at, int slot) {
            int number = columns.get(at).at(slot);
            return number != TopologyColumn.NONE && byValue.get(at)[number] > 0;
        }

        /** Returns true if one of the labels is a pair with a count above 0; {@code slot} of their node, or negative. */
        boolean anyAmong(Labels labels, int slot) {
            if (pairs == 0) {
                return false;
            }
            if (slot >= 0 && changes.isEmpty()) {
                for (int i = 0; i < keys.size(); i++) {
                    if (isAbove0(i, slot)) {
                        return true;
                    }
                }
                return false;
            }
            return anyAmong(keys, labels) || anyAmong(scanned.keys(), labels) || anyAmong(changes.keys(), labels);
        }

        private boolean anyAmong(List<String> of, Labels labels) {
            for (int i = 0; i < of.size(); i++) {
                if (isAbove0(of.get(i), labels, NodeInfo.NO_SLOT)) {
                    return true;
                }
            }
            return false;
        }

        void addTestsForNone(List<? super TopologyPodsPredicate> tests) {
            for (int i = 0; i < keys.size(); i++) {
                tests.add(new TopologyPodsPredicate(columns.get(i), byValue.get(i), false));
            }
        }

        SlotPredicate testForAny(String key) {
            int at = keys.indexOf(key);
            return at < 0 ? slot -> false : new TopologyPodsPredicate(columns.get(at), byValue.get(at), true);
        }
    }
}
