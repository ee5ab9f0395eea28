package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions; a wait that is in vain fails with the state it ended in. */
public final class Await {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    private Await() {}

    /**
     * Waits until the condition holds.
     *
     * @param limit how long at most
     * @param what completes "waited in vain until ..."
     * @param state asked for when the time is over
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

    /** Fails as soon as the condition is broken within the time. */
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
