package io.policyscheduler.engine.algorithm;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The feasible nodes of one attempt with their totals: the part of an {@link Evaluation} that determines the selected node.
 * Immutable.
 */
public final class Ranking {
    private final @Nullable String error;
    private final boolean fitError;
    private final List<String> names;
    private final long[] totals;
    private final Map<String, Long> weights;
    private final List<String> best;

    private Ranking(
            @Nullable String error,
            boolean fitError,
            List<String> names,
            long[] totals,
            Map<String, Long> weights,
            List<String> best) {
        this.error = error;
        this.fitError = fitError;
        this.names = names;
        this.totals = totals;
        this.weights = weights;
        this.best = best;
    }

    /** The attempt failed before any node was evaluated. */
    public static Ranking failed(String error) {
        return new Ranking(error, false, List.of(), new long[0], Map.of(), List.of());
    }

    /** No node is feasible. */
    public static Ranking unfit(String error) {
        return new Ranking(error, true, List.of(), new long[0], Map.of(), List.of());
    }

    /**
     * Some nodes are feasible.
     *
     * @param feasible at least one, in evaluation order
     * @param totals of these nodes; is not copied
     * @param weights by algorithm, of those that scored
     * @param index of the cluster of the nodes; null if there is none
     */
    public static Ranking of(
            List<NodeInfo> feasible, long[] totals, Map<String, Long> weights, @Nullable ClusterIndex index) {
        List<String> names = new ArrayList<>(feasible.size());
        List<NodeInfo> best = new ArrayList<>();
        long highest = Long.MIN_VALUE;
        for (int i = 0; i < totals.length; i++) {
            NodeInfo node = feasible.get(i);
            names.add(node.name());
            if (totals[i] > highest) {
                highest = totals[i];
                best.clear();
            }
            if (totals[i] == highest) {
                best.add(node);
            }
        }
        return new Ranking(
                null,
                false,
                Collections.unmodifiableList(names),
                totals,
                ImmutableMap.copyOf(weights),
                new NodeValues.Order(best, index).names());
    }

    /** The ranking of an evaluation. */
    public static Ranking of(Evaluation evaluation) {
        List<String> names = evaluation.feasible();
        long[] totals = new long[names.size()];
        for (int i = 0; i < totals.length; i++) {
            totals[i] = evaluation.totals().getOrDefault(names.get(i), 0L);
        }
        return new Ranking(
                evaluation.error(), evaluation.fitError(), names, totals, evaluation.weights(), evaluation.best());
    }

    /** Why the pod is not placed, exactly as users see it; null if a node is feasible. */
    public @Nullable String error() {
        return error;
    }

    /** True if the error is that no node is feasible, so that preemption may help. */
    public boolean fitError() {
        return fitError;
    }

    /** The feasible nodes, in evaluation order. */
    public List<String> feasible() {
        return names;
    }

    /** The nodes with the highest total, sorted by name; empty if none is feasible. */
    public List<String> best() {
        return best;
    }

    /** The weighted sum of a node; empty if it is infeasible. */
    public OptionalLong total(String node) {
        int at = names.indexOf(node);
        return at < 0 ? OptionalLong.empty() : OptionalLong.of(totals[at]);
    }

    /** Weight of each algorithm that scored. */
    public Map<String, Long> weights() {
        return weights;
    }
}
