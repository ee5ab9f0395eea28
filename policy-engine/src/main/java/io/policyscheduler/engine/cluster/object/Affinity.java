package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
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
}
