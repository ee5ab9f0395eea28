package io.policyscheduler.framework.cycle;

/**
 * The number of feasible nodes to find, and the start index of the search. Mirrors {@code numFeasibleNodesToFind} of
 * {@code pkg/scheduler/core/generic_scheduler.go}.
 */
public final class NodeSampling {
    private static final int MIN_NODES = 100;
    private static final int MIN_PERCENT = 5;

    private final int percentage;
    private final SearchStart start;

    NodeSampling(int percentage) {
        this(percentage, new SearchStart());
    }

    /** @param percentage percentageOfNodesToScore; 0 adapts to the size of the cluster, 100 evaluates all nodes */
    NodeSampling(int percentage, SearchStart start) {
        this.percentage = percentage;
        this.start = start;
    }

    int limit(int nodeCount) {
        if (nodeCount < MIN_NODES || percentage >= 100) {
            return nodeCount;
        }
        int percent = percentage;
        if (percent <= 0) {
            percent = Math.max(50 - nodeCount / 125, MIN_PERCENT);
        }
        return Math.max((int) ((long) nodeCount * percent / 100), MIN_NODES);
    }

    SearchStart start() {
        return start;
    }

    /** The index in the node list where the search starts. */
    int start(int nodeCount) {
        return start.index(nodeCount);
    }

    void processed(int nodes, int nodeCount) {
        start.advance(nodes, nodeCount);
    }

    /**
     * The start index of the next search and the number of attempts, shared by all profiles of a scheduler. Mirrors
     * {@code nextStartNodeIndex} of {@code pkg/scheduler/scheduler.go}.
     */
    public static final class SearchStart {
        private int index;
        private long attempts;

        /** The start index in a list of this size. */
        public int index(int nodeCount) {
            return index % nodeCount;
        }

        /** The stored index, which may exceed the current number of nodes. */
        public int index() {
            return index;
        }

        /** The number of attempts so far, including the current one. */
        public long attempts() {
            return attempts;
        }

        /** Counts an attempt. */
        public void nextAttempt() {
            attempts++;
        }

        /** Resets the index to an earlier value. */
        public void back(int before) {
            index = before;
        }

        /** Advances the index by the number of visited nodes. */
        public void advance(int nodes, int nodeCount) {
            index = (index + nodes) % nodeCount;
        }
    }
}
