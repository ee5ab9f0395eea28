package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.Labels.LookupList;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.cluster.selector.TermSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code spec.affinity} of a pod.
 *
 * @param requiredNode ORed terms of the required node affinity; null = no constraint, empty = no node matches
 * @param preferredNode weighted node preferences; empty when none
 * @param podAffinity null when the object is absent; an object without terms still counts as "pod with affinity"
 * @param podAntiAffinity likewise
 */
public record Affinity(
        @Nullable List<NodeSelectorTerm> requiredNode,
        List<PreferredNodeTerm> preferredNode,
        @Nullable PodTerms podAffinity,
        @Nullable PodTerms podAntiAffinity) {
    /** No affinity at all. */
    public static final Affinity NONE = new Affinity(null, List.of(), null, null);

    public Affinity {
        requiredNode = requiredNode == null ? null : List.copyOf(requiredNode);
        preferredNode = List.copyOf(preferredNode);
    }

    /** True if some term of inter-pod affinity or anti-affinity has a namespace selector. */
    public boolean selectsNamespaces() {
        return (podAffinity != null && podAffinity.selectsNamespaces())
                || (podAntiAffinity != null && podAntiAffinity.selectsNamespaces());
    }

    /** A weighted node preference. */
    public record PreferredNodeTerm(int weight, NodeSelectorTerm term) {}

    /** Terms of podAffinity or podAntiAffinity. Immutable. */
    public static final class PodTerms {
        private final List<PodAffinityTerm> required;
        private final List<WeightedPodTerm> preferred;
        private final int hash;
        private final boolean selectsNamespaces;
        private final @Nullable String requiredError;
        private final @Nullable String preferredError;
        // Created on first use; two threads that create it concurrently create equal ones.
        private volatile @Nullable PodTermIndex requiredIndex;
        private volatile @Nullable PodTermIndex preferredIndex;

        /**
         * @param required all must match
         * @param preferred each adds its weight
         */
        public PodTerms(List<PodAffinityTerm> required, List<WeightedPodTerm> preferred) {
            this.required = List.copyOf(required);
            this.preferred = List.copyOf(preferred);
            this.hash = 31 * this.required.hashCode() + this.preferred.hashCode();
            this.selectsNamespaces = anySelectsNamespaces();
            this.requiredError = firstError(this.required);
            this.preferredError = firstError(
                    this.preferred.stream().map(WeightedPodTerm::term).toList());
        }

        private static @Nullable String firstError(List<PodAffinityTerm> terms) {
            for (PodAffinityTerm term : terms) {
                if (term.selector() != null && term.selector().error() != null) {
                    return term.selector().error();
                }
            }
            return null;
        }

        /** The required terms, all of which must match. */
        public List<PodAffinityTerm> required() {
            return required;
        }

        /** The preferred terms with their weights. */
        public List<WeightedPodTerm> preferred() {
            return preferred;
        }

        /** The error of the first required term with an invalid selector; null if all are valid. */
        public @Nullable String requiredError() {
            return requiredError;
        }

        /** The error of the first preferred term with an invalid selector; null if all are valid. */
        public @Nullable String preferredError() {
            return preferredError;
        }

        /** The required terms, each with weight 1, indexed to match many pods. */
        public PodTermIndex requiredIndex() {
            PodTermIndex index = requiredIndex;
            if (index == null) {
                index = PodTermIndex.ofRequired(required);
                requiredIndex = index;
            }
            return index;
        }

        /** The preferred terms, indexed to match many pods. */
        public PodTermIndex preferredIndex() {
            PodTermIndex index = preferredIndex;
            if (index == null) {
                index = PodTermIndex.ofPreferred(preferred);
                preferredIndex = index;
            }
            return index;
        }

        private boolean selectsNamespaces() {
            return selectsNamespaces;
        }

        @Override
        public boolean equals(@Nullable Object o) {
            return this == o
                    || (o instanceof PodTerms other
                            && hash == other.hash
                            && required.equals(other.required)
                            && preferred.equals(other.preferred));
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public String toString() {
            return "PodTerms[required=" + required + ", preferred=" + preferred + "]";
        }

        private boolean anySelectsNamespaces() {
            for (int i = 0; i < required.size(); i++) {
                if (required.get(i).namespaceSelector() != null) {
                    return true;
                }
            }
            for (int i = 0; i < preferred.size(); i++) {
                if (preferred.get(i).term().namespaceSelector() != null) {
                    return true;
                }
            }
            return false;
        }
    }

    /** A weighted inter-pod preference. */
    public record WeightedPodTerm(int weight, PodAffinityTerm term) {}

    /**
     * One term of inter-pod affinity.
     *
     * @param selector of pods; null matches no pod
     * @param namespaces of pods; empty for the namespace of the pod that owns the term
     * @param topologyKey node label key that defines the topology domain
     * @param namespaceSelector selector of additional namespaces (releases after 1.20); null for none. v1.17 ignores it
     */
    public record PodAffinityTerm(
            @Nullable LabelSelector selector,
            List<String> namespaces,
            String topologyKey,
            @Nullable LabelSelector namespaceSelector) {
        public PodAffinityTerm {
            namespaces = LookupList.copyOf(namespaces);
        }

        /** True if this term of {@code owner} matches {@code pod}, ignoring topology. */
        public boolean matches(PodInfo owner, PodInfo pod) {
            if (selector == null) {
                return false;
            }
            boolean namespace = namespaces.isEmpty()
                    ? owner.namespace().equals(pod.namespace())
                    : namespaces.contains(pod.namespace());
            return namespace && selector.matches(pod.labels());
        }
    }

    /**
     * Terms of inter-pod affinity, indexed by topology key to count those that match a pod. A pod can have thousands of terms,
     * which each later decision evaluates, so the cost depends on the number of labels of the incoming pod, not on the number of
     * terms. Equal terms count repeatedly. Immutable.
     */
    public static final class PodTermIndex {
        /** No terms. */
        public static final PodTermIndex EMPTY = new PodTermIndex(List.of(), List.of());

        /**
         * The terms of one topology key that match a pod.
         *
         * @param terms their number, 0 for none
         * @param weight the sum of their weights
         */
        public record Meant(long terms, long weight) {
            static final Meant NOTHING = new Meant(0, 0);
        }

        /** Whether a term selects the namespace of the incoming pod. */
        @FunctionalInterface
        public interface NamespaceRule {
            /**
             * @param names the namespaces of the term
             * @param selector its namespace selector; null for none
             */
            boolean covers(List<String> names, @Nullable LabelSelector selector);

            /** The rule of v1.17: no name means the namespace of the owner, and selectors are ignored. */
            static NamespaceRule first(String ownersNamespace, String namespace) {
                return (names, selector) ->
                        names.isEmpty() ? ownersNamespace.equals(namespace) : names.contains(namespace);
            }
        }

        private record Namespaces(
                List<String> names, @Nullable LabelSelector selector) {}

        private final Map<String, TermSet> byKey = new LinkedHashMap<>();
        private final Map<String, Long> numbers = new HashMap<>();
        private final List<Namespaces> namespaces = new ArrayList<>(1);

        private PodTermIndex(List<PodAffinityTerm> terms, List<Integer> weights) {
            Map<String, TermSet.Builder> builders = new LinkedHashMap<>();
            Map<Namespaces, Integer> groups = new HashMap<>();
            for (int i = 0; i < terms.size(); i++) {
                PodAffinityTerm term = terms.get(i);
                numbers.merge(term.topologyKey(), 1L, Long::sum);
                LabelSelector selector = term.selector();
                TermSet.Builder builder = builders.computeIfAbsent(term.topologyKey(), key -> new TermSet.Builder());
                if (selector != null) {
                    Namespaces here = new Namespaces(term.namespaces(), term.namespaceSelector());
                    Integer group = groups.get(here);
                    if (group == null) {
                        group = namespaces.size();
                        groups.put(here, group);
                        namespaces.add(here);
                    }
                    builder.add(selector, group, weights.get(i));
                }
            }
            builders.forEach((key, builder) -> byKey.put(key, builder.build()));
        }

        /** Terms of weight 1 each. */
        public static PodTermIndex ofRequired(Collection<PodAffinityTerm> terms) {
            return terms.isEmpty()
                    ? EMPTY
                    : new PodTermIndex(
                            List.copyOf(terms), terms.stream().map(term -> 1).toList());
        }

        /** Terms with their weights. */
        public static PodTermIndex ofPreferred(Collection<Affinity.WeightedPodTerm> terms) {
            return terms.isEmpty()
                    ? EMPTY
                    : new PodTermIndex(
                            terms.stream().map(Affinity.WeightedPodTerm::term).toList(),
                            terms.stream().map(Affinity.WeightedPodTerm::weight).toList());
        }

        /** The topology keys of the terms, in the order of their first use. */
        public Set<String> topologyKeys() {
            return byKey.keySet();
        }

        /** The number of terms with a topology key. */
        public long termsOf(String topologyKey) {
            return numbers.getOrDefault(topologyKey, 0L);
        }

        /** The terms of {@code topologyKey} that match a pod with these labels, ignoring topology. */
        public Meant meaning(String topologyKey, Labels labels, NamespaceRule rule) {
            TermSet terms = byKey.get(topologyKey);
            if (terms == null) {
                return Meant.NOTHING;
            }
            TermSet.Sum sum = terms.of(labels, group -> {
                Namespaces of = namespaces.get(group);
                return rule.covers(of.names(), of.selector());
            });
            return sum.terms() == 0 ? Meant.NOTHING : new Meant(sum.terms(), sum.weight());
        }

        /** True if some term matches the pod, with any topology key. */
        public boolean meansAny(Labels labels, NamespaceRule rule) {
            for (String key : byKey.keySet()) {
                if (meaning(key, labels, rule).terms() > 0) {
                    return true;
                }
            }
            return false;
        }
    }
}
