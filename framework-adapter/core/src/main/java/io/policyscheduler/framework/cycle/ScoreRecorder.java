package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.cycle.AttemptDetails.Algorithm;
import io.policyscheduler.framework.cycle.AttemptDetails.Scored;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Records the scores of each algorithm until the best nodes are known. It takes over the array of scores and returns another one
 * for the next algorithm, so nothing is copied. Scores that depend on one node only are computed again for the best nodes. One
 * thread uses it for one attempt after the other.
 */
final class ScoreRecorder {
    private final Map<String, String> displayNames;
    private final List<Algorithm> algorithms = new ArrayList<>();
    private final List<Column> columns = new ArrayList<>();
    private final List<long[]> pooled = new ArrayList<>();
    private final Deque<long[]> spare = new ArrayDeque<>();
    private int otherAlgorithms;
    /** The algorithms of the previous attempt. Attempts share a list, because most attempts have the same algorithms. */
    private ImmutableList<Algorithm> shared = ImmutableList.of();

    private List<Scored> lastBest = List.of();

    /** The score of a node, by its index in the feasible ones. */
    @FunctionalInterface
    private interface Column {
        long score(int index, NodeInfo node);
    }

    /** A recorder without display names. */
    ScoreRecorder() {
        this(Map.of());
    }

    /** @param displayNames display name by plugin, if it differs */
    ScoreRecorder(Map<String, String> displayNames) {
        this.displayNames = displayNames;
    }

    /** Drops an attempt with all its references to the cluster; its arrays are reused. */
    void forget() {
        algorithms.clear();
        columns.clear();
        otherAlgorithms = 0;
        spare.addAll(pooled);
        pooled.clear();
    }

    /** Takes over the scores of all feasible nodes and returns an array with arbitrary content. */
    long[] taken(String algorithm, long weight, long[] scores) {
        if (!add(algorithm, weight, (index, node) -> scores[index])) {
            return scores;
        }
        pooled.add(scores);
        long[] other = spare.poll();
        while (other != null && other.length != scores.length) {
            other = spare.poll();
        }
        return other == null ? new long[scores.length] : other;
    }

    /** All feasible nodes have the same score. */
    void uniform(String algorithm, long weight, long score) {
        add(algorithm, weight, (index, node) -> score);
    }

    /** Scores that can be computed again for any node. */
    void ofNode(String algorithm, long weight, ToLongFunction<NodeInfo> score) {
        add(algorithm, weight, (index, node) -> score.applyAsLong(node));
    }

    private boolean add(String algorithm, long weight, Column column) {
        if (algorithms.size() == AttemptDetails.MOST_ALGORITHMS) {
            otherAlgorithms++;
            return false;
        }
        Algorithm known = algorithms.size() < shared.size() ? shared.get(algorithms.size()) : null;
        algorithms.add(
                known != null && known.name().equals(algorithm) && known.weight() == weight
                        ? known
                        : new Algorithm(algorithm, weight, displayNames.getOrDefault(algorithm, algorithm)));
        columns.add(column);
        return true;
    }

    ImmutableList<Algorithm> algorithms() {
        if (!shared.equals(algorithms)) {
            shared = ImmutableList.copyOf(algorithms);
        }
        return shared;
    }

    int otherAlgorithms() {
        return otherAlgorithms;
    }

    /** The chosen node, which has the highest total, then the best of the others; equal ones in search order. */
    List<Scored> best(List<NodeInfo> nodes, long[] totals, int chosen) {
        int[] best = new int[Math.min(AttemptDetails.MOST_BEST, totals.length)];
        best[0] = chosen;
        int size = 1;
        long least = Long.MIN_VALUE;
        for (int i = 0; i < totals.length; i++) {
            // Most of the later nodes are not among the best.
            if (i == chosen || (size == best.length && totals[i] <= least)) {
                continue;
            }
            int at = size < best.length ? size++ : size - 1;
            while (at > 1 && totals[best[at - 1]] < totals[i]) {
                best[at] = best[at - 1];
                at--;
            }
            best[at] = i;
            least = totals[best[size - 1]];
            if (size == best.length && least == totals[chosen]) {
                // Nothing is better than the chosen node.
                break;
            }
        }
        List<Scored> scored = new ArrayList<>(size);
        long[] row = new long[columns.size()];
        ImmutableLongArray scores = ImmutableLongArray.of();
        for (int at = 0; at < size; at++) {
            NodeInfo node = nodes.get(best[at]);
            for (int i = 0; i < row.length; i++) {
                row[i] = columns.get(i).score(best[at], node);
            }
            Scored before = at < lastBest.size() ? lastBest.get(at) : null;
            // Consecutive attempts mostly have the same best nodes, and share them. Nodes with the same total mostly
            // have the same scores.
            scores = isEqual(scores, row)
                    ? scores
                    : before != null && isEqual(before.scores(), row)
                            ? before.scores()
                            : ImmutableLongArray.copyOf(row);
            scored.add(
                    before != null && isSame(before, node, totals[best[at]], scores)
                            ? before
                            : new Scored(node.name(), totals[best[at]], scores));
        }
        lastBest = scored;
        return scored;
    }

    @SuppressWarnings("ReferenceEquality") // an equal object costs only memory
    private static boolean isSame(Scored before, NodeInfo node, long total, ImmutableLongArray scores) {
        return before.total() == total
                && before.scores() == scores
                && before.node().equals(node.name());
    }

    private static boolean isEqual(ImmutableLongArray scores, long[] row) {
        boolean isEqual = scores.length() == row.length;
        for (int i = 0; isEqual && i < row.length; i++) {
            isEqual = scores.get(i) == row[i];
        }
        return isEqual;
    }

    /** The number of nodes with this total. */
    static int tied(long[] totals, long most) {
        int tied = 0;
        for (long total : totals) {
            tied += total == most ? 1 : 0;
        }
        return tied;
    }
}
