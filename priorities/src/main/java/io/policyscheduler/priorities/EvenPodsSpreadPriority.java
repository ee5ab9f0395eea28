package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.TopologyCounts;
import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prefers topology values that hold few of the pods counted by the pod's {@code ScheduleAnyway} constraints. Pods of all
 * namespaces count, as in v1.17. Mirrors {@code algorithm/priorities/even_pods_spread.go}.
 */
public final class EvenPodsSpreadPriority implements Priority {
    private static final PodScorer NO_OPINION = node -> 0;

    @Override
    public String name() {
        return "EvenPodsSpreadPriority";
    }

    @Override
    public Scope scope() {
        return Scope.TOPOLOGY;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        List<Constraint> soft = new ArrayList<>(0);
        for (TopologySpreadConstraint constraint : context.pod().spec().spreadConstraints()) {
            if (constraint.isSoft()) {
                soft.add(Constraint.of(constraint));
            }
        }
        // Without shared metadata there is nothing to score by.
        if (soft.isEmpty() || !PriorityMetadata.available(context.pod())) {
            return NO_OPINION;
        }
        return new Scorer(soft, count(context, feasible, soft));
    }

    private static TopologyCounts count(PodContext context, List<NodeInfo> feasible, List<Constraint> soft) {
        TopologyCounts counts = new TopologyCounts();
        for (int i = 0; i < feasible.size(); i++) {
            Labels labels = feasible.get(i).node().labels();
            if (hasEveryKey(soft, labels)) {
                for (Constraint constraint : soft) {
                    counts.add(constraint.key(), labels.getOrEmpty(constraint.key()), 0);
                }
            }
        }
        if (counts.isEmpty()) {
            return counts;
        }
        NodeConstraints demands = NodeConstraints.of(context.pod());
        for (NodeInfo node : context.cluster().nodes()) {
            Labels labels = node.node().labels();
            if (!hasEveryKey(soft, labels) || !demands.accept(node.node())) {
                continue;
            }
            for (Constraint constraint : soft) {
                String value = labels.getOrEmpty(constraint.key());
                if (counts.contains(constraint.key(), value)) {
                    counts.add(constraint.key(), value, constraint.countOn(node));
                }
            }
        }
        return counts;
    }

    private static boolean hasEveryKey(List<Constraint> constraints, Labels labels) {
        for (int i = 0; i < constraints.size(); i++) {
            if (!labels.has(constraints.get(i).key())) {
                return false;
            }
        }
        return true;
    }

    private record Constraint(String key, @Nullable MemoizedSelector selector) {
        static Constraint of(TopologySpreadConstraint constraint) {
            return new Constraint(
                    constraint.topologyKey(),
                    constraint.selector() == null ? null : new MemoizedSelector(constraint.selector()));
        }

        int countOn(NodeInfo node) {
            int count = 0;
            for (int i = 0; selector != null && i < node.podCount(); i++) {
                count += selector.matches(node.pod(i).labels()) ? 1 : 0;
            }
            return count;
        }
    }

    private static final class Scorer implements PodScorer {
        private final List<Constraint> constraints;
        private final TopologyCounts counts;

        Scorer(List<Constraint> constraints, TopologyCounts counts) {
            this.constraints = constraints;
            this.counts = counts;
        }

        @Override
        public long score(NodeInfo node) {
            Labels labels = node.node().labels();
            if (!hasEveryKey(constraints, labels)) {
                return 0;
            }
            long sum = 0;
            for (int i = 0; i < constraints.size(); i++) {
                String key = constraints.get(i).key();
                sum += counts.get(key, labels.getOrEmpty(key));
            }
            return sum;
        }

        @Override
        public boolean normalizes() {
            return true;
        }

        @Override
        public void normalize(List<NodeInfo> nodes, long[] scores) {
            long total = 0;
            long min = Long.MAX_VALUE;
            for (int i = 0; i < scores.length; i++) {
                if (hasEveryKey(constraints, nodes.get(i).node().labels())) {
                    total += scores[i];
                    min = Math.min(min, scores[i]);
                }
            }
            long difference = total - min;
            for (int i = 0; i < scores.length; i++) {
                if (difference == 0) {
                    scores[i] = MAX_SCORE;
                } else if (hasEveryKey(constraints, nodes.get(i).node().labels())) {
                    scores[i] = (long) (100.0 * ((double) (total - scores[i]) / (double) difference));
                } else {
                    scores[i] = 0;
                }
            }
        }
    }
}
