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
 * Where one attempt would place a pod, and what each node that takes it comes to: what of an {@link Evaluation} matters for the
 * pod's way, without what is only told of it. Immutable.
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

    /** The attempt breaks off before any verdict. */
    public static Ranking failed(String error) {
        return new Ranking(error, false, List.of(), new long[0], Map.of(), List.of());
    }

    /** No node fits. */
    public static Ranking unfit(String error) {
        return new Ranking(error, true, List.of(), new long[0], Map.of(), List.of());
    }

    /**
     * Some nodes fit.
     *
     * @param feasible at least one, in the order examined
     * @param totals of these nodes; is not copied
     * @param weights algorithm to weight, of those that scored
     * @param index of the cluster of the nodes; null where there is none
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

    /** What an evaluation comes to. */
    public static Ranking of(Evaluation evaluation) {
        List<String> names = evaluation.feasible();
        long[] totals = new long[names.size()];
        for (int i = 0; i < totals.length; i++) {
            totals[i] = evaluation.totals().getOrDefault(names.get(i), 0L);
        }
        return new Ranking(
                evaluation.error(), evaluation.fitError(), names, totals, evaluation.weights(), evaluation.best());
    }

    /** Why the pod cannot be placed, exactly as users see it; null when some node fits. */
    public @Nullable String error() {
        return error;
    }

    /** True when the error says that no node fits, which preemption may change. */
    public boolean fitError() {
        return fitError;
    }

    /** The nodes that pass, in the order examined. */
    public List<String> feasible() {
        return names;
    }

    /** The nodes that share the highest total, sorted by name; empty when none passes. */
    public List<String> best() {
        return best;
    }

    /** The weighted sum of a node; empty when it does not pass. */
    public OptionalLong total(String node) {
        int at = names.indexOf(node);
        return at < 0 ? OptionalLong.empty() : OptionalLong.of(totals[at]);
    }

    /** Weight of each algorithm that scored. */
    public Map<String, Long> weights() {
        return weights;
    }
}
