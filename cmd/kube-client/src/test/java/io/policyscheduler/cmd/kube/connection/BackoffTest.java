package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {
    /** Always draws 0.5 from [0, 1). */
    private static final RandomGenerator HALF = () -> 1L << 63;

    private static List<Long> millis(Backoff backoff, int count) {
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            delays.add(backoff.next().toMillis());
        }
        return delays;
    }

    @Test
    void doublesUpToTheMaximum() {
        Backoff backoff = new Backoff(Duration.ofMillis(800), Duration.ofSeconds(30), 2, 0, HALF);
        assertEquals(List.of(800L, 1600L, 3200L, 6400L, 12800L, 25600L, 30000L, 30000L), millis(backoff, 8));
        backoff.reset();
        assertEquals(List.of(800L, 1600L), millis(backoff, 2));
    }

    @Test
    void jitterAddsItsShareOfTheDelay() {
        Backoff backoff = new Backoff(Duration.ofMillis(800), Duration.ofSeconds(3), 2, 1, HALF);
        assertEquals(List.of(1200L, 2400L, 4500L, 4500L), millis(backoff, 4));
    }

    @Test
    void watchDelaysStayWithinTheirBounds() {
        Backoff backoff = Backoff.forWatch(new SplittableRandom(1));
        long base = 800;
        for (int i = 0; i < 100; i++) {
            long delay = backoff.next().toMillis();
            assertTrue(delay >= base && delay <= 2 * base, delay + " for base " + base);
            base = Math.min(30_000, base * 2);
        }
    }

    @ParameterizedTest
    @CsvSource({"-1, 10, 2, 0", "11, 10, 2, 0", "1, 10, 0.5, 0", "1, 10, NaN, 0", "1, 10, 2, -0.1"})
    void refusesNonsense(long initial, long max, double factor, double jitter) {
        assertThrows(
                IllegalArgumentException.class,
                () -> new Backoff(Duration.ofMillis(initial), Duration.ofMillis(max), factor, jitter, HALF));
    }
}
