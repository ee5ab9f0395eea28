package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import java.util.List;
import java.util.OptionalLong;

/** Says how good a node is. */
public interface ScorePlugin extends Plugin {
    /** Lowest score after normalising. */
    long MIN_SCORE = 0;

    /** Highest score after normalising. */
    long MAX_SCORE = 100;

    /**
     * Asked before any node is scored: the score that every node ends up with after normalising, or empty when it has to be worked
     * out for each.
     */
    default OptionalLong uniformScore(CycleState state, PodInfo pod) {
        return OptionalLong.empty();
    }

    /**
     * The score of one node; any number before {@link #normalizeScores}.
     *
     * @throws PluginException to end the attempt with an error
     */
    long score(CycleState state, PodInfo pod, NodeInfo node);

    /** Brings the scores of all feasible nodes into 0..100, in place. */
    default Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        return Status.SUCCESS;
    }
}
