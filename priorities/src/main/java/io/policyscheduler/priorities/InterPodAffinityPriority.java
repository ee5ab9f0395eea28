package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.ConstantScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.placement.PodAffinityTerms;
import io.policyscheduler.engine.placement.PodAffinityTerms.Reading;
import io.policyscheduler.engine.placement.PreferredPodAffinity;
import io.policyscheduler.priorities.PriorityCatalog.PriorityMetadata;
import java.util.List;

/**
 * Preferred inter-pod affinity and anti-affinity of the pod and of running pods, and the required affinity of the latter. Mirrors
 * {@code algorithm/priorities/interpod_affinity.go}.
 */
public final class InterPodAffinityPriority implements Priority {
    private static final PodScorer NO_OPINION = new ConstantScorer(0);

    private final int hardPodAffinityWeight;
    private final boolean namespaceSelectors;

    /** Weighs required affinity by {@link AlgorithmConfig#hardPodAffinityWeight()}. */
    public InterPodAffinityPriority(AlgorithmConfig config) {
        this.namespaceSelectors = config.gates().honours(NewerField.NAMESPACE_SELECTOR);
        this.hardPodAffinityWeight = config.hardPodAffinityWeight();
    }

    @Override
    public String name() {
        return "InterPodAffinityPriority";
    }

    /** The whole cluster: one invalid selector anywhere makes all scores fail. */
    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        if (!PriorityMetadata.available(context.pod())) {
            return NO_OPINION;
        }
        Reading reading = namespaceSelectors && context.selectsNamespaces() ? Reading.SELECTORS : Reading.NAMES;
        PodAffinityTerms terms = new PodAffinityTerms(context.pod(), context.cluster(), reading);
        PreferredPodAffinity preferred =
                new PreferredPodAffinity(terms, context.cluster(), hardPodAffinityWeight, true);
        return preferred.isEmpty() ? NO_OPINION : new Scorer(preferred);
    }

    private record Scorer(PreferredPodAffinity preferred) implements PodScorer {
        @Override
        public long score(NodeInfo node) {
            return preferred.score(node);
        }

        @Override
        public boolean normalizes() {
            return true;
        }

        @Override
        public boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
            if (!preferred.scoreSlots(slots, count, scores)) {
                return false;
            }
            PreferredPodAffinity.normalize(scores, count, true);
            return true;
        }

        @Override
        public void normalize(List<NodeInfo> nodes, long[] scores) {
            PreferredPodAffinity.normalize(scores, scores.length, true);
        }
    }
}
