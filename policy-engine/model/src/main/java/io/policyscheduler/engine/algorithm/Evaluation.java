package io.policyscheduler.engine.algorithm;

import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The results of all plugins on all nodes in one attempt, for reports, comparisons and replays.
 *
 * @param error why the pod is not placed, exactly as users see it; null if a node is feasible
 * @param fitError true if the error is that no node is feasible, so that preemption may help
 * @param feasible feasible nodes, in evaluation order
 * @param failures reasons by rejected node
 * @param scores scores by algorithm and node, after normalizing and before the weight
 * @param weights weight by algorithm
 * @param totals weighted sum by node
 * @param rejectedBefore the rejection of the pod before nodes were evaluated, which {@code failures} repeats for every node; else
 *     null
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

    /** An evaluation of nodes. */
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

    /** The attempt failed before any node was evaluated. */
    public static Evaluation failed(String error) {
        return new Evaluation(error, false, List.of(), new TreeMap<>(), Map.of(), Map.of(), NodeValues.NONE);
    }

    /** No node is feasible. */
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

    /** A copy with another error text. */
    public Evaluation withError(String text) {
        return new Evaluation(text, fitError, feasible, failures, scores, weights, totals, rejectedBefore);
    }

    /**
     * The evaluation with other weights: the same nodes are feasible with the same scores.
     *
     * @param other weights of some of the algorithms that scored; the others are left out
     * @return null if it cannot be computed: without scores, if totals have other summands, or if a sum does not fit into 64 bits
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

    /** The nodes with the highest total, sorted by name; empty if there are no totals. */
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

    /**
     * The sentence {@code 0/5 nodes are available: 2 Insufficient cpu, 3 node(s) were unschedulable.} The parts are sorted as strings,
     * so 10 precedes 2. Mirrors {@code FitError.Error} of {@code pkg/scheduler/core/generic_scheduler.go}.
     */
    public static final class FitErrorText {
        /** The failure of a node whose object is gone. */
        public static final String NODE_BEING_DELETED = "node being deleted";

        private FitErrorText() {}

        /** The sentence for these failures; a reason counts once per occurrence. */
        public static String of(int nodeCount, Collection<NodeFailure> failures) {
            Map<String, Integer> counts = new HashMap<>();
            for (NodeFailure failure : failures) {
                for (String reason : failure.reasons()) {
                    counts.merge(reason, 1, Integer::sum);
                }
            }
            return of(nodeCount, counts);
        }

        /** The sentence of current releases without reasons; 1.17 ends it with a period. */
        public static String withoutReasons(int nodeCount) {
            return "0/" + nodeCount + " nodes are available:";
        }

        /** The sentence for these counts of reasons. */
        public static String of(int nodeCount, Map<String, Integer> counts) {
            List<String> parts = new ArrayList<>(counts.size());
            counts.forEach((reason, count) -> parts.add(count + " " + reason));
            Collections.sort(parts);
            return "0/" + nodeCount + " nodes are available: " + String.join(", ", parts) + ".";
        }
    }
}
