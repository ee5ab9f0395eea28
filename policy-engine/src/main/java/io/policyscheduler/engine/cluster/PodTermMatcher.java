package io.policyscheduler.engine.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A term of inter-pod affinity of one pod, made ready for comparison with many other pods. Gives the answers of
 * {@link PodAffinityTerm#matches}, remembering them by label set.
 */
public final class PodTermMatcher {
    private final PodAffinityTerm term;
    private final String ownerNamespace;
    private final @Nullable MemoizedSelector selector;

    /** The term {@code term} of {@code owner}. */
    public PodTermMatcher(PodInfo owner, PodAffinityTerm term) {
        this.term = term;
        this.ownerNamespace = owner.namespace();
        this.selector = term.selector() == null ? null : new MemoizedSelector(term.selector());
    }

    /** One matcher for each term, in order. */
    public static List<PodTermMatcher> of(PodInfo owner, List<PodAffinityTerm> terms) {
        List<PodTermMatcher> matchers = new ArrayList<>(terms.size());
        for (PodAffinityTerm term : terms) {
            matchers.add(new PodTermMatcher(owner, term));
        }
        return List.copyOf(matchers);
    }

    /** Node label that says what "same place" means. */
    public String topologyKey() {
        return term.topologyKey();
    }

    /** True when {@code pod} is in the term's namespaces and matches its selector; topology is not looked at. */
    public boolean matches(PodInfo pod) {
        if (selector == null) {
            return false;
        }
        boolean namespace = term.namespaces().isEmpty()
                ? ownerNamespace.equals(pod.namespace())
                : term.namespaces().contains(pod.namespace());
        return namespace && selector.matches(pod.labels());
    }

    /** Number of pods on {@code node} that match. */
    public int countOn(NodeInfo node) {
        int count = 0;
        for (int i = 0; i < node.podCount(); i++) {
            if (matches(node.pod(i))) {
                count++;
            }
        }
        return count;
    }
}
