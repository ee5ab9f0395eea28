package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.ConstantScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.AffinityTotals;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.TopologyCounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.release.NewerField;
import java.util.List;

/**
 * Preferred inter-pod affinity and anti-affinity, of the pod and of the pods that already run, and the required affinity of the
 * latter. Mirrors {@code algorithm/priorities/interpod_affinity.go}.
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
        ClusterIndex index = context.cluster().index();
        if (namespaceSelectors && context.selectsNamespaces()) {
            return scorer(AffinitySums.ofCurrent(context.pod(), hardPodAffinityWeight, context.cluster())
                    .over(context.cluster()));
        }
        if (index != null
                && AffinitySums.preferencesAreValid(context.pod())
                && !index.affinityOwners().anyInvalid()) {
            AffinityTotals sums = AffinityTotals.of(context.pod(), hardPodAffinityWeight, index);
            return sums.isEmpty() ? NO_OPINION : new AffinityScorer(sums::sum, sums::sumAt);
        }
        return scorer(AffinitySums.of(context.pod(), hardPodAffinityWeight).over(context.cluster()));
    }

    private static PodScorer scorer(TopologyCounts sums) {
        return sums.isEmpty()
                ? NO_OPINION
                : new AffinityScorer(node -> sums.sum(node.node().labels()));
    }
}
