package io.policyscheduler.framework.grown;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A score plugin of current releases under the name of the priority that it comes from. */
final class GrownScore implements Priority {
    private static final PodScorer NO_OPINION = node -> 0;

    private final String name;
    private final GrownPlugin plugin;

    GrownScore(String name, GrownPlugin plugin) {
        this.name = name;
        this.plugin = plugin;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        StateKeys keys = new StateKeys();
        Plugin made = plugin.make(context.cluster(), keys);
        if (!(made instanceof ScorePlugin score) || !(made instanceof PreScorePlugin preScore)) {
            throw new IllegalStateException(made.name() + " scores nothing");
        }
        CycleState state = keys.newState();
        Status status = preScore.preScore(state, context, feasible);
        if (status.code() == Status.Code.SKIP) {
            return NO_OPINION;
        }
        return new Scorer(context.pod(), score, state, status.isSuccess() ? null : status.message());
    }

    private record Scorer(
            PodInfo pod,
            ScorePlugin plugin,
            CycleState state,
            @Nullable String error) implements PodScorer {
        @Override
        public long score(NodeInfo node) {
            return plugin.score(state, pod, node);
        }

        @Override
        public boolean normalizes() {
            return true;
        }

        @Override
        public boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
            return error == null && plugin.scoreSlots(state, pod, index, slots, count, scores);
        }

        @Override
        public void normalize(List<NodeInfo> nodes, long[] scores) {
            plugin.normalizeScores(state, pod, nodes, scores);
        }
    }
}
