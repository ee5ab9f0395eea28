package io.policyscheduler.priorities;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.PodTermMatcher.IncomingPod;
import io.policyscheduler.engine.cluster.PodTermMatcher.OwnTerms;
import io.policyscheduler.engine.cluster.index.TopologyCounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex.Meant;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex.NamespaceRule;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Adds up by topology pair how much existing pods attract or repel an incoming pod, and how much it likes or avoids them. */
final class AffinitySums {
    private final PodInfo pod;
    private final int hardWeight;
    /** How terms of a pod of this namespace see the namespace of the incoming pod. */
    private final Function<String, NamespaceRule> rulesOfOthers;
    /** How terms of the incoming pod see this namespace. */
    private final Function<String, NamespaceRule> ownRules;

    private AffinitySums(
            PodInfo pod,
            int hardWeight,
            Function<String, NamespaceRule> rulesOfOthers,
            Function<String, NamespaceRule> ownRules) {
        this.pod = pod;
        this.hardWeight = hardWeight;
        this.rulesOfOthers = rulesOfOthers;
        this.ownRules = ownRules;
    }

    /** By the rules of v1.17, for which selectors of namespaces do not exist. */
    static AffinitySums of(PodInfo pod, int hardWeight) {
        return new AffinitySums(
                pod,
                hardWeight,
                owner -> NamespaceRule.first(owner, pod.namespace()),
                other -> NamespaceRule.first(pod.namespace(), other));
    }

    /** By the rules of current releases. */
    static AffinitySums ofCurrent(PodInfo pod, int hardWeight, ClusterView cluster) {
        return new AffinitySums(
                pod, hardWeight, new IncomingPod(pod, cluster)::ruleOf, new OwnTerms(pod, cluster, true)::ruleFor);
    }

    /** False when a selector of the pod's own preferences cannot be evaluated. */
    static boolean preferencesAreValid(PodInfo pod) {
        return areValid(pod.affinity().podAffinity()) && areValid(pod.affinity().podAntiAffinity());
    }

    private static boolean areValid(Affinity.@Nullable PodTerms terms) {
        return terms == null || terms.preferredError() == null;
    }

    /** The sums over all pods of the cluster; empty when nothing applies or an examined selector is invalid. */
    TopologyCounts over(ClusterView cluster) {
        TopologyCounts sums = new TopologyCounts();
        PodTermIndex liked = preferences(pod.affinity().podAffinity());
        PodTermIndex avoided = preferences(pod.affinity().podAntiAffinity());
        boolean hasPreferences =
                !liked.topologyKeys().isEmpty() || !avoided.topologyKeys().isEmpty();
        boolean preferencesValid = preferencesAreValid(pod);
        // Pods without affinity matter to the pod's own preferences only.
        for (NodeInfo node : hasPreferences ? cluster.nodes() : cluster.nodesWithAffinity()) {
            Labels labels = node.node().labels();
            if (labels.isEmpty() || node.podCount() == 0) {
                continue;
            }
            if (!preferencesValid) {
                return new TopologyCounts();
            }
            addPreferences(liked, 1, node, sums);
            addPreferences(avoided, -1, node, sums);
            if (!addPullsOn(node, labels, sums)) {
                return new TopologyCounts();
            }
        }
        return sums;
    }

    private static PodTermIndex preferences(Affinity.@Nullable PodTerms terms) {
        return terms == null ? PodTermIndex.EMPTY : terms.preferredIndex();
    }

    private void addPreferences(PodTermIndex terms, int sign, NodeInfo node, TopologyCounts sums) {
        if (terms.topologyKeys().isEmpty()) {
            return;
        }
        for (int i = 0; i < node.podCount(); i++) {
            PodInfo other = node.pod(i);
            add(
                    terms,
                    ownRules.apply(other.namespace()),
                    other.labels(),
                    sign,
                    node.node().labels(),
                    sums);
        }
    }

    private boolean addPullsOn(NodeInfo node, Labels labels, TopologyCounts sums) {
        List<PodInfo> pods = node.podsWithAffinity();
        for (int i = 0; i < pods.size(); i++) {
            PodInfo existing = pods.get(i);
            Affinity.PodTerms affinity = existing.affinity().podAffinity();
            Affinity.PodTerms anti = existing.affinity().podAntiAffinity();
            if (!areValid(affinity)
                    || !areValid(anti)
                    || (affinity != null && hardWeight > 0 && affinity.requiredError() != null)) {
                return false;
            }
            NamespaceRule rule = rulesOfOthers.apply(existing.namespace());
            if (affinity != null) {
                if (hardWeight > 0) {
                    add(affinity.requiredIndex(), rule, pod.labels(), hardWeight, labels, sums);
                }
                add(affinity.preferredIndex(), rule, pod.labels(), 1, labels, sums);
            }
            if (anti != null) {
                add(anti.preferredIndex(), rule, pod.labels(), -1, labels, sums);
            }
        }
        return true;
    }

    /** Adds to the pairs of a node what terms say about a pod with these labels. */
    private static void add(
            PodTermIndex terms, NamespaceRule rule, Labels pod, int factor, Labels node, TopologyCounts sums) {
        if (terms.topologyKeys().isEmpty()) {
            return;
        }
        for (int i = 0; i < node.size(); i++) {
            Meant meant = terms.meaning(node.key(i), pod, rule);
            if (meant.terms() > 0) {
                sums.add(node.key(i), node.value(i), factor * meant.weight());
            }
        }
    }
}
