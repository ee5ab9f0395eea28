package io.policyscheduler.framework.cycle;

import io.policyscheduler.framework.cycle.attempt.SearchStart;

/**
 * How many feasible nodes are enough, and where the next walk starts. Mirrors {@code numFeasibleNodesToFind} of
 * {@code pkg/scheduler/core/generic_scheduler.go}.
 */
final class NodeSampling {
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
}
