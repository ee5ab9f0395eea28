package io.policyscheduler.cmd.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.page.PageRates.LatencyWindow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatencyWindowTest {
    private final LatencyWindow window = new LatencyWindow();

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, 8, 9, 1000, 123_456, 1_000_000_000, Long.MAX_VALUE / 2})
    void aTimeIsKeptToATenth(long nanos) {
        window.add(nanos);
        LatencyWindow.Quantiles taken = window.take();
        assertEquals(1, taken.count());
        assertEquals(taken.median(), taken.high());
        long expected = Math.max(1, nanos);
        assertTrue(Math.abs(taken.median() - expected) <= Math.max(3, expected / 10), taken.toString());
    }

    @Test
    void quantilesOfManyAndThenOfNone() {
        for (int i = 0; i < 98; i++) {
            window.add(1000);
        }
        window.add(1_000_000);
        window.add(1_000_000);
        LatencyWindow.Quantiles taken = window.take();
        assertEquals(100, taken.count());
        assertTrue(taken.median() < 1100 && taken.high() > 900_000, taken.toString());
        assertEquals(new LatencyWindow.Quantiles(-1, -1, 0), window.take());
    }
}
