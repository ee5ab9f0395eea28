package io.policyscheduler.framework.cycle.attempt;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Hears of scores that an algorithm of this program gave out of its range, and that count as the end of the range. */
@FunctionalInterface
public interface BoundedScores {
    /** Hears nothing. */
    BoundedScores UNHEARD = (algorithm, pod, node, score) -> {};

    /**
     * A score was brought into its range. Called on the thread that decides, for each node of each attempt; must be fast.
     *
     * @param algorithm name of the plugin or priority
     * @param score what it gave
     */
    void bounded(String algorithm, PodInfo pod, String node, long score);
}
