package io.policyscheduler.priorities;

import io.policyscheduler.engine.cluster.Affinity;
import io.policyscheduler.engine.cluster.AffinityMemo;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.IncomingPod;
import io.policyscheduler.engine.cluster.Labels;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodAffinityTerm;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.cluster.PodTermMatcher;
import io.policyscheduler.engine.cluster.TopologyCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Adds up by topology pair how much existing pods attract or repel an incoming pod, and how much it likes or avoids them. */
final class AffinitySums {
    /** A preference of the incoming pod; {@code weight} is negative for anti-affinity. */
    private record Preference(PodTermMatcher term, int weight) {}

    /** What an existing pod adds to the topology value of its node. */
    private record Pull(String topologyKey, int weight) {}

    /** What an existing pod's terms add up to; {@code valid} is false when a selector cannot be evaluated. */
    private record Pulls(List<Pull> pulls, boolean valid) {
        static final Pulls NONE = new Pulls(List.of(), true);
        static final Pulls INVALID = new Pulls(List.of(), false);
    }

    /** How the terms of existing pods are read. */
    private interface Meaning {
        boolean meant(PodInfo owner, PodAffinityTerm term);
    }

    private final Meaning meaning;
    private final int hardWeight;
    private final List<Preference> preferences = new ArrayList<>();
    private final AffinityMemo<Pulls> pullsOf = new AffinityMemo<>(this::pullsFrom);
    private boolean preferencesValid = true;

    private AffinitySums(
            PodInfo pod, int hardWeight, Meaning meaning, Function<PodAffinityTerm, PodTermMatcher> ownTerms) {
        this.meaning = meaning;
        this.hardWeight = hardWeight;
        addPreferences(pod.affinity().podAffinity(), 1, ownTerms);
        addPreferences(pod.affinity().podAntiAffinity(), -1, ownTerms);
    }

    /** By the rules of v1.17, for which selectors of namespaces do not exist. */
    static AffinitySums of(PodInfo pod, int hardWeight) {
        return new AffinitySums(
                pod, hardWeight, (owner, term) -> term.matches(owner, pod), term -> new PodTermMatcher(pod, term));
    }

    /** By the rules of current releases. */
    static AffinitySums ofCurrent(PodInfo pod, int hardWeight, ClusterView cluster) {
        return new AffinitySums(
                pod,
                hardWeight,
                new IncomingPod(pod, cluster)::isMeantBy,
                term -> PodTermMatcher.ofCurrent(pod, term, cluster));
    }

    private void addPreferences(
            Affinity.@Nullable PodTerms terms, int sign, Function<PodAffinityTerm, PodTermMatcher> ownTerms) {
        if (terms != null) {
            for (Affinity.WeightedPodTerm weighted : terms.preferred()) {
                preferences.add(new Preference(ownTerms.apply(weighted.term()), sign * weighted.weight()));
                preferencesValid &= isValid(weighted.term());
            }
        }
    }

    /** False when a selector of the pod's own preferences cannot be evaluated. */
    boolean preferencesAreValid() {
        return preferencesValid;
    }

    /** The sums over all pods of the cluster; empty when nothing applies or an examined selector is invalid. */
    TopologyCounts over(ClusterView cluster) {
        TopologyCounts sums = new TopologyCounts();
        // Pods without affinity matter to the pod's own preferences only.
        for (NodeInfo node : preferences.isEmpty() ? cluster.nodesWithAffinity() : cluster.nodes()) {
            Labels labels = node.node().labels();
            if (labels.isEmpty() || node.podCount() == 0) {
                continue;
            }
            if (!preferencesValid) {
                return new TopologyCounts();
            }
            for (Preference preference : preferences) {
                String value = labels.get(preference.term().topologyKey());
                int matches = value == null ? 0 : preference.term().countOn(node);
                if (value != null && matches > 0) {
                    sums.add(preference.term().topologyKey(), value, (long) matches * preference.weight());
                }
            }
            if (!addPullsOn(node, labels, sums)) {
                return new TopologyCounts();
            }
        }
        return sums;
    }

    private boolean addPullsOn(NodeInfo node, Labels labels, TopologyCounts sums) {
        List<PodInfo> pods = node.podsWithAffinity();
        for (int i = 0; i < pods.size(); i++) {
            Pulls pulls = pullsOf.get(pods.get(i));
            if (!pulls.valid()) {
                return false;
            }
            for (int p = 0; p < pulls.pulls().size(); p++) {
                Pull pull = pulls.pulls().get(p);
                String value = labels.get(pull.topologyKey());
                if (value != null) {
                    sums.add(pull.topologyKey(), value, pull.weight());
                }
            }
        }
        return true;
    }

    private Pulls pullsFrom(PodInfo existing) {
        List<Affinity.WeightedPodTerm> terms = new ArrayList<>();
        Affinity.PodTerms affinity = existing.affinity().podAffinity();
        if (affinity != null) {
            if (hardWeight > 0) {
                affinity.required().forEach(term -> terms.add(new Affinity.WeightedPodTerm(hardWeight, term)));
            }
            terms.addAll(affinity.preferred());
        }
        Affinity.PodTerms anti = existing.affinity().podAntiAffinity();
        if (anti != null) {
            anti.preferred()
                    .forEach(weighted -> terms.add(new Affinity.WeightedPodTerm(-weighted.weight(), weighted.term())));
        }
        List<Pull> pulls = new ArrayList<>(terms.size());
        for (Affinity.WeightedPodTerm weighted : terms) {
            if (!isValid(weighted.term())) {
                return Pulls.INVALID;
            }
            if (meaning.meant(existing, weighted.term())) {
                pulls.add(new Pull(weighted.term().topologyKey(), weighted.weight()));
            }
        }
        return pulls.isEmpty() ? Pulls.NONE : new Pulls(List.copyOf(pulls), true);
    }

    private static boolean isValid(PodAffinityTerm term) {
        return term.selector() == null || term.selector().error() == null;
    }
}
