package io.policyscheduler.framework.kept;

import org.jspecify.annotations.Nullable;

/** Which of some nodes that fit by a {@link Ranking} have the highest total. A block of 64 of which all are among them is not looked into. */
public final class BestNodes {
    private final Ranking ranking;
    private final long[] nodes;
    private final int[] best;
    private final int[] ties;
    private final int total;
    private final int count;

    private BestNodes(Ranking ranking, long[] nodes, int[] best, int total) {
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
    public static @Nullable BestNodes of(Ranking ranking, long[] nodes) {
        ranking.rank();
        int[] best = new int[nodes.length];
        int total = Ranking.NONE;
        for (int block = 0; block < best.length; block++) {
            best[block] =
                    nodes[block] == ranking.fits(block) ? ranking.best(block) : ranking.bestOf(block, nodes[block]);
            if (best[block] == Ranking.UNKNOWN) {
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
