package io.policyscheduler.cmd.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sun.misc.Signal;

class StopSignalTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final CompletableFuture<Integer> halted = new CompletableFuture<>();

    @Test
    void isGivenByTheFirstSignal() throws Exception {
        try (StopSignal stop = new StopSignal(halted::complete)) {
            assertFalse(stop.isGiven());
            assertFalse(stop.await(Duration.ZERO));
            Signal.raise(new Signal("TERM"));
            assertTrue(stop.await(PATIENCE));
            assertEquals("SIGTERM", stop.name());
        }
        assertFalse(halted.isDone());
    }

    @Test
    void theSecondEndsTheProcess() throws Exception {
        try (StopSignal stop = new StopSignal(halted::complete)) {
            Signal.raise(new Signal("TERM"));
            assertTrue(stop.await(PATIENCE));
            Signal.raise(new Signal("INT"));
            assertEquals(130, halted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
    }

    @Test
    void whoHeardTheSignalsBeforeHearsThemAgain() throws Exception {
        try (StopSignal outer = new StopSignal(halted::complete)) {
            try (StopSignal inner = new StopSignal(halted::complete)) {
                assertFalse(inner.isGiven());
            }
            Signal.raise(new Signal("INT"));
            assertTrue(outer.await(PATIENCE));
            assertEquals("SIGINT", outer.name());
        }
    }
}
