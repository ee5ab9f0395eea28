package io.policyscheduler.framework.cycle;

/**
 * Where the next search over the nodes starts: one for all profiles of a scheduler. Mirrors {@code nextStartNodeIndex} of
 * {@code pkg/scheduler/scheduler.go}.
 */
public final class SearchStart {
    private int index;

    int index(int nodeCount) {
        return index % nodeCount;
    }

    int index() {
        return index;
    }

    /** Goes back to where the start was before. */
    void back(int before) {
        index = before;
    }

    void advance(int nodes, int nodeCount) {
        index = (index + nodes) % nodeCount;
    }
}
