package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodsWithAffinity;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex.NamespaceRule;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The affinity terms for an incoming pod: its own terms and those of other pods, with the rules of a release. Mirrors
 * {@code mergeAffinityTermNamespacesIfNotEmpty} of {@code pkg/scheduler/framework/plugins/interpodaffinity/plugin.go} and
 * {@code AffinityTerm.Matches} of {@code pkg/scheduler/framework/types.go}. Thread-safe.
 */
public final class PodAffinityTerms {
    /** The namespaces that a term applies to, by release. */
    public enum Reading {
        /** 1.17: the listed namespaces, else that of the term's owner; a namespace selector has no effect. */
        NAMES,
        /** In addition, the namespaces whose labels match the namespace selector. An empty selector matches all namespaces. */
        SELECTORS,
        /**
         * 1.34 and newer: in own terms of the incoming pod, each selector that matches a namespace without labels, such as {@code NotIn},
         * matches all namespaces, also those that it excludes.
         */
        SELECTORS_WITHOUT_LABELS
    }

    private final PodInfo pod;
    private final ClusterView cluster;
    private final Reading reading;
    private final Labels namespaceLabels;
    private final Map<String, NamespaceRule> ownRules = new ConcurrentHashMap<>();

    /** The terms for {@code pod} in this cluster. A missing namespace counts as one without labels. */
    public PodAffinityTerms(PodInfo pod, ClusterView cluster, Reading reading) {
        this.pod = pod;
        this.cluster = cluster;
        this.reading = reading;
        NamespaceInfo namespace = reading == Reading.NAMES ? null : cluster.namespace(pod.namespace());
        this.namespaceLabels = namespace == null ? Labels.EMPTY : namespace.labels();
    }

    /** The incoming pod. */
    public PodInfo pod() {
        return pod;
    }

    /** Returns the required terms; empty for null. */
    public static List<PodAffinityTerm> required(Affinity.@Nullable PodTerms terms) {
        return terms == null ? List.of() : terms.required();
    }

    /** Returns whether the pod prefers or avoids other pods. */
    public static boolean hasPreferences(PodInfo pod) {
        return !preferred(pod.affinity().podAffinity()).topologyKeys().isEmpty()
                || !preferred(pod.affinity().podAntiAffinity()).topologyKeys().isEmpty();
    }

    static PodTermIndex preferred(Affinity.@Nullable PodTerms terms) {
        return terms == null ? PodTermIndex.EMPTY : terms.preferredIndex();
    }

    /** Returns the first error of a selector in these terms, or null. */
    public static @Nullable String selectorError(Affinity affinity) {
        for (Affinity.PodTerms terms : Arrays.asList(affinity.podAffinity(), affinity.podAntiAffinity())) {
            if (terms == null) {
                continue;
            }
            List<PodAffinityTerm> all = new ArrayList<>(terms.required());
            terms.preferred().forEach(weighted -> all.add(weighted.term()));
            for (PodAffinityTerm term : all) {
                for (LabelSelector selector : Arrays.asList(term.selector(), term.namespaceSelector())) {
                    if (selector != null && selector.error() != null) {
                        return selector.error();
                    }
                }
            }
        }
        return null;
    }

    /**
     * The index of the cluster, if its pod counts are applicable: selectors are valid, and no namespace selector has an effect;
     * else null.
     */
    @Nullable
    ClusterIndex index() {
        ClusterIndex index = cluster.index();
        if (index == null) {
            return null;
        }
        PodsWithAffinity owners = index.affinityOwners();
        boolean byName =
                reading == Reading.NAMES || !(pod.affinity().selectsNamespaces() || owners.anySelectsNamespaces());
        return byName && !owners.anyInvalid() ? index : null;
    }

    /** Whether terms of the incoming pod apply to a namespace. */
    public NamespaceRule own(String namespace) {
        return reading == Reading.NAMES
                ? NamespaceRule.first(pod.namespace(), namespace)
                : ownRules.computeIfAbsent(namespace, OwnRule::new);
    }

    /** Whether terms of a pod in {@code ownersNamespace} apply to the namespace of the incoming pod. */
    public NamespaceRule ofOthers(String ownersNamespace) {
        NamespaceRule byName = NamespaceRule.first(ownersNamespace, pod.namespace());
        return reading == Reading.NAMES
                ? byName
                : (names, selector) -> selector == null
                        ? byName.covers(names, null)
                        : names.contains(pod.namespace()) || selector.matches(namespaceLabels);
    }

    private final class OwnRule implements NamespaceRule {
        private final String namespace;
        private final @Nullable NamespaceInfo info;
        private final Map<LabelSelector, Boolean> selected = new ConcurrentHashMap<>();

        OwnRule(String namespace) {
            this.namespace = namespace;
            this.info = cluster.namespace(namespace);
        }

        @Override
        public boolean covers(List<String> names, @Nullable LabelSelector selector) {
            if (selector == null) {
                return names.isEmpty() ? pod.namespace().equals(namespace) : names.contains(namespace);
            }
            return names.contains(namespace) || selected.computeIfAbsent(selector, this::isSelected);
        }

        private boolean isSelected(LabelSelector selector) {
            boolean everywhere = reading == Reading.SELECTORS ? selector.isEmpty() : selector.matches(Labels.EMPTY);
            return everywhere || (info != null && selector.matches(info.labels()));
        }
    }
}
