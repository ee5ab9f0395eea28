package io.policyscheduler.engine.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which existing pods are meant: those that satisfy all conditions. Equal queries share their counts.
 *
 * @param conditions at least one
 * @param skipTerminating leaves out pods that are being deleted
 */
public record PodQuery(List<Condition> conditions, boolean skipTerminating) {
    /**
     * Pods of some namespaces that match a selector.
     *
     * @param namespaces empty for all
     */
    public record Condition(List<String> namespaces, LabelSelector selector) {
        public Condition {
            namespaces = List.copyOf(namespaces);
        }
    }

    public PodQuery {
        conditions = List.copyOf(conditions);
        if (conditions.isEmpty()) {
            throw new IllegalArgumentException("a query without conditions");
        }
    }

    /**
     * The pods that all of these affinity terms of {@code owner} mean.
     *
     * @param terms at least one, each with a selector
     */
    public static PodQuery allOf(PodInfo owner, List<PodAffinityTerm> terms) {
        List<Condition> conditions = new ArrayList<>(terms.size());
        for (PodAffinityTerm term : terms) {
            LabelSelector selector = term.selector();
            if (selector == null) {
                throw new IllegalArgumentException("a term without a selector means no pod");
            }
            conditions.add(new Condition(
                    term.namespaces().isEmpty() ? List.of(owner.namespace()) : term.namespaces(), selector));
        }
        return new PodQuery(conditions, false);
    }

    /**
     * Pods of all namespaces that have a label.
     *
     * @param value null for any
     */
    public static PodQuery labelled(String key, @Nullable String value) {
        // Taken as it is: what no pod can have as a label is found on none.
        LabelRequirement requirement = value == null
                ? new LabelRequirement(key, "Exists", List.of(), null)
                : new LabelRequirement(key, "In", List.of(value), null);
        return new PodQuery(List.of(new Condition(List.of(), new LabelSelector(List.of(requirement)))), false);
    }

    /** Pods of a namespace that match a selector and are not being deleted. */
    public static PodQuery alive(String namespace, LabelSelector selector) {
        return new PodQuery(List.of(new Condition(List.of(namespace), selector)), true);
    }
}
