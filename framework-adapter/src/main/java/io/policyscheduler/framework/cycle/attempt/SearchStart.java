package io.policyscheduler.framework.cycle.attempt;

/**
 * Where the next search over the nodes starts: one for all profiles of a scheduler. Mirrors {@code nextStartNodeIndex} of
 * {@code pkg/scheduler/scheduler.go}.
 */
public final class SearchStart {
    private int index;

    /** The position to start at among so many nodes. */
    public int index(int nodeCount) {
        return index % nodeCount;
    }

    /** The start as it is noted, which may be beyond the nodes that are left. */
    public int index() {
        return index;
    }

    /** Goes back to where the start was before. */
    public void back(int before) {
        index = before;
    }

    /** The search has looked at so many nodes of all. */
    public void advance(int nodes, int nodeCount) {
        index = (index + nodes) % nodeCount;
    }
}
