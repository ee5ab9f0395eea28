package io.policyscheduler.framework.insight.compare;

/**
 * What algorithms of different releases are about when they do the same job: {@code PodToleratesNodeTaints} and the filter of
 * {@code TaintToleration} are one. Which algorithms belong together stands in {@link Concepts}.
 *
 * @param role what kind of algorithm
 * @param name that of today's plugin, else of the algorithm itself
 */
record Concept(Role role, String name) implements Comparable<Concept> {
    /** What kind of algorithm. */
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
    public int compareTo(Concept other) {
        int byRole = role.compareTo(other.role);
        return byRole == 0 ? name.compareTo(other.name) : byRole;
    }

    /** As people read it, e.g. {@code TaintToleration filter}. */
    @Override
    public String toString() {
        return name + " " + role;
    }
}
