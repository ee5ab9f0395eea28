package io.policyscheduler.engine.algorithm;

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
        Map<String, Map<String, Long>> scores,
        Map<String, Long> weights,
        SortedMap<String, Long> totals,
        @Nullable NodeFailure rejectedBefore) {
    public Evaluation {
        feasible = List.copyOf(feasible);
        failures = Collections.unmodifiableSortedMap(new TreeMap<>(failures));
        scores = Collections.unmodifiableMap(new LinkedHashMap<>(scores));
        weights = Collections.unmodifiableMap(new LinkedHashMap<>(weights));
        totals = Collections.unmodifiableSortedMap(new TreeMap<>(totals));
    }

    /** What is found out by looking at nodes. */
    public Evaluation(
            @Nullable String error,
            boolean fitError,
            List<String> feasible,
            SortedMap<String, NodeFailure> failures,
            Map<String, Map<String, Long>> scores,
            Map<String, Long> weights,
            SortedMap<String, Long> totals) {
        this(error, fitError, feasible, failures, scores, weights, totals, null);
    }

    /** The attempt broke off before any verdict. */
    public static Evaluation failed(String error) {
        return new Evaluation(error, false, List.of(), new TreeMap<>(), Map.of(), Map.of(), new TreeMap<>());
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
                new TreeMap<>());
    }

    /** A copy with another text for users. */
    public Evaluation withError(String text) {
        return new Evaluation(text, fitError, feasible, failures, scores, weights, totals, rejectedBefore);
    }

    /** The nodes that share the highest total, sorted by name; empty when there is no total. */
    public List<String> best() {
        List<String> names = new ArrayList<>();
        long max = Long.MIN_VALUE;
        for (Map.Entry<String, Long> total : totals.entrySet()) {
            if (total.getValue() > max) {
                max = total.getValue();
                names.clear();
            }
            if (total.getValue() == max) {
                names.add(total.getKey());
            }
        }
        return names;
    }
}
