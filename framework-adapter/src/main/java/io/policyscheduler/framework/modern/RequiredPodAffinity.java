package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.PodTermMatcher;
import io.policyscheduler.engine.cluster.PodTermMatcher.IncomingPod;
import io.policyscheduler.engine.cluster.PodTermMatcher.OwnTerms;
import io.policyscheduler.engine.cluster.index.AffinityOwners.AffinityMemo;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodQuery.PodTermConjunction;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.index.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex.NamespaceRule;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which topology pairs required affinity and anti-affinity allow, for one incoming pod. Mirrors {@code preFilterState} of
 * {@code pkg/scheduler/framework/plugins/interpodaffinity/filtering.go}.
 */
final class RequiredPodAffinity {
    private static final Status NO_AFFINITY = Status.unresolvable("node(s) didn't match pod affinity rules");
    private static final Status OWN_ANTI_AFFINITY =
            Status.unschedulable("node(s) didn't match pod anti-affinity rules");
    private static final Status OTHERS_ANTI_AFFINITY =
            Status.unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

    /** What 1.18 to 1.21 report before each of these reasons. */
    private static final String AFFINITY_OR_ANTI_AFFINITY = "node(s) didn't match pod affinity/anti-affinity";

    /** A rejection as 1.18 to 1.21 report it, with two reasons. */
    static Status twice(Status rejection) {
        List<String> reasons = new ArrayList<>();
        reasons.add(AFFINITY_OR_ANTI_AFFINITY);
        reasons.addAll(rejection.reasons());
        return new Status(rejection.code(), List.copyOf(reasons));
    }

    /** More terms than this are not asked for one by one. */
    static final int FEW = IndexedAffinity.FEW;

    private final IncomingPod incoming;
    private final OwnTerms own;
    private final PodTermConjunction affinity;
    private final PodTermIndex antiAffinity;
    /** The same one by one, where there are few; otherwise null. */
    private final @Nullable List<PodTermMatcher> fewAvoided;

    private final AffinityMemo<List<String>> keysAgainst;
    /** Knows the slots of nodes; null when all pods were walked over. */
    private final @Nullable ClusterIndex index;
    /** Pods that do not want the incoming one near them. */
    private final PairTotals refusing;
    /** Pods that the incoming one wants near it. */
    private final PairTotals wanted;
    /** Pods that the incoming one does not want near it. */
    private final PairTotals unwanted;

    RequiredPodAffinity(PodInfo pod, ClusterView cluster) {
        this(pod, cluster, false);
    }

    /** @param exactNamespaces as for {@link OwnTerms} */
    RequiredPodAffinity(PodInfo pod, ClusterView cluster, boolean exactNamespaces) {
        this.incoming = new IncomingPod(pod, cluster);
        this.own = new OwnTerms(pod, cluster, exactNamespaces);
        this.affinity = new PodTermConjunction(required(pod.affinity().podAffinity()), own::ruleFor);
        Affinity.PodTerms anti = pod.affinity().podAntiAffinity();
        this.antiAffinity = anti == null ? PodTermIndex.EMPTY : anti.requiredIndex();
        this.fewAvoided = required(anti).size() <= FEW
                ? PodTermMatcher.ofCurrent(pod, required(anti), cluster, exactNamespaces)
                : null;
        this.keysAgainst = new AffinityMemo<>(this::keysAgainst);
        IndexedAffinity known = IndexedAffinity.of(pod, cluster);
        if (known != null) {
            this.index = known.index();
            this.refusing = new PairTotals(known.refusing(), index);
            this.wanted =
                    new PairTotals(known.meantByAll(required(pod.affinity().podAffinity())), index);
            this.unwanted = new PairTotals(known.meantByEach(required(anti)), index);
            return;
        }
        this.index = null;
        this.refusing = new PairTotals();
        this.wanted = new PairTotals();
        this.unwanted = new PairTotals();
        for (NodeInfo node : cluster.nodesWithAffinity()) {
            List<PodInfo> pods = node.podsWithAffinity();
            for (int i = 0; i < pods.size(); i++) {
                countRefusal(pods.get(i), node.node().labels(), 1);
            }
        }
        if (hasTerms()) {
            for (NodeInfo node : cluster.nodes()) {
                Labels labels = node.node().labels();
                for (int i = 0; i < node.podCount(); i++) {
                    countOwn(node.pod(i), labels, 1);
                }
            }
        }
    }

    private RequiredPodAffinity(RequiredPodAffinity other) {
        this.index = other.index;
        this.incoming = other.incoming;
        this.own = other.own;
        this.fewAvoided = other.fewAvoided;
        this.affinity = other.affinity;
        this.antiAffinity = other.antiAffinity;
        this.keysAgainst = other.keysAgainst;
        this.refusing = new PairTotals(other.refusing);
        this.wanted = new PairTotals(other.wanted);
        this.unwanted = new PairTotals(other.unwanted);
    }

