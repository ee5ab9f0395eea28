package io.policyscheduler.framework.resultcache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.resultcache.VictimCache.CachedVictims.Tournament;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TournamentTest {
    private final int[] values = new int[100];
    private final boolean[] there = new boolean[100];
    private final Tournament tournament = new Tournament(
            (one, other) -> values[one] < values[other] || (values[one] == values[other] && one < other));

    private int expected() {
        int best = Tournament.NOBODY;
        for (int slot = 0; slot < there.length; slot++) {
            if (there[slot] && (best < 0 || values[slot] < values[best])) {
                best = slot;
            }
        }
        return best;
    }

    @Test
    void nobodyWinsAmongNone() {
        assertEquals(Tournament.NOBODY, tournament.winner());
        tournament.grow(5);
        tournament.set(3, false);
        assertEquals(Tournament.NOBODY, tournament.winner());
    }

    @Test
    void followsChangesWhileItGrows() {
        SplittableRandom random = new SplittableRandom(1);
        for (int slots = 1; slots <= there.length; slots++) {
            tournament.grow(slots);
            for (int change = 0; change < 20; change++) {
                int slot = random.nextInt(slots);
                values[slot] = random.nextInt(30);
                there[slot] = random.nextInt(3) > 0;
                tournament.set(slot, there[slot]);
                assertEquals(expected(), tournament.winner());
            }
        }
    }
}
