package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;

/** A priority function: scores nodes for a pod. Stateless and reusable. */
public interface Priority {
    /** The highest score after normalizing. */
    long MAX_SCORE = 100;

    /** Clamps a score to its range. */
    static long bounded(long score) {
        return Math.max(0, Math.min(score, MAX_SCORE));
    }

    /** Name in a Policy file, e.g. {@code LeastRequestedPriority}. */
    String name();

    /** The state that a node's score before normalizing depends on. */
    Scope scope();

    /**
     * 0 for most; else a number that changes whenever the score for the same pod and an unchanged node may change, because of other
     * state: a table that a rule reads.
     */
    default long revision() {
        return 0;
    }

    /**
     * Prepares scoring.
     *
     * @param feasible the nodes that will be scored, in the order of the scores given to {@link PodScorer#normalize}
     */
    PodScorer start(PodContext context, List<NodeInfo> feasible);

    /** A priority and the weight of its score. */
    public record WeightedPriority(Priority priority, long weight) {}
}
