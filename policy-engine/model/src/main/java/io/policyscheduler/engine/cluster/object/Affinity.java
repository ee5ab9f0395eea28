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

    /** True when some term of inter-pod affinity or anti-affinity means namespaces by their labels. */
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
        // Made when first asked for; two threads that make it at once make the same.
        private volatile @Nullable PodTermIndex requiredIndex;
        private volatile @Nullable PodTermIndex preferredIndex;

        /**
         * @param required all must hold
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

        /** All must hold. */
        public List<PodAffinityTerm> required() {
            return required;
        }

        /** Each adds its weight. */
        public List<WeightedPodTerm> preferred() {
            return preferred;
        }

        /** Why the first required term cannot be evaluated whose selector of pods is invalid; null when all are valid. */
        public @Nullable String requiredError() {
            return requiredError;
        }

        /** The same of the preferred terms. */
        public @Nullable String preferredError() {
            return preferredError;
        }

        /** The required terms, each with weight 1, ready to be asked about many pods. */
        public PodTermIndex requiredIndex() {
            PodTermIndex index = requiredIndex;
            if (index == null) {
                index = PodTermIndex.ofRequired(required);
                requiredIndex = index;
            }
            return index;
        }

        /** The preferred terms, ready to be asked about many pods. */
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
     * @param selector pods meant; null matches no pod
     * @param namespaces namespaces meant; empty = the namespace of the pod that owns the term
     * @param topologyKey node label that says what "same place" means
     * @param namespaceSelector further namespaces by label (releases after 1.20); null = none. v1.17 ignores it
     */
    public record PodAffinityTerm(
            @Nullable LabelSelector selector,
            List<String> namespaces,
            String topologyKey,
            @Nullable LabelSelector namespaceSelector) {
        public PodAffinityTerm {
            namespaces = LookupList.copyOf(namespaces);
        }

        /** True when {@code pod} is one of the pods meant by this term of {@code owner}; topology is not looked at. */
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
     * Terms of inter-pod affinity, ready to be asked about many pods: by topology key, how many of them mean a pod. A pod may say
     * thousands of terms, and each later decision asks about them; so the answer costs about as much as the labels of the pod asked
     * about, not as much as the terms. Equal terms count as often as they are there. Immutable.
     */
    public static final class PodTermIndex {
        /** No terms. */
        public static final PodTermIndex EMPTY = new PodTermIndex(List.of(), List.of());

        /**
         * The terms of one topology key that mean a pod.
         *
         * @param terms their number, 0 when none does
         * @param weight the sum of their weights
         */
        public record Meant(long terms, long weight) {
            static final Meant NOTHING = new Meant(0, 0);
        }

        /** Whether the namespace of the pod asked about is one that a term means. */
        @FunctionalInterface
        public interface NamespaceRule {
            /**
             * @param names the names that the term gives
             * @param selector its selector of namespaces; null = none
             */
            boolean covers(List<String> names, @Nullable LabelSelector selector);

            /** As v1.17 reads terms: no name means the namespace of the owner, and selectors do not exist. */
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

        /** How many terms have a topology key. */
        public long termsOf(String topologyKey) {
            return numbers.getOrDefault(topologyKey, 0L);
        }

        /** The terms of {@code topologyKey} that mean a pod with these labels; topology is not looked at. */
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

        /** True when some term means the pod, whatever its topology key. */
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
