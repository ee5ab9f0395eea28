package io.policyscheduler.framework.cycle;

/**
 * How many feasible nodes are enough, and where the next walk starts. Mirrors {@code numFeasibleNodesToFind} of
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

    /**
     * How many, and from where on.
     *
     * @param percentage percentageOfNodesToScore; 0 adapts to the size of the cluster, 100 looks at all nodes
     */
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

    /** Position in the node list where the walk starts. */
    int start(int nodeCount) {
        return start.index(nodeCount);
    }

    void processed(int nodes, int nodeCount) {
        start.advance(nodes, nodeCount);
    }

    /**
     * Where the next search over the nodes starts: one for all profiles of a scheduler. Mirrors {@code nextStartNodeIndex} of
     * {@code pkg/scheduler/scheduler.go}.
     */
    public static final class SearchStart {
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
}
