package example.density;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.Arrays;
import java.util.List;

/** Prefers nodes with few pods: the emptiest feasible node scores 100, the fullest 0. Equal scores stay. */
public final class PodDensityScore implements ScorePlugin {
    static final String NAME = "PodDensityScore";

    @Override
    public String name() {
        return NAME;
    }

    /** Below 0 for a node with more than 100 pods, which is no harm before normalising. */
    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return MAX_SCORE - node.podCount();
    }

    /** Stretches the scores over 0 to 100, so that a difference of a few pods counts beside other plugins. */
    @Override
    public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (long score : scores) {
            lowest = Math.min(lowest, score);
            highest = Math.max(highest, score);
        }
        if (highest == lowest) {
            // Nothing to stretch; only the range has to be kept, on nodes with more than 100 pods.
            Arrays.fill(scores, Math.max(0, highest));
            return Status.SUCCESS;
        }
        for (int i = 0; i < scores.length; i++) {
            scores[i] = (scores[i] - lowest) * MAX_SCORE / (highest - lowest);
        }
        return Status.SUCCESS;
    }
}
