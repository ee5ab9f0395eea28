package io.policyscheduler.engine.cluster.index;

import io.policyscheduler.engine.cluster.object.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodTermIndex;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Terms of required affinity, all of which have to mean a pod: their selectors are one selector, so that a pod is compared with
 * thousands of terms as quickly as with one.
 */
public final class PodTermConjunction {
    private record Namespaces(List<String> names, @Nullable LabelSelector selector) {}

    private final Set<Namespaces> namespaces = new LinkedHashSet<>();
    private final Set<String> topologyKeys = new LinkedHashSet<>();
    private final Function<String, PodTermIndex.NamespaceRule> rules;
    private final Map<String, Boolean> covered = new ConcurrentHashMap<>();
    /** Null when no pod can match. */
    private final @Nullable MemoizedSelector selector;

    /** @param rules what the terms make of a pod's namespace */
    public PodTermConjunction(List<PodAffinityTerm> terms, Function<String, PodTermIndex.NamespaceRule> rules) {
        this.rules = rules;
        boolean possible = !terms.isEmpty();
        for (PodAffinityTerm term : terms) {
            topologyKeys.add(term.topologyKey());
            namespaces.add(new Namespaces(term.namespaces(), term.namespaceSelector()));
            possible &= term.selector() != null;
        }
        this.selector = possible ? new MemoizedSelector(allOf(terms)) : null;
    }

    /** As v1.17 reads the terms of {@code owner}. */
    public static PodTermConjunction of(PodInfo owner, List<PodAffinityTerm> terms) {
        return new PodTermConjunction(
                terms, namespace -> PodTermIndex.NamespaceRule.first(owner.namespace(), namespace));
    }

    /** One selector for those of all terms that have one. */
    static LabelSelector allOf(List<PodAffinityTerm> terms) {
        if (terms.size() == 1) {
            LabelSelector only = terms.get(0).selector();
            return only == null ? LabelSelector.EVERYTHING : only;
        }
        Set<LabelRequirement> requirements = new LinkedHashSet<>();
        for (PodAffinityTerm term : terms) {
            if (term.selector() != null) {
                requirements.addAll(term.selector().requirements());
            }
        }
        return new LabelSelector(new ArrayList<>(requirements));
    }

    /** True when there are no terms. */
    public boolean isEmpty() {
        return topologyKeys.isEmpty();
    }

    /** The topology keys of the terms, each once. */
    public Set<String> topologyKeys() {
        return topologyKeys;
    }

    /** True when there are terms and all of them mean the pod; topology is not looked at. */
    public boolean matches(PodInfo pod) {
        return selector != null && selector.matches(pod.labels()) && isCovered(pod.namespace());
    }

    private boolean isCovered(String namespace) {
        Boolean known = covered.get(namespace);
        if (known == null) {
            PodTermIndex.NamespaceRule rule = rules.apply(namespace);
            known = namespaces.stream().allMatch(of -> rule.covers(of.names(), of.selector()));
            covered.put(namespace, known);
        }
        return known;
    }
}
