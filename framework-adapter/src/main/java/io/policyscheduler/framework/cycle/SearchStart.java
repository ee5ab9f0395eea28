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

    void advance(int nodes, int nodeCount) {
        index = (index + nodes) % nodeCount;
    }
}
