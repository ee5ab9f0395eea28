package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;

/** A priority function: scores nodes for a pod. Stateless and reusable. */
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
     * 0 for most; else a number that is another one whenever the score for the same pod and an unchanged node may be another, because
     * of something that is neither: a table that a rule reads.
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

    /** A priority and the weight that its score is multiplied by. */
    public record WeightedPriority(Priority priority, long weight) {}
}
