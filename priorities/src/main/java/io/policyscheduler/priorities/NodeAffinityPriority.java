package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.ConstantScorer;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeConstraints.NodeTermSet;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity.PreferredNodeTerm;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adds the weights of the pod's preferred node affinity terms that match the node's labels. Node fields are ignored, and an invalid
 * requirement ends the attempt. Mirrors {@code algorithm/priorities/node_affinity.go}.
 */
public final class NodeAffinityPriority implements Priority {
    private static final PodScorer NO_PREFERENCE = new ConstantScorer(0);

    @Override
    public String name() {
        return "NodeAffinityPriority";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        List<PreferredNodeTerm> terms = new ArrayList<>(0);
        String error = null;
        for (PreferredNodeTerm preferred : context.pod().affinity().preferredNode()) {
            // A term without expressions matches no node.
            if (preferred.weight() != 0 && !preferred.term().expressions().isEmpty()) {
                terms.add(preferred);
                error = error == null ? preferred.term().expressionError() : error;
            }
        }
        return terms.isEmpty() ? NO_PREFERENCE : new Scorer(terms, NodeTermSet.ofPreferred(terms, false), error);
    }

    private record Scorer(
            List<PreferredNodeTerm> basis,
            NodeTermSet terms,
            @Nullable String error) implements PodScorer {
        @Override
        public Reduction reduction() {
            return Reduction.BY_HIGHEST;
        }

        /** As in v1.17, the sum has 32 bits and wraps. */
        @Override
        public long score(NodeInfo node) {
            return (int) terms.weight(node.node().labels(), node.name());
        }

        @Override
        public void normalize(List<NodeInfo> nodes, long[] scores) {
            Reduction.BY_HIGHEST.apply(scores);
        }

        @Override
        public boolean normalizes() {
            return true;
        }
    }
}
