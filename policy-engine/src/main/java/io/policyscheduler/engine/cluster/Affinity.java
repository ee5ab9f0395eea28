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
    }

    /** A weighted inter-pod preference. */
    public record WeightedPodTerm(int weight, PodAffinityTerm term) {}
}
