package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions; a timeout fails with the current state. */
public final class Await {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    private Await() {}

    /**
     * Waits until the condition holds.
     *
     * @param limit the timeout
     * @param what completes "waited in vain until ..."
     * @param state describes the current state after a timeout
     * @return how long it took
     */
    public static Duration until(Duration limit, String what, BooleanSupplier condition, Supplier<String> state) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > limit.toNanos()) {
                fail("waited in vain for " + limit + " until " + what + "; " + state.get());
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** Fails if the condition becomes false within the time. */
    public static void always(Duration time, String what, BooleanSupplier condition, Supplier<String> state) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < time.toNanos()) {
            if (!condition.getAsBoolean()) {
                fail("it did not stay true that " + what + "; " + state.get());
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
