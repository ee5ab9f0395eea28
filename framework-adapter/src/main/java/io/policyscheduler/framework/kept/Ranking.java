package io.policyscheduler.framework.kept;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.framework.plugin.Status;
import java.util.Arrays;
import java.util.List;

/**
 * The nodes for pods of one class: which fit, and their totals as far as these depend on each node alone. A change of one node is
 * followed at one place; in blocks of 64 nodes, the best total and how many nodes have it stand ready, so that the best of a large
 * cluster are found by a look at each block.
 */
public final class Ranking {
    /** The total of a node that has none that can be kept. */
    private static final int NONE = Integer.MIN_VALUE;
    /** The best of a block in which some fitting node has no total. */
    private static final int UNKNOWN = Integer.MAX_VALUE;

    private Positions positions;
    private List<FitColumn> filters = List.of();
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

    Ranking(Positions positions) {
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
    void refreshFits(ClusterIndex index, Positions now, List<FitColumn> columns) {
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
    private static boolean isSame(List<FitColumn> known, List<FitColumn> now) {
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
                strange |= FitColumn.isOdd(answer);
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

    /**
     * Takes over the scores, all of their columns refreshed; after {@link #refreshFits}.
     *
     * @return false when a node that fits has no score that could be kept; nothing is known of the totals then
     */
    boolean refreshTotals(ClusterIndex index, List<Summand> parts) {
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
        return rankBlocks();
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
    private long highest(ScoreColumn column) {
        long found = 0;
        if (!column.isAll0()) {
            for (int position = nextFit(0); position >= 0; position = nextFit(position + 1)) {
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
            if (score == ScoreColumn.NONE) {
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

    private boolean rankBlocks() {
        boolean isKnown = true;
        for (int word = 0; word < changedBlocks.length; word++) {
            long bits = changedBlocks[word];
            while (bits != 0) {
                int block = (word << 6) + Long.numberOfTrailingZeros(bits);
                bits &= bits - 1;
                if (block < best.length) {
                    rank(block);
                }
            }
            changedBlocks[word] = 0;
        }
        for (int of : best) {
            isKnown &= of != UNKNOWN;
        }
        return isKnown;
    }

    private void rank(int block) {
        int most = NONE;
        int count = 0;
        long bits = fits[block];
        while (bits != 0) {
            int total = totals[(block << 6) + Long.numberOfTrailingZeros(bits)];
            bits &= bits - 1;
            if (total == NONE) {
                best[block] = UNKNOWN;
                return;
            }
            if (total > most) {
                most = total;
                count = 0;
            }
            count += total == most ? 1 : 0;
        }
        best[block] = most;
        ties[block] = count;
    }

    /** True when some node has to be asked about in full, so that nothing can be told from here. */
    public boolean isOdd() {
        return oddCount > 0;
    }

    /** Number of nodes that fit. */
    public int fitCount() {
        return fitCount;
    }

    /** The first position from this one on whose node fits; negative when there is none. */
    public int nextFit(int from) {
        int block = from >> 6;
        if (block >= fits.length) {
            return -1;
        }
        long bits = fits[block] & (-1L << from);
        while (bits == 0) {
            if (++block == fits.length) {
                return -1;
            }
            bits = fits[block];
        }
        return (block << 6) + Long.numberOfTrailingZeros(bits);
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

    /** The highest total; some node has to fit. */
    public int best() {
        int most = NONE;
        for (int of : best) {
            most = Math.max(most, of);
        }
        return most;
    }

    /** How many nodes have this total, which is the highest. */
    public int ties(int total) {
        int count = 0;
        for (int block = 0; block < best.length; block++) {
            count += best[block] == total ? ties[block] : 0;
        }
        return count;
    }

    /**
     * The position of one of the nodes that have the highest total.
     *
     * @param number 0 for the first, in the order that begins at {@code start} and goes once around
     */
    public int tie(int total, int number, int start, int count) {
        int before = 0;
        for (int block = 0; block < start >> 6; block++) {
            before += best[block] == total ? ties[block] : 0;
        }
        for (int position = nextFit(start & ~63); position >= 0 && position < start; position = nextFit(position + 1)) {
            before += totals[position] == total ? 1 : 0;
        }
        int wanted = (before + number) % count;
        for (int block = 0; block < best.length; block++) {
            if (best[block] != total) {
                continue;
            }
            if (wanted >= ties[block]) {
                wanted -= ties[block];
                continue;
            }
            for (int position = nextFit(block << 6); position >= 0; position = nextFit(position + 1)) {
                if (totals[position] == total && wanted-- == 0) {
                    return position;
                }
            }
        }
        throw new IllegalStateException("no node to choose from");
    }
}
