package io.policyscheduler.cmd.kube;

import java.time.Duration;

/** How a {@link Reflector} waits before it asks again. */
interface RetryPause {
    /**
     * Waits for so long at most.
     *
     * @return true when the wait is over because the server answers again
     */
    boolean await(Duration delay) throws InterruptedException;

    /** The server answers the caller. */
    default void connected() {}

    /** The server no longer answers one that it did answer. */
    default void disconnected() {}

    /** Waits for all of the time. */
    static RetryPause of(Sleeper sleeper) {
        return delay -> {
            sleeper.sleep(delay);
            return false;
        };
    }
}
