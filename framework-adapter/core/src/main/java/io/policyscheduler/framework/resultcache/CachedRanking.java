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
 * The nodes for pods that are the same to some filters: which fit, and their totals as far as these depend on each node alone. A change
 * of one node is followed at one place; in blocks of 64 nodes, the best total and how many nodes have it stand ready, so that the best
 * of a large cluster are found by a look at each block.
 */
public final class CachedRanking {
    /** The total of a node that has none that can be kept. */
    static final int NONE = Integer.MIN_VALUE;
    /** The best of a block in which some fitting node has no total. */
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

    /** Takes over what the filters say, all of them refreshed. */
    @SuppressWarnings("ReferenceEquality") // as long as the order is the same, it is the same object
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

    @SuppressWarnings("ReferenceEquality") // columns are kept as objects
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
            Status answer = filters.get(i).at(slot);
            if (answer != null) {
                fit = false;
                strange |= CachedFilterResults.isOdd(answer);
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

    /** Takes over the scores, all of their columns refreshed; after {@link #refreshFits}. */
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

    /** Whether the totals of others stand here. */
    boolean addsUpOthers(List<Summand> parts) {
        return !summands.isEmpty() && !isSameSummands(parts);
    }

    @SuppressWarnings("ReferenceEquality") // columns are kept as objects
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

    /** The highest score among the nodes that fit. */
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
                // A node that does not fit may have more than all that do.
                score = part.reduction().of(Math.min(score, highest[i]), highest[i]);
            }
            total += score * part.weight();
        }
        return (int) total;
    }

    /** Finds the best of each block that has changed; after the totals are up to date. */
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

    /** The highest total of some nodes of a block; {@link #NONE} for no node, {@link #UNKNOWN} when one of them has no total. */
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

    /** How many of some nodes of a block have this total. */
    int tiesOf(int block, long nodes, int total) {
        int count = 0;
        for (long left = nodes; left != 0; left &= left - 1) {
            count += totals[(block << 6) + Long.numberOfTrailingZeros(left)] == total ? 1 : 0;
        }
        return count;
    }

    /** The highest total of the nodes of a block that fit, as {@link #bestOf} tells it; after {@link #rank()}. */
    int best(int block) {
        return best[block];
    }

    /** How many of them have it. */
    int ties(int block) {
        return ties[block];
    }

    /** True when some node has to be asked about in full, so that nothing can be told from here. */
    public boolean isOdd() {
        return oddCount > 0;
    }

    /** Number of nodes that fit. */
    public int fitCount() {
        return fitCount;
    }

    /** False when the node at a position that fits has no total that could be kept. */
    public boolean hasTotal(int position) {
        return totals[position] != NONE;
    }

    /** The total of the node at a position that fits. */
    public int total(int position) {
        return totals[position];
    }

    /** What a part of the totals gives to the node in a slot, before its weight. */
    public long score(int part, int slot) {
        Summand summand = summands.get(part);
        long score = summand.column().at(slot);
        return summand.reduction().isByHighest()
                ? summand.reduction().of(Math.min(score, highest[part]), highest[part])
                : score;
    }

    /** The positions whose node fits, 64 to a number; a copy. */
    public long[] fits() {
        return fits.clone();
    }

    /** The positions of a block whose node fits. */
    long fits(int block) {
        return fits[block];
    }

    /** The nodes in the order in which a search looks at them, by slot and by position. */
    public static final class Positions {
        /** Position of what is not in the order. */
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

        /** True as long as the order is still this one. */
        @SuppressWarnings("ReferenceEquality") // an order is another array as soon as anything has changed in it
        boolean isOrderOf(ClusterIndex index) {
            return slots == index.order();
        }

        /** Number of nodes. */
        public int size() {
            return slots.length;
        }

        /** The slot of the node at a position. */
        public int slot(int position) {
            return slots[position];
        }

        /** Where the node in a slot stands; negative when it is not in the order. */
        public int of(int slot) {
            return slot < bySlot.length ? bySlot[slot] : NONE;
        }

        /** The slots by position; do not modify. */
        public int[] slots() {
            return slots;
        }

        /** The first position from this one on that is in a set, 64 positions to a number; negative when there is none. */
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
    }

    /** Which of some nodes that fit by a {@link CachedRanking} have the highest total. A block of 64 of which all are among them is not looked into. */
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
         * Finds them.
         *
         * @param nodes positions, 64 to a number; at least one, each of which fits
         * @return null when one of them has no total that could be kept
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

        /** How many have it. */
        public int count() {
            return count;
        }

        /** The positions of all of them, in the order that begins at {@code start} and goes once around. */
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
                    // The block of the start is the first one and the last one.
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
         * @param number 0 for the first, in the order that begins at {@code start} and goes once around
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
            int wanted = (before + number) % count;
            int block = 0;
            while (wanted >= ties[block]) {
                wanted -= ties[block++];
            }
            for (int position = Positions.next(nodes, block << 6); ; position = Positions.next(nodes, position + 1)) {
                if (ranking.total(position) == total && wanted-- == 0) {
                    return position;
                }
            }
        }
    }

    /** Nodes by their positions in the order of nodes, as a search has found them from a position on. */
    public static final class FoundNodes {
        private final ClusterIndex index;
        private final Positions order;
        private final int start;
        private final int count;
        /** 64 positions to a number. */
        private final long[] chosen;
        /** Positions of the nodes found, in the order of the search; null as long as nobody has needed them. */
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

        /** The nodes found, 64 positions to a number; do not modify. */
        public long[] chosen() {
            return chosen;
        }

        /** Positions of the nodes found, in the order of the search. */
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
