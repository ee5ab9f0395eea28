package io.policyscheduler.engine.algorithm;

import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one attempt found out about all nodes: what is shown, compared and replayed.
 *
 * @param error why the pod cannot be placed, exactly as users see it; null when some node fits
 * @param fitError true when the error says that no node fits, which preemption may change
 * @param feasible nodes that pass, in the order examined
 * @param failures node to the reasons against it
 * @param scores algorithm to node to score, after normalising and before the weight
 * @param weights algorithm to weight
 * @param totals node to weighted sum
 * @param rejectedBefore why the pod was rejected before any node was looked at, which {@code failures} then repeats for every
 *     node; else null
 */
public record Evaluation(
        @Nullable String error,
        boolean fitError,
        List<String> feasible,
        SortedMap<String, NodeFailure> failures,
        Map<String, NodeValues> scores,
        Map<String, Long> weights,
        NodeValues totals,
        @Nullable NodeFailure rejectedBefore) {
    public Evaluation {
        feasible = List.copyOf(feasible);
        failures = Collections.unmodifiableSortedMap(new TreeMap<>(failures));
        scores = Collections.unmodifiableMap(new LinkedHashMap<>(scores));
        weights = Collections.unmodifiableMap(new LinkedHashMap<>(weights));
    }

    /** What is found out by looking at nodes. */
    public Evaluation(
            @Nullable String error,
            boolean fitError,
            List<String> feasible,
            SortedMap<String, NodeFailure> failures,
            Map<String, NodeValues> scores,
            Map<String, Long> weights,
            NodeValues totals) {
        this(error, fitError, feasible, failures, scores, weights, totals, null);
    }

    /** The attempt broke off before any verdict. */
    public static Evaluation failed(String error) {
        return new Evaluation(error, false, List.of(), new TreeMap<>(), Map.of(), Map.of(), NodeValues.NONE);
    }

    /** No node fits. */
    public static Evaluation unfit(int nodeCount, SortedMap<String, NodeFailure> failures) {
        return new Evaluation(
                FitErrorText.of(nodeCount, failures.values()),
                true,
                List.of(),
                failures,
                Map.of(),
                Map.of(),
                NodeValues.NONE);
    }

    /** A copy with another text for users. */
    public Evaluation withError(String text) {
        return new Evaluation(text, fitError, feasible, failures, scores, weights, totals, rejectedBefore);
    }

    /**
     * What it would be with other weights: the same nodes fit with the same scores, so that this is arithmetic.
     *
     * @param other algorithm to weight, of some of those that scored; the others are left out
     * @return null where it is not: when nothing would score, when the totals have parts that are no weighted scores, or when a
     *     sum does not fit into 64 bits
     */
    public @Nullable Evaluation weighted(Map<String, Long> other) {
        if (other.isEmpty() || !scores.keySet().containsAll(other.keySet())) {
            return null;
        }
        try {
            return totals.equals(totals(weights))
                    ? new Evaluation(
                            error,
                            fitError,
                            feasible,
                            failures,
                            Maps.filterKeys(scores, other::containsKey),
                            other,
                            totals(other),
                            rejectedBefore)
                    : null;
        } catch (ArithmeticException e) {
            return null;
        }
    }

    private NodeValues totals(Map<String, Long> by) {
        long[] sums = new long[totals.size()];
        for (Map.Entry<String, Long> weight : by.entrySet()) {
            NodeValues values = scores.getOrDefault(weight.getKey(), NodeValues.NONE);
            if (!values.isOfSameNodes(totals)) {
                throw new ArithmeticException("not all nodes are scored");
            }
            for (int i = 0; i < sums.length; i++) {
                sums[i] = Math.addExact(sums[i], Math.multiplyExact(values.value(i), (long) weight.getValue()));
            }
        }
        return totals.withValues(sums);
    }

    /** The nodes that share the highest total, sorted by name; empty when there is no total. */
    public List<String> best() {
        List<String> names = new ArrayList<>();
        long max = Long.MIN_VALUE;
        for (int i = 0; i < totals.size(); i++) {
            long total = totals.value(i);
            if (total > max) {
                max = total;
                names.clear();
            }
            if (total == max) {
                names.add(totals.name(i));
            }
        }
        return names;
    }
}