    RequiredPodAffinity copy() {
        return new RequiredPodAffinity(this);
    }

    static List<PodAffinityTerm> required(Affinity.@Nullable PodTerms terms) {
        return terms == null ? List.of() : terms.required();
    }

    private boolean hasTerms() {
        return !affinity.isEmpty() || !antiAffinity.topologyKeys().isEmpty();
    }

    /** True when no node can be ruled out. */
    boolean saysNothing() {
        return refusing.isEmpty() && !hasTerms();
    }

    /** Topology keys of the terms by which the owner refuses the incoming pod, one for each term. */
    private List<String> keysAgainst(PodInfo owner) {
        List<String> keys = new ArrayList<>();
        for (PodAffinityTerm term : required(owner.affinity().podAntiAffinity())) {
            if (incoming.isMeantBy(owner, term)) {
                keys.add(term.topologyKey());
            }
        }
        return List.copyOf(keys);
    }

    private void countRefusal(PodInfo other, Labels labels, int delta) {
        Affinity.PodTerms anti = other.affinity().podAntiAffinity();
        if (anti != null && anti.required().size() > FEW) {
            NamespaceRule rule = incoming.ruleOf(other.namespace());
            for (int i = 0; i < labels.size(); i++) {
                String key = labels.key(i);
                long terms = anti.requiredIndex()
                        .meaning(key, incoming.pod().labels(), rule)
                        .terms();
                if (terms > 0) {
                    refusing.add(labels, key, delta * terms);
                }
            }
            return;
        }
        List<String> keys = keysAgainst.get(other);
        for (int i = 0; i < keys.size(); i++) {
            refusing.add(labels, keys.get(i), delta);
        }
    }

    private void countOwn(PodInfo other, Labels labels, int delta) {
        if (affinity.matches(other)) {
            for (int i = 0; i < labels.size(); i++) {
                if (affinity.topologyKeys().contains(labels.key(i))) {
                    wanted.add(labels, labels.key(i), delta);
                }
            }
        }
        if (fewAvoided == null) {
            NamespaceRule rule = own.ruleFor(other.namespace());
            for (int i = 0; i < labels.size(); i++) {
                long terms = antiAffinity
                        .meaning(labels.key(i), other.labels(), rule)
                        .terms();
                if (terms > 0) {
                    unwanted.add(labels, labels.key(i), delta * terms);
                }
            }
            return;
        }
        for (int i = 0; i < fewAvoided.size(); i++) {
            if (fewAvoided.get(i).matches(other)) {
                unwanted.add(labels, fewAvoided.get(i).topologyKey(), delta);
            }
        }
    }

    /** Counts a pod on the node, or with -1 no longer. */
    void update(PodInfo other, Labels labels, int delta) {
        countRefusal(other, labels, delta);
        countOwn(other, labels, delta);
    }

    /** Which nodes of the index pass, by their slots; null when that is not known, or something has been added or taken away. */
    @Nullable
    SlotPredicate bySlot() {
        ClusterIndex of = index;
        if (of == null || !refusing.isKept() || !unwanted.isKept() || !wanted.isKept()) {
            return null;
        }
        List<SlotPredicate> tests = new ArrayList<>(2);
        refusing.addTestsForNone(tests);
        unwanted.addTestsForNone(tests);
        boolean isFirst = wanted.isEmpty() && affinity.matches(incoming.pod());
        for (String key : affinity.topologyKeys()) {
            TopologyColumn column = of.topology(key);
            tests.add(isFirst ? slot -> column.at(slot) != TopologyColumn.NONE : wanted.testForAny(key));
        }
        return SlotPredicate.all(tests);
    }

    Status check(NodeInfo node) {
        Labels labels = node.node().labels();
        int slot = index == null ? NodeInfo.NO_SLOT : index.slotOf(node);
        if (!affinity.isEmpty() && !satisfiesAffinity(labels)) {
            return NO_AFFINITY;
        }
        if (unwanted.anyAbove0(labels, slot)) {
            return OWN_ANTI_AFFINITY;
        }
        return refusing.anyAbove0(labels, slot) ? OTHERS_ANTI_AFFINITY : Status.SUCCESS;
    }

    private boolean satisfiesAffinity(Labels labels) {
        boolean allThere = true;
        for (String key : affinity.topologyKeys()) {
            String value = labels.get(key);
            if (value == null) {
                return false;
            }
            allThere &= wanted.get(key, value) > 0;
        }
        // The first pod of a group that wants to be together may go anywhere.
        return allThere || (wanted.isEmpty() && affinity.matches(incoming.pod()));
    }
}
