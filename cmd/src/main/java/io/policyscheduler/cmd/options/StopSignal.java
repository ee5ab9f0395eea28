package io.policyscheduler.cmd.options;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Hears SIGTERM and SIGINT, and lets the process end only after {@link #close()}, which comes when everything is stopped in
 * an orderly way; or after ten seconds.
 */
public final class StopSignal implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 10;

    private final CountDownLatch given = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread hook = new Thread(this::run, "stop");

    public StopSignal() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void run() {
        given.countDown();
        try {
            if (!stopped.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the process is to stop. */
    public boolean isGiven() {
        return given.getCount() == 0;
    }

    /** Waits for the signal; true once it is given. */
    public boolean await(Duration patience) throws InterruptedException {
        return given.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** All is stopped. */
    @Override
    public void close() {
        stopped.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook runs already, and now ends.
            given.countDown();
        }
    }
}
