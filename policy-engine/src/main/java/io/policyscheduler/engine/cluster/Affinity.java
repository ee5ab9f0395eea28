package io.policyscheduler.engine.cluster;

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

    /**
     * Terms of podAffinity or podAntiAffinity.
     *
     * @param required all must hold
     * @param preferred each adds its weight
     */
    public record PodTerms(List<PodAffinityTerm> required, List<WeightedPodTerm> preferred) {
        public PodTerms {
            required = List.copyOf(required);
            preferred = List.copyOf(preferred);
        }

        private boolean selectsNamespaces() {
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
