package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.Affinity;
import io.policyscheduler.engine.cluster.AffinityMemo;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.IncomingPod;
import io.policyscheduler.engine.cluster.Labels;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodAffinityTerm;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.cluster.PodTermMatcher;
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

    private final IncomingPod incoming;
    private final List<PodTermMatcher> affinity;
    private final List<PodTermMatcher> antiAffinity;
    private final AffinityMemo<List<String>> keysAgainst;
    /** Pods that do not want the incoming one near them. */
    private final PairCounts refusing;
    /** Pods that the incoming one wants near it. */
    private final PairCounts wanted;
    /** Pods that the incoming one does not want near it. */
    private final PairCounts unwanted;

    RequiredPodAffinity(PodInfo pod, ClusterView cluster) {
        this.incoming = new IncomingPod(pod, cluster);
        this.affinity = PodTermMatcher.ofCurrent(pod, required(pod.affinity().podAffinity()), cluster);
        this.antiAffinity =
                PodTermMatcher.ofCurrent(pod, required(pod.affinity().podAntiAffinity()), cluster);
        this.keysAgainst = new AffinityMemo<>(this::keysAgainst);
        this.refusing = new PairCounts();
        this.wanted = new PairCounts();
        this.unwanted = new PairCounts();
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
        this.incoming = other.incoming;
        this.affinity = other.affinity;
        this.antiAffinity = other.antiAffinity;
        this.keysAgainst = other.keysAgainst;
        this.refusing = new PairCounts(other.refusing);
        this.wanted = new PairCounts(other.wanted);
        this.unwanted = new PairCounts(other.unwanted);
    }

    RequiredPodAffinity copy() {
        return new RequiredPodAffinity(this);
    }

    static List<PodAffinityTerm> required(Affinity.@Nullable PodTerms terms) {
        return terms == null ? List.of() : terms.required();
    }

    private boolean hasTerms() {
        return !affinity.isEmpty() || !antiAffinity.isEmpty();
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
        List<String> keys = keysAgainst.get(other);
        for (int i = 0; i < keys.size(); i++) {
            refusing.add(labels, keys.get(i), delta);
        }
    }

    private void countOwn(PodInfo other, Labels labels, int delta) {
        if (PodTermMatcher.allMatch(affinity, other)) {
            for (PodTermMatcher term : affinity) {
                wanted.add(labels, term.topologyKey(), delta);
            }
        }
        for (int i = 0; i < antiAffinity.size(); i++) {
            if (antiAffinity.get(i).matches(other)) {
                unwanted.add(labels, antiAffinity.get(i).topologyKey(), delta);
            }
        }
    }

    /** Counts a pod on the node, or with -1 no longer. */
    void update(PodInfo other, Labels labels, int delta) {
        countRefusal(other, labels, delta);
        countOwn(other, labels, delta);
    }

    Status check(Labels labels) {
        if (!affinity.isEmpty() && !satisfiesAffinity(labels)) {
            return NO_AFFINITY;
        }
        if (!unwanted.isEmpty()) {
            for (int i = 0; i < antiAffinity.size(); i++) {
                String key = antiAffinity.get(i).topologyKey();
                String value = labels.get(key);
                if (value != null && unwanted.get(key, value) > 0) {
                    return OWN_ANTI_AFFINITY;
                }
            }
        }
        return refusing.anyAbove0(labels) ? OTHERS_ANTI_AFFINITY : Status.SUCCESS;
    }

    private boolean satisfiesAffinity(Labels labels) {
        boolean allThere = true;
        for (int i = 0; i < affinity.size(); i++) {
            String key = affinity.get(i).topologyKey();
            String value = labels.get(key);
            if (value == null) {
                return false;
            }
            allThere &= wanted.get(key, value) > 0;
        }
        // The first pod of a group that wants to be together may go anywhere.
        return allThere || (wanted.isEmpty() && PodTermMatcher.allMatch(affinity, incoming.pod()));
    }
}
