package io.policyscheduler.framework.resultcache;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.resultcache.CachedScores.Summand;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The feasibility and totals of nodes for pods that are equivalent to some filters, as far as these depend on each node alone. A
 * change of one node updates one entry. Each block of 64 nodes stores its best total and the number of nodes that have it, so the
 * best nodes of a large cluster are found by visiting each block.
 */
public final class CachedRanking {
    /** The total of a node without a cacheable total. */
    static final int NONE = Integer.MIN_VALUE;
    /** The best total of a block in which some feasible node has no total. */
    static final int UNKNOWN = Integer.MAX_VALUE;

    private Positions positions;
    private List<CachedFilterResults> filters = List.of();
    private long fitVersions = -1;
    private long fitsSeen;
    private long[] fits = new long[0];
    private long[] odd = new long[0];
    private int fitCount;
    private int oddCount;

    private List<Summand> summands = List.of();
    private long[] highest = new long[0];
    private long totalVersions = -1;
    private long totalsSeen;
    private int[] totals = new int[0];

    private long[] changedBlocks = new long[0];
    private int[] best = new int[0];
    private int[] ties = new int[0];

    CachedRanking(Positions positions) {
        this.positions = positions;
        lay(positions);
    }

    private void lay(Positions now) {
        positions = now;
        int blocks = (now.size() + 63) >> 6;
        fits = new long[blocks];
        odd = new long[blocks];
        best = new int[blocks];
        ties = new int[blocks];
        changedBlocks = new long[(blocks + 63) >> 6];
        totals = new int[now.size()];
        fitCount = 0;
        oddCount = 0;
        fitVersions = -1;
        totalVersions = -1;
    }

    /** Applies refreshed filter results. */
    @SuppressWarnings("ReferenceEquality") // an unchanged order is the same object
    void refreshFits(ClusterIndex index, Positions now, List<CachedFilterResults> columns) {
        if (positions != now) {
            lay(now);
        }
        long versions = 0;
        for (int i = 0; i < columns.size(); i++) {
            versions += columns.get(i).version();
        }
        if (fitVersions == versions && isSame(filters, columns)) {
            index.changedSince(fitsSeen, slot -> {
                int position = positions.of(slot);
                if (position >= 0) {
                    fit(position, slot);
                }
            });
        } else {
            filters = List.copyOf(columns);
            fitVersions = versions;
            for (int position = 0; position < positions.size(); position++) {
                fit(position, positions.slot(position));
            }
        }
        fitsSeen = index.generation();
    }

    @SuppressWarnings("ReferenceEquality") // columns are compared by identity
    private static boolean isSame(List<CachedFilterResults> known, List<CachedFilterResults> now) {
        if (known.size() != now.size()) {
            return false;
        }
        for (int i = 0; i < now.size(); i++) {
            if (known.get(i) != now.get(i)) {
                return false;
            }
        }
        return true;
    }

    private void fit(int position, int slot) {
        boolean fit = true;
        boolean strange = false;
        for (int i = 0; i < filters.size(); i++) {
            Status result = filters.get(i).at(slot);
            if (result != null) {
                fit = false;
                strange |= CachedFilterResults.isOdd(result);
            }
        }
        int block = position >> 6;
        long bit = 1L << position;
        if (fit != ((fits[block] & bit) != 0)) {
            fits[block] ^= bit;
            fitCount += fit ? 1 : -1;
        }
        if (strange != ((odd[block] & bit) != 0)) {
            odd[block] ^= bit;
            oddCount += strange ? 1 : -1;
        }
        changedBlocks[block >> 6] |= 1L << block;
    }

    /** Applies refreshed scores; after {@link #refreshFits}. */
    void refreshTotals(ClusterIndex index, List<Summand> parts) {
        long versions = 0;
        for (int i = 0; i < parts.size(); i++) {
            versions += parts.get(i).column().version();
        }
        boolean isHighestSame = isSameSummands(parts) && versions == totalVersions;
        if (!isHighestSame) {
            summands = List.copyOf(parts);
            highest = new long[parts.size()];
            totalVersions = versions;
        }
        for (int i = 0; i < parts.size(); i++) {
            long now = parts.get(i).reduction().isByHighest()
                    ? highest(parts.get(i).column())
                    : 0;
            isHighestSame &= now == highest[i];
            highest[i] = now;
        }
        if (isHighestSame) {
            index.changedSince(totalsSeen, slot -> {
                int position = positions.of(slot);
                if (position >= 0) {
                    totals[position] = totalOf(slot);
                    changedBlocks[position >> 12] |= 1L << (position >> 6);
                }
            });
        } else {
            for (int position = 0; position < totals.length; position++) {
                totals[position] = totalOf(positions.slot(position));
            }
            Arrays.fill(changedBlocks, -1L);
        }
        totalsSeen = index.generation();
    }

