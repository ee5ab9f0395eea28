package io.policyscheduler.cmd.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sun.misc.Signal;
import sun.misc.SignalHandler;

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

    /** Whatever starts a process in the background, such as nohup, can have it ignore SIGINT, and Java then never gets it. */
    private static void assumeInterruptible() {
        SignalHandler before = Signal.handle(new Signal("INT"), SignalHandler.SIG_DFL);
        Signal.handle(new Signal("INT"), before);
        assumeTrue(!before.equals(SignalHandler.SIG_IGN), "skipped: this process was started with SIGINT ignored");
    }

    @Test
    void theSecondEndsTheProcess() throws Exception {
        assumeInterruptible();
        try (StopSignal stop = new StopSignal(halted::complete)) {
            Signal.raise(new Signal("TERM"));
            assertTrue(stop.await(PATIENCE));
            Signal.raise(new Signal("INT"));
            assertEquals(130, halted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
    }

    @Test
    void whoHeardTheSignalsBeforeHearsThemAgain() throws Exception {
        assumeInterruptible();
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
