package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;

/**
 * The share of label preferences that a node satisfies: labels preferred present, and labels preferred absent, with any value.
 * Mirrors {@code algorithm/priorities/node_label.go}.
 */
final class NodeLabelPriority implements Priority {
    private final List<String> present;
    private final List<String> absent;

    /** Uses {@link AlgorithmConfig#preferPresentLabels()} and {@link AlgorithmConfig#preferAbsentLabels()}. */
    public NodeLabelPriority(AlgorithmConfig config) {
        this.present = config.preferPresentLabels();
        this.absent = config.preferAbsentLabels();
    }

    @Override
    public String name() {
        return "NodeLabel";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        return present.isEmpty() && absent.isEmpty() ? node -> 0 : this::score;
    }

    private long score(NodeInfo node) {
        Labels labels = node.node().labels();
        long sum = 0;
        for (int i = 0; i < present.size(); i++) {
            if (labels.has(present.get(i))) {
                sum += MAX_SCORE;
            }
        }
        for (int i = 0; i < absent.size(); i++) {
            if (!labels.has(absent.get(i))) {
                sum += MAX_SCORE;
            }
        }
        return sum / (present.size() + absent.size());
    }
}
