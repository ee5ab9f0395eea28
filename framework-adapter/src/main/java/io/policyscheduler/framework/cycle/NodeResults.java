package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the algorithms that look at one node only said about each node for pods of one class. Brought up to date by the nodes that
 * changed since, so that a pod like an earlier one costs next to nothing.
 */
final class NodeResults {
    /** A filter, and the revision of its answers. */
    record Revised(Object filter, long revision) {}

    /** Stands for a score that has to be worked out with everything else, because it is an error. */
    static final long NO_SCORE = Long.MIN_VALUE;

    /** Scores of one algorithm, or a sum of several, by slot. */
    private static final class Column {
        private long[] scores = new long[0];
        private long seen;
        private long revision;
        private List<?> summands = List.of();
    }

    private final ClusterIndex index;
    private final Column[] columns;
    private final Passes steady;
    /** What passes those and the revised ones. */
    private final Passes both;

    private Passes passes;

    NodeResults(ClusterIndex index, int columns) {
        this.index = index;
        this.columns = new Column[columns];
        this.steady = new Passes(index);
        this.both = new Passes(index);
        this.passes = steady;
    }

    /** Asks {@code filter}, made of these, again about every node that changed; about all when it was made of others. */
    void refreshPasses(List<?> filters, Predicate<NodeInfo> filter) {
        if (steady.refresh(filters, (slot, node) -> filter.test(node))) {
            both.forget();
        }
        passes = steady;
    }

    /**
     * After {@link #refreshPasses}: adds filters whose answers change also without the node. They are asked again about all nodes that
     * pass the others when one has another revision.
     */
    void refreshRevised(List<Revised> filters, Predicate<NodeInfo> filter) {
        boolean[] others = steady.bySlot();
        both.refresh(filters, (slot, node) -> others[slot] && filter.test(node));
        passes = both;
    }

    /** By slot, whether a node is known to pass; valid until the cluster changes, do not modify. */
    boolean[] passes() {
        return passes.bySlot();
    }

    /** True when the node itself, not a copy with other pods, is known to pass. */
    boolean passes(NodeInfo node) {
        int slot = index.ownSlotOf(node);
        return slot >= 0 && passes.bySlot()[slot];
    }

    /** The slots of these nodes; null when one of them is a copy, about which nothing is known. */
    int @Nullable [] slots(List<NodeInfo> nodes) {
        int[] slots = new int[nodes.size()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = index.ownSlotOf(nodes.get(i));
            if (slots[i] == NodeInfo.NO_SLOT) {
                return null;
            }
        }
        return slots;
    }

    /**
     * Writes the scores of the nodes in these slots, after asking {@code score} again about every node that changed, whether it is
     * among them or not; it may answer {@link #NO_SCORE}, or fail, which comes to the same.
     *
     * @param revision of the scores; about all nodes when it is another than before
     * @return false when one of them is not known, {@code into} then being of no use
     */
    boolean scores(int number, long revision, ToLongFunction<NodeInfo> score, int[] slots, long[] into) {
        long[] known = refreshed(number, revision, score);
        for (int i = 0; i < into.length; i++) {
            into[i] = known[slots[i]];
            if (into[i] == NO_SCORE) {
                return false;
            }
        }
        return true;
    }

    /** Forgets a sum that was made of others than these. */
    void sumOf(int number, List<?> summands) {
        Column column = column(number);
        if (!column.summands.equals(summands)) {
            column.summands = List.copyOf(summands);
            column.seen = 0;
        }
    }

    private Column column(int number) {
        Column column = columns[number];
        if (column == null) {
            column = new Column();
            columns[number] = column;
        }
        return column;
    }

    private long[] refreshed(int number, long revision, ToLongFunction<NodeInfo> score) {
        Column column = column(number);
        if (column.revision != revision) {
            column.revision = revision;
            column.seen = 0;
        }
        if (column.scores.length < index.slots()) {
            column.scores = Arrays.copyOf(column.scores, index.slots() + index.slots() / 8);
        }
        long[] scores = column.scores;
        index.changedSince(column.seen, slot -> {
            NodeInfo node = index.at(slot);
            scores[slot] = node == null ? NO_SCORE : scoreOf(node, score);
        });
        column.seen = index.generation();
        return scores;
    }

    private static long scoreOf(NodeInfo node, ToLongFunction<NodeInfo> score) {
        try {
            return score.applyAsLong(node);
        } catch (RuntimeException | LinkageError e) {
            // Of no interest unless the node is feasible, and then it is told when the node is asked about.
            return NO_SCORE;
        }
    }
}
