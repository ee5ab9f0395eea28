package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

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

    /** Scores all nodes of a list, {@code scores} in its order; the same as {@link #score} for each. */
    default void scoreAll(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        for (int i = 0; i < scores.length; i++) {
            scores[i] = score(state, pod, nodes.get(i));
        }
    }

    /** What {@link #score} depends on; scores that depend on the node alone are kept for equal pods. */
    default Scope scoreScope() {
        return Scope.CLUSTER;
    }

    /**
     * 0 for most; else a number that is another one whenever {@link #score} may answer otherwise for the same pod and an unchanged node,
     * so that what was kept is to be asked again.
     */
    default long scoreRevision() {
        return 0;
    }

    /** Asked before any node is scored: false when {@link #normalizeScores} leaves all scores as they are. */
    default boolean normalizes(CycleState state) {
        return true;
    }

    /** Asked before any node is scored: what {@link #normalizeScores} does. */
    default Reduction reduction(CycleState state) {
        return normalizes(state) ? Reduction.OTHER : Reduction.NONE;
    }

    /**
     * Asked before any node is scored: what the scores before {@link #normalizeScores} rest on, besides the node and the pods on it.
     * Scores of a node are kept and given to all pods with an equal basis. Null when nobody can say; then {@link #scoreScope()} holds.
     */
    default @Nullable Object scoreBasis(CycleState state, PodInfo pod) {
        return null;
    }

    /**
     * Scores nodes of the cluster's index by their slots and normalizes, the same as {@link #scoreAll} and {@link #normalizeScores}; for
     * plugins that have kept what they need by slot.
     *
     * @param slots of all feasible nodes, in the order of the list given to the pre-score step; only the first {@code count} count
     * @param scores written at the same places
     * @return false, with {@code scores} of no use, when it cannot be done
     */
    default boolean scoreSlots(
            CycleState state, PodInfo pod, ClusterIndex index, int[] slots, int count, long[] scores) {
        return false;
    }

    /** Brings the scores of all feasible nodes into 0..100, in place. */
    default Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        return Status.SUCCESS;
    }

    /**
     * A score plugin of this program. It knows of every odd object a cluster may hold, so that a score out of range counts as the end
     * of the range for that node, where one of any other plugin ends the attempt.
     */
    public interface InTreeScore extends ScorePlugin {}
}
