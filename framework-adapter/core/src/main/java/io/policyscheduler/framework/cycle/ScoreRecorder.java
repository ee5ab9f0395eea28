package io.policyscheduler.framework.cycle;

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
 * What each algorithm gave, kept until it is known which nodes are the best. Scores are taken over with their array, for which
 * the algorithm that follows gets another, so that nothing is copied; what depends on one node only is asked of the best nodes
 * once more. Used for one attempt after the other by one thread.
 */
final class ScoreRecorder {
    private final Map<String, String> displayNames;
    private final List<Algorithm> algorithms = new ArrayList<>();
    private final List<Column> columns = new ArrayList<>();
    private final List<long[]> lent = new ArrayList<>();
    private final Deque<long[]> spare = new ArrayDeque<>();
    private int otherAlgorithms;

    /** The score of a node, by its place among the feasible ones. */
    @FunctionalInterface
    private interface Column {
        long score(int index, NodeInfo node);
    }

    /** Notes in which each algorithm has its own name. */
    ScoreRecorder() {
        this(Map.of());
    }

    /** @param displayNames plugin to its name in reports, where that is another one */
    ScoreRecorder(Map<String, String> displayNames) {
        this.displayNames = displayNames;
    }

    /** Forgets an attempt, with all that it has to do with the cluster; its arrays are used again. */
    void forget() {
        algorithms.clear();
        columns.clear();
        otherAlgorithms = 0;
        spare.addAll(lent);
        lent.clear();
    }

    /** Takes over the scores of all feasible nodes and gives an array to use instead, with anything in it. */
    long[] taken(String algorithm, long weight, long[] scores) {
        if (!add(algorithm, weight, (index, node) -> scores[index])) {
            return scores;
        }
        lent.add(scores);
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

    /** A score that can be asked for again of any node. */
    void ofNode(String algorithm, long weight, ToLongFunction<NodeInfo> score) {
        add(algorithm, weight, (index, node) -> score.applyAsLong(node));
    }

    private boolean add(String algorithm, long weight, Column column) {
        if (algorithms.size() == AttemptDetails.MOST_ALGORITHMS) {
            otherAlgorithms++;
            return false;
        }
        algorithms.add(new Algorithm(algorithm, weight, displayNames.getOrDefault(algorithm, algorithm)));
        columns.add(column);
        return true;
    }

    List<Algorithm> algorithms() {
        return algorithms;
    }

    int otherAlgorithms() {
        return otherAlgorithms;
    }

    /** The chosen node, which has the highest total, then the best of the others; of equal ones those that come first. */
    List<Scored> best(List<NodeInfo> nodes, long[] totals, int chosen) {
        int[] best = new int[Math.min(AttemptDetails.MOST_BEST, totals.length)];
        best[0] = chosen;
        int size = 1;
        long least = Long.MIN_VALUE;
        for (int i = 0; i < totals.length; i++) {
            // Past the first nodes there is mostly nothing to do.
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
        for (int index : best) {
            scored.add(scored(index, nodes.get(index), totals[index]));
        }
        return scored;
    }

    private Scored scored(int index, NodeInfo node, long total) {
        ImmutableLongArray.Builder scores = ImmutableLongArray.builder(columns.size());
        for (Column column : columns) {
            scores.add(column.score(index, node));
        }
        return new Scored(node.name(), total, scores.build());
    }

    /** How many nodes have this total. */
    static int tied(long[] totals, long most) {
        int tied = 0;
        for (long total : totals) {
            tied += total == most ? 1 : 0;
        }
        return tied;
    }
}
