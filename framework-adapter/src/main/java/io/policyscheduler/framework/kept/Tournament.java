package io.policyscheduler.framework.kept;

import java.util.Arrays;

/** The best of many slots, found again after a change by as many comparisons as the number of slots has binary digits. */
final class Tournament {
    /** In place of a slot. */
    static final int NOBODY = -1;

    /** Tells which of two slots is better. */
    @FunctionalInterface
    interface Contest {
        /** True when {@code one} is better than {@code other}; never asked about a slot that does not take part. */
        boolean isBetter(int one, int other);
    }

    private final Contest contest;
    /** The winner at 1, those of the two halves at 2 and 3 and so on; the slots themselves in the second half. */
    private int[] winners = {NOBODY, NOBODY};

    private int leaves = 1;

    Tournament(Contest contest) {
        this.contest = contest;
    }

    /** Makes room for slots below a number. */
    void grow(int slots) {
        if (slots <= leaves) {
            return;
        }
        int more = Integer.highestOneBit(slots - 1) << 1;
        int[] grown = new int[2 * more];
        Arrays.fill(grown, NOBODY);
        System.arraycopy(winners, leaves, grown, more, leaves);
        winners = grown;
        leaves = more;
        for (int at = more - 1; at > 0; at--) {
            winners[at] = winnerOf(at);
        }
    }

    /** A slot has become another one, or takes part no longer. */
    void set(int slot, boolean takesPart) {
        int at = leaves + slot;
        if (!takesPart && winners[at] == NOBODY) {
            return;
        }
        winners[at] = takesPart ? slot : NOBODY;
        for (at >>= 1; at > 0; at >>= 1) {
            winners[at] = winnerOf(at);
        }
    }

    private int winnerOf(int at) {
        int left = winners[2 * at];
        int right = winners[2 * at + 1];
        if (left == NOBODY || right == NOBODY) {
            return left == NOBODY ? right : left;
        }
        return contest.isBetter(right, left) ? right : left;
    }

    /** The best slot, or {@link #NOBODY}. */
    int winner() {
        return winners[1];
    }
}
