package io.policyscheduler.engine.cluster.index;

import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.engine.cluster.selector.Labels.LookupList;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A query for existing pods: those that satisfy all conditions. Equal queries share their counts.
 *
 * @param conditions at least one
 * @param skipTerminating leaves out pods that are being deleted
 */
public record PodQuery(List<Condition> conditions, boolean skipTerminating) {
    private static final int LONG = 128;

    /** A selector that matches no pod: no value is in an empty set. */
    private static final PodQuery NOTHING = new PodQuery(
            List.of(new Condition(
                    List.of(), new LabelSelector(List.of(new LabelRequirement("", "In", List.of(), null))))),
            false);

    /**
     * Pods of some namespaces that match a selector.
     *
     * @param namespaces empty for all
     */
    public record Condition(List<String> namespaces, LabelSelector selector) {
        public Condition {
            namespaces = LookupList.copyOf(namespaces);
        }
    }

    public PodQuery {
        conditions = List.copyOf(conditions);
        if (conditions.isEmpty()) {
            throw new IllegalArgumentException("a query without conditions");
        }
    }

    /**
     * The pods that match all of these affinity terms of {@code owner}.
     *
     * @param terms at least one, each with a selector
     */
    public static PodQuery allOf(PodInfo owner, List<PodAffinityTerm> terms) {
        @Nullable Set<String> namespaces = null;
        for (PodAffinityTerm term : terms) {
            if (term.selector() == null) {
                throw new IllegalArgumentException("a term without a selector means no pod");
            }
            List<String> here = term.namespaces().isEmpty() ? List.of(owner.namespace()) : term.namespaces();
            if (namespaces == null) {
                namespaces = new LinkedHashSet<>(here);
            } else {
                namespaces.removeIf(name -> !here.contains(name));
            }
        }
        if (namespaces == null) {
            throw new IllegalArgumentException("a query without conditions");
        }
        if (namespaces.isEmpty()) {
            return NOTHING;
        }
        Condition condition = new Condition(new ArrayList<>(namespaces), PodTermConjunction.allOf(terms));
        return new PodQuery(List.of(condition), false);
    }

    /** True if it is unusually long, so that it is not cached. */
    boolean isLong() {
        int size = 0;
        for (Condition condition : conditions) {
            size += condition.namespaces().size();
            for (LabelRequirement requirement : condition.selector().requirements()) {
                size += 1 + requirement.values().size();
            }
        }
        return size > LONG;
    }

    /**
     * Pods of all namespaces that have a label.
     *
     * @param value null for any
     */
    public static PodQuery labelled(String key, @Nullable String value) {
        // Not validated: an invalid label value matches no pod.
        LabelRequirement requirement = value == null
                ? new LabelRequirement(key, "Exists", List.of(), null)
                : new LabelRequirement(key, "In", List.of(value), null);
        return new PodQuery(List.of(new Condition(List.of(), new LabelSelector(List.of(requirement)))), false);
    }

    /** Pods of a namespace that match a selector and are not being deleted. */
    public static PodQuery alive(String namespace, LabelSelector selector) {
        return new PodQuery(List.of(new Condition(List.of(namespace), selector)), true);
    }

    /**
     * The conjunction of required affinity terms. Their selectors are merged into one, so that matching a pod with thousands of
     * terms is as fast as with one.
     */
    public static final class PodTermConjunction {
        private record Namespaces(
                List<String> names, @Nullable LabelSelector selector) {}

        private final Set<Namespaces> namespaces = new LinkedHashSet<>();
        private final Set<String> topologyKeys = new LinkedHashSet<>();
        private final Function<String, PodTermIndex.NamespaceRule> rules;
        private final Map<String, Boolean> covered = new ConcurrentHashMap<>();
        /** Null if no pod can match. */
        private final @Nullable MemoizedSelector selector;

        /** @param rules the namespace rules for a pod's namespace */
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

        /** The terms of {@code owner} with the namespace rules of v1.17. */
        public static PodTermConjunction of(PodInfo owner, List<PodAffinityTerm> terms) {
            return new PodTermConjunction(
                    terms, namespace -> PodTermIndex.NamespaceRule.first(owner.namespace(), namespace));
        }

        /** The conjunction of the selectors of all terms that have one. */
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

        /** True if there are terms and the pod matches all of them, ignoring topology. */
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
}