    /** Whether the stored totals consist of other summands. */
    boolean addsUpOthers(List<Summand> parts) {
        return !summands.isEmpty() && !isSameSummands(parts);
    }

    @SuppressWarnings("ReferenceEquality") // columns are compared by identity
    private boolean isSameSummands(List<Summand> now) {
        if (summands.size() != now.size()) {
            return false;
        }
        for (int i = 0; i < now.size(); i++) {
            Summand a = summands.get(i);
            Summand b = now.get(i);
            if (a.column() != b.column() || a.weight() != b.weight() || a.reduction() != b.reduction()) {
                return false;
            }
        }
        return true;
    }

    /** The highest score among the feasible nodes. */
    private long highest(CachedScores column) {
        long found = 0;
        if (!column.isAll0()) {
            for (int position = Positions.next(fits, 0); position >= 0; position = Positions.next(fits, position + 1)) {
                found = Math.max(found, column.at(positions.slot(position)));
            }
        }
        return found;
    }

    private int totalOf(int slot) {
        long total = 0;
        for (int i = 0; i < summands.size(); i++) {
            Summand part = summands.get(i);
            long score = part.column().at(slot);
            if (score == CachedScores.NONE) {
                return NONE;
            }
            if (part.reduction().isByHighest()) {
                // An infeasible node may have a higher score than all feasible ones.
                score = part.reduction().of(Math.min(score, highest[i]), highest[i]);
            }
            total += score * part.weight();
        }
        return (int) total;
    }

    /** Computes the best of each changed block; after totals are refreshed. */
    void rank() {
        for (int word = 0; word < changedBlocks.length; word++) {
            for (long left = changedBlocks[word]; left != 0; left &= left - 1) {
                int block = (word << 6) + Long.numberOfTrailingZeros(left);
                if (block < best.length) {
                    rank(block);
                }
            }
            changedBlocks[word] = 0;
        }
    }

    private void rank(int block) {
        best[block] = bestOf(block, fits[block]);
        ties[block] = tiesOf(block, fits[block], best[block]);
    }

    /** The highest total of some nodes of a block; {@link #NONE} for no node, {@link #UNKNOWN} if one of them has no total. */
    int bestOf(int block, long nodes) {
        int most = NONE;
        for (long left = nodes; left != 0; left &= left - 1) {
            int total = totals[(block << 6) + Long.numberOfTrailingZeros(left)];
            if (total == NONE) {
                return UNKNOWN;
            }
            most = Math.max(most, total);
        }
        return most;
    }

    /** The number of these nodes of a block with this total. */
    int tiesOf(int block, long nodes, int total) {
        int count = 0;
        for (long left = nodes; left != 0; left &= left - 1) {
            count += totals[(block << 6) + Long.numberOfTrailingZeros(left)] == total ? 1 : 0;
        }
        return count;
    }

    /** The highest total of the feasible nodes of a block, as in {@link #bestOf}; after {@link #rank()}. */
    int best(int block) {
        return best[block];
    }

    /** The number of feasible nodes of a block with the highest total. */
    int ties(int block) {
        return ties[block];
    }

    /** True if the result of some node is not cached, so that this ranking is unusable. */
    public boolean isOdd() {
        return oddCount > 0;
    }

    /** The number of feasible nodes. */
    public int fitCount() {
        return fitCount;
    }

    /** False if the feasible node at a position has no cacheable total. */
    public boolean hasTotal(int position) {
        return totals[position] != NONE;
    }

    /** The total of the feasible node at a position. */
    public int total(int position) {
        return totals[position];
    }

