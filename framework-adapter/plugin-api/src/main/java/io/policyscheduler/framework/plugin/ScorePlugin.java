package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.List;

/** A plugin that scores the feasible nodes. */
public interface ScorePlugin extends Plugin {
    /** Lowest score after normalizing. */
    long MIN_SCORE = 0;

    /** Highest score after normalizing. */
    long MAX_SCORE = 100;

    /**
     * Returns the score of one node; any number before {@link #normalizeScores}.
     *
     * @throws PluginException to end the attempt with an error
     */
    long score(CycleState state, PodInfo pod, NodeInfo node);

    /**
     * Writes the scores of nodes, in their order. Override it if a loop over all nodes is faster than {@link #score} for each node.
     *
     * @throws PluginException to end the attempt with an error
     */
    default void scoreAll(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        for (int i = 0; i < scores.length; i++) {
            scores[i] = score(state, pod, nodes.get(i));
        }
    }

    /** Maps the scores of all feasible nodes to 0..100, in place. */
    default Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        return Status.SUCCESS;
    }

    /**
     * An in-tree score plugin. A score out of range, which an unusual object in the cluster can cause, is clamped; that of any
     * other plugin ends the attempt.
     */
    interface InTreeScore extends ScorePlugin {}
}
