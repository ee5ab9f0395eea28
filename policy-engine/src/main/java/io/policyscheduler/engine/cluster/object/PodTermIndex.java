package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
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
 * Terms of inter-pod affinity, ready to be asked about many pods: by topology key, how many of them mean a pod. A pod may say
 * thousands of terms, and each later decision asks about them; so the answer costs about as much as the labels of the pod asked
 * about, not as much as the terms. Equal terms count as often as they are there. Immutable.
 */
public final class PodTermIndex {
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
            return (names, selector) -> names.isEmpty() ? ownersNamespace.equals(namespace) : names.contains(namespace);
        }
    }

    private record Namespaces(List<String> names, @Nullable LabelSelector selector) {}

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