    /** The score of a summand for the node in a slot, before its weight. */
    public long score(int part, int slot) {
        Summand summand = summands.get(part);
        long score = summand.column().at(slot);
        return summand.reduction().isByHighest()
                ? summand.reduction().of(Math.min(score, highest[part]), highest[part])
                : score;
    }

    /** The positions of feasible nodes, 64 per long; a copy. */
    public long[] fits() {
        return fits.clone();
    }

    /** The feasible positions of a block. */
    long fits(int block) {
        return fits[block];
    }

    /** The nodes in search order, by slot and by position. */
    public static final class Positions {
        /** The position of a slot that is not in the order. */
        static final int NONE = -1;

        private final int[] slots;
        private final int[] bySlot;

        private Positions(int[] slots, int[] bySlot) {
            this.slots = slots;
            this.bySlot = bySlot;
        }

        static Positions of(ClusterIndex index) {
            int[] slots = index.order();
            int[] bySlot = new int[index.slots()];
            Arrays.fill(bySlot, NONE);
            for (int i = 0; i < slots.length; i++) {
                bySlot[slots[i]] = i;
            }
            return new Positions(slots, bySlot);
        }

        /** True while the order of the index is unchanged. */
        @SuppressWarnings("ReferenceEquality") // the index replaces the array on each change of the order
        boolean isOrderOf(ClusterIndex index) {
            return slots == index.order();
        }

        /** The number of nodes. */
        public int size() {
            return slots.length;
        }

        /** The slot of the node at a position. */
        public int slot(int position) {
            return slots[position];
        }

        /** The position of the node in a slot; negative if it is not in the order. */
        public int of(int slot) {
            return slot < bySlot.length ? bySlot[slot] : NONE;
        }

        /** The slots by position; do not modify. */
        public int[] slots() {
            return slots;
        }

        /** The first member of a set from this position on, 64 positions per long; negative if there is none. */
        public static int next(long[] set, int from) {
            int block = from >> 6;
            if (block >= set.length) {
                return -1;
            }
            long bits = set[block] & (-1L << from);
            while (bits == 0) {
                if (++block == set.length) {
                    return -1;
                }
                bits = set[block];
            }
            return (block << 6) + Long.numberOfTrailingZeros(bits);
        }

        /** The first position from this one on that is not a member of a set, 64 positions per long. */
        public static int nextOutside(long[] set, int from) {
            int block = from >> 6;
            if (block >= set.length) {
                return from;
            }
            long others = ~set[block] & (-1L << from);
            while (others == 0) {
                if (++block == set.length) {
                    return block << 6;
                }
                others = ~set[block];
            }
            return (block << 6) + Long.numberOfTrailingZeros(others);
        }
    }

    /**
     * The nodes with the highest total among some feasible nodes of a {@link CachedRanking}. Blocks of 64 that are fully included
     * need no visit of their nodes.
     */
    public static final class BestNodes {
        private final CachedRanking ranking;
        private final long[] nodes;
        private final int[] best;
        private final int[] ties;
        private final int total;
        private final int count;

        private BestNodes(CachedRanking ranking, long[] nodes, int[] best, int total) {
            this.ranking = ranking;
            this.nodes = nodes;
            this.best = best;
            this.total = total;
            this.ties = new int[best.length];
            int all = 0;
            for (int block = 0; block < best.length; block++) {
                if (best[block] == total) {
                    ties[block] = nodes[block] == ranking.fits(block)
                            ? ranking.ties(block)
                            : ranking.tiesOf(block, nodes[block], total);
                    all += ties[block];
                }
            }
            this.count = all;
        }

        /**
         * Finds the best nodes.
         *
         * @param nodes positions, 64 per long; at least one, all feasible
         * @return null if one of them has no cacheable total
         */
        public static @Nullable BestNodes of(CachedRanking ranking, long[] nodes) {
            ranking.rank();
            int[] best = new int[nodes.length];
            int total = CachedRanking.NONE;
            for (int block = 0; block < best.length; block++) {
                best[block] =
                        nodes[block] == ranking.fits(block) ? ranking.best(block) : ranking.bestOf(block, nodes[block]);
                if (best[block] == CachedRanking.UNKNOWN) {
                    return null;
                }
                total = Math.max(total, best[block]);
            }
            return new BestNodes(ranking, nodes, best, total);
        }

