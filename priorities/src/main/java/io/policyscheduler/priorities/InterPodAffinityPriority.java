package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.ConstantScorer;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.TopologyCounts;
import java.util.List;

/**
 * Preferred inter-pod affinity and anti-affinity, of the pod and of the pods that already run, and the required affinity of the
 * latter. Mirrors {@code algorithm/priorities/interpod_affinity.go}.
 */
public final class InterPodAffinityPriority implements Priority {
    private static final PodScorer NO_OPINION = new ConstantScorer(0);

    private final int hardPodAffinityWeight;

    /** Weighs required affinity by {@link AlgorithmConfig#hardPodAffinityWeight()}. */
    public InterPodAffinityPriority(AlgorithmConfig config) {
        this.hardPodAffinityWeight = config.hardPodAffinityWeight();
    }

    @Override
    public String name() {
        return "InterPodAffinityPriority";
    }

    /** The whole cluster: one invalid selector anywhere voids all scores. */
    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        if (!PriorityMetadata.available(context.pod())) {
            return NO_OPINION;
        }
        TopologyCounts sums = new AffinitySums(context.pod(), hardPodAffinityWeight).over(context.cluster());
        return sums.isEmpty() ? NO_OPINION : new Scorer(sums);
    }

    private static final class Scorer implements PodScorer {
        private final TopologyCounts sums;

        Scorer(TopologyCounts sums) {
            this.sums = sums;
        }

        @Override
        public long score(NodeInfo node) {
            return sums.sum(node.node().labels());
        }

        @Override
        public boolean normalizes() {
            return true;
        }

        @Override
        public void normalize(List<NodeInfo> nodes, long[] scores) {
            long max = 0;
            long min = 0;
            for (long score : scores) {
                max = Math.max(max, score);
                min = Math.min(min, score);
            }
            long difference = max - min;
            for (int i = 0; i < scores.length; i++) {
                scores[i] = difference == 0 ? 0 : (long) (100.0 * ((double) (scores[i] - min) / (double) difference));
            }
        }
    }
}
