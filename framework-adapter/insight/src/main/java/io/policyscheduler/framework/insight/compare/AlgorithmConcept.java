package io.policyscheduler.framework.insight.compare;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The common concept of algorithms with the same purpose in different releases: {@code PodToleratesNodeTaints} and the filter of
 * {@code TaintToleration} share one. An algorithm without a counterpart is its own concept.
 *
 * @param role the kind of algorithm
 * @param name of the current plugin, else of the algorithm itself
 */
record AlgorithmConcept(Role role, String name) implements Comparable<AlgorithmConcept> {
    private static final ImmutableMap<String, String> FILTERS = concepts(KnownAlgorithms.predicateRows());
    private static final ImmutableMap<String, String> SCORES = concepts(KnownAlgorithms.priorityRows());
    /** The plugins in the reason of nodes that PreFilter excludes. */
    private static final Pattern NARROWING = Pattern.compile("didn't satisfy plugin(?:\\(s\\) \\[(.*)]| (\\S+)).*");

    /** The kinds of algorithms. */
    public enum Role {
        /** Predicates and filter plugins. */
        FILTER("filter"),
        /** Priorities and score plugins. */
        SCORE("score");

        private final String word;

        Role(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    @Override
    public int compareTo(AlgorithmConcept other) {
        int byRole = role.compareTo(other.role);
        return byRole == 0 ? name.compareTo(other.name) : byRole;
    }

    /** For users, e.g. {@code TaintToleration filter}. */
    @Override
    public String toString() {
        return name + " " + role;
    }

    /** The concepts of a filter; several for GeneralPredicates. */
    public static ImmutableSet<AlgorithmConcept> ofFilter(String name) {
        return KnownAlgorithms.parts(name).stream()
                .map(part -> new AlgorithmConcept(AlgorithmConcept.Role.FILTER, FILTERS.getOrDefault(part, part)))
                .collect(ImmutableSet.toImmutableSet());
    }

    /** The concepts that rejected a node; empty if unknown. */
    public static Set<AlgorithmConcept> rejecting(NodeFailure failure) {
        Set<AlgorithmConcept> concepts = new LinkedHashSet<>();
        String plugin = failure.plugin();
        if (plugin != null && plugin.equals(KnownAlgorithms.GENERAL_PREDICATES)) {
            for (KnownAlgorithm part : KnownAlgorithms.pluginRows(plugin)) {
                if (failure.reasons().stream().anyMatch(part::gives)) {
                    concepts.addAll(ofFilter(part.name()));
                }
            }
        }
        for (String reason : failure.reasons()) {
            Matcher narrowing = NARROWING.matcher(reason);
            if (narrowing.find()) {
                String names = narrowing.group(1) == null ? narrowing.group(2) : narrowing.group(1);
                Splitter.on(' ').split(names).forEach(name -> concepts.addAll(ofFilter(name)));
            }
        }
        if (concepts.isEmpty() && plugin != null && !plugin.isEmpty()) {
            concepts.addAll(ofFilter(plugin));
        }
        return concepts;
    }

    /** The concept of a score. */
    public static AlgorithmConcept ofScore(String name) {
        return new AlgorithmConcept(AlgorithmConcept.Role.SCORE, SCORES.getOrDefault(name, name));
    }

    /** The names of a concept's algorithms in a scheduler; empty if it has none. */
    public static Set<String> members(SchedulerSpec source, AlgorithmConcept concept) {
        Set<String> names = new LinkedHashSet<>();
        if (concept.role() == AlgorithmConcept.Role.SCORE) {
            for (String name : source.scores().keySet()) {
                if (ofScore(name).equals(concept)) {
                    names.add(name);
                }
            }
            return names;
        }
        for (String name : source.filters()) {
            for (String part : KnownAlgorithms.parts(name)) {
                if (ofFilter(part).contains(concept)) {
                    names.add(part);
                }
            }
        }
        return names;
    }

    /** The adjustment of a scheduler that leaves out these concepts. */
    public static Adjustment without(SchedulerSpec source, Collection<AlgorithmConcept> concepts) {
        Adjustment adjustment = Adjustment.NONE;
        for (AlgorithmConcept concept : concepts) {
            Set<String> members = members(source, concept);
            adjustment = concept.role() == AlgorithmConcept.Role.FILTER
                    ? adjustment.withoutFilters(members)
                    : adjustment.withoutScores(members);
        }
        return adjustment;
    }

    /** The concept of each algorithm and of the plugins that wrap it. */
    private static ImmutableMap<String, String> concepts(Collection<KnownAlgorithm> rows) {
        ImmutableMap.Builder<String, String> table = ImmutableMap.builder();
        for (KnownAlgorithm row : rows) {
            if (row.parts().isEmpty()) {
                for (String name : List.of(row.name(), row.plugin(), row.laterPlugin())) {
                    if (!name.isEmpty()) {
                        table.put(name, row.concept());
                    }
                }
            }
        }
        return table.buildKeepingLast();
    }
}
