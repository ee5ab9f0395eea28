package io.policyscheduler.engine.algorithm;

/** The normalization of the scores of all feasible nodes to 0..100. */
public enum Reduction {
    /** They stay as they are. */
    NONE,
    /** In proportion to the highest, which becomes 100, cut off; all stay as they are when none is above 0. */
    BY_HIGHEST,
    /** The same, then counted from the other end: the highest becomes 0, and 0 becomes 100. */
    BY_HIGHEST_REVERSED,
    /** In some other way. */
    OTHER;

    /** True when a node's score depends on those of the others by nothing but the highest of them. */
    public boolean isByHighest() {
        return this == BY_HIGHEST || this == BY_HIGHEST_REVERSED;
    }

    /**
     * What becomes of one score, by {@link #BY_HIGHEST} or {@link #BY_HIGHEST_REVERSED}.
     *
     * @param score not below 0
     * @param highest of all feasible nodes, at least {@code score}
     */
    public long of(long score, long highest) {
        long scaled = highest == 0 ? 0 : Priority.MAX_SCORE * score / highest;
        return this == BY_HIGHEST ? scaled : Priority.MAX_SCORE - scaled;
    }
}
