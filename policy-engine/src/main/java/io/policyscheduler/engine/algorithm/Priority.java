package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;

/** How good is this node for this pod? One class an algorithm, stateless and reusable. */
public interface Priority {
    /** Highest score after normalising. */
    long MAX_SCORE = 100;

    /** A score, or the end of the range that it is beyond. */
    static long bounded(long score) {
        return Math.max(0, Math.min(score, MAX_SCORE));
    }

    /** Name in a Policy file, e.g. {@code LeastRequestedPriority}. */
    String name();

    /** What a node's score before normalising depends on. */
    Scope scope();

    /**
     * Prepares scoring.
     *
     * @param feasible the nodes that will be scored, in the order of the scores given to {@link PodScorer#normalize}
     */
    PodScorer start(PodContext context, List<NodeInfo> feasible);
}
