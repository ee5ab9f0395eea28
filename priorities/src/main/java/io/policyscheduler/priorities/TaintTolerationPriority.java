package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import java.util.List;

/**
 * Prefers nodes with few {@code PreferNoSchedule} taints that the pod does not tolerate. Mirrors
 * {@code algorithm/priorities/taint_toleration.go}.
 */
public final class TaintTolerationPriority implements Priority {
    @Override
    public String name() {
        return "TaintTolerationPriority";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        List<Toleration> relevant = TolerationSet.ofPreferences(context.pod().tolerations());
        return new Scorer(relevant, new TolerationSet(relevant));
    }

    private record Scorer(List<Toleration> basis, TolerationSet tolerations) implements PodScorer {
        @Override
        public Reduction reduction() {
            return Reduction.BY_HIGHEST_REVERSED;
        }

        @Override
        public long score(NodeInfo node) {
            return tolerations.countUntolerated(node.node().taints());
        }

        @Override
        public void scoreAll(List<NodeInfo> nodes, long[] scores) {
            for (int i = 0; i < scores.length; i++) {
                scores[i] = score(nodes.get(i));
            }
        }

        @Override
        public void normalize(List<NodeInfo> nodes, long[] scores) {
            Reduction.BY_HIGHEST_REVERSED.apply(scores);
        }

        @Override
        public boolean normalizes() {
            return true;
        }
    }
}