        /** The highest total. */
        public int total() {
            return total;
        }

        /** The number of nodes with the highest total. */
        public int count() {
            return count;
        }

        /** Their positions, in the circular order that begins at {@code start}. */
        public int[] positions(int start) {
            int[] positions = new int[count];
            int next = 0;
            int first = start >> 6;
            for (int i = 0; i <= nodes.length; i++) {
                int block = first + i < nodes.length ? first + i : first + i - nodes.length;
                if (block >= nodes.length || ties[block] == 0) {
                    continue;
                }
                long left = nodes[block];
                if (block == first) {
                    // The block of the start is visited first and last.
                    left &= i == 0 ? -1L << start : ~(-1L << start);
                }
                for (; left != 0; left &= left - 1) {
                    int position = (block << 6) + Long.numberOfTrailingZeros(left);
                    if (ranking.total(position) == total) {
                        positions[next++] = position;
                    }
                }
            }
            return positions;
        }

        /**
         * The position of one of them.
         *
         * @param number 0 for the first, in the circular order that begins at {@code start}
         */
        public int at(int number, int start) {
            int before = 0;
            for (int block = 0; block < start >> 6; block++) {
                before += ties[block];
            }
            int first = start >> 6;
            if (first < nodes.length && ties[first] > 0) {
                before += ranking.tiesOf(first, nodes[first] & ~(-1L << start), total);
            }
            int index = (before + number) % count;
            int block = 0;
            while (index >= ties[block]) {
                index -= ties[block++];
            }
            for (int position = Positions.next(nodes, block << 6); ; position = Positions.next(nodes, position + 1)) {
                if (ranking.total(position) == total && index-- == 0) {
                    return position;
                }
            }
        }
    }

    /** The nodes that a search found, by position in the circular order of the search. */
    public static final class FoundNodes {
        private final ClusterIndex index;
        private final Positions order;
        private final int start;
        private final int count;
        /** 64 positions per long. */
        private final long[] chosen;
        /** Positions of the nodes found, in search order; null until first used. */
        private int @Nullable [] found;

        public FoundNodes(ClusterIndex index, Positions order, int start, long[] chosen, int count) {
            this.index = index;
            this.order = order;
            this.start = start;
            this.chosen = chosen;
            this.count = count;
        }

        /** Number of nodes found. */
        public int count() {
            return count;
        }

        /** The nodes found, 64 positions per long; do not modify. */
        public long[] chosen() {
            return chosen;
        }

        /** Positions of the nodes found, in search order. */
        public int[] positions() {
            if (found == null) {
                int[] at = new int[count];
                int next = 0;
                if (count == order.size()) {
                    for (int position = start; position < count; position++) {
                        at[next++] = position;
                    }
                    for (int position = 0; position < start; position++) {
                        at[next++] = position;
                    }
                    found = at;
                    return at;
                }
                for (int position = Positions.next(chosen, start);
                        position >= 0;
                        position = Positions.next(chosen, position + 1)) {
                    at[next++] = position;
                }
                for (int position = Positions.next(chosen, 0);
                        position >= 0 && position < start;
                        position = Positions.next(chosen, position + 1)) {
                    at[next++] = position;
                }
                found = at;
            }
            return found;
        }

        /** The slots of the nodes found; do not modify. */
        public int[] slots() {
            if (count == order.size() && start == 0) {
                return order.slots();
            }
            int[] slots = positions().clone();
            for (int i = 0; i < count; i++) {
                slots[i] = order.slot(slots[i]);
            }
            return slots;
        }

        /** The node at any position, found or not. */
        public NodeInfo nodeAt(int position) {
            int slot = order.slot(position);
            NodeInfo node = index.at(slot);
            if (node == null) {
                throw new IllegalStateException("no node in slot " + slot + " of the order");
            }
            return node;
        }

        /** The nodes found. */
        public List<NodeInfo> nodes() {
            return new Nodes();
        }

        private final class Nodes extends AbstractList<NodeInfo> implements RandomAccess {
            @Override
            public NodeInfo get(int index) {
                return nodeAt(positions()[index]);
            }

            @Override
            public int size() {
                return count;
            }
        }
    }
}
