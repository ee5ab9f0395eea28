package io.policyscheduler.cmd.kube.connection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Counts writes that are under way. Thread-safe. */
final class OpenWrites {
    private int count;

    synchronized void begin() {
        count++;
    }

    synchronized void end() {
        count--;
        notifyAll();
    }

    /** Waits until there is none; false when the time was over first. */
    synchronized boolean awaitNone(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        while (count > 0) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            // Rounded up: a wait of 0 ms would have no end.
            wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
        }
        return true;
    }
}
