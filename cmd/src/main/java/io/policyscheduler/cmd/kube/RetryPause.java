package io.policyscheduler.cmd.kube;

import java.time.Duration;

/** How a Reflector waits before it asks again. */
public interface RetryPause {
    /**
     * Waits for so long at most.
     *
     * @return true when the wait is over because the server answers again
     */
    boolean await(Duration delay) throws InterruptedException;

    /** A request that has been sent and waits for the head of its answer. */
    interface Asking {
        /** One that nobody cuts short. */
        Asking ALONE = () -> false;

        /**
         * It waits no longer.
         *
         * @return true when it was cut short, because the server has come back since it was sent: another one is answered at once
         */
        boolean end();
    }

    /**
     * A request goes out.
     *
     * @param cutShort ends it; any thread
     */
    default Asking asking(Runnable cutShort) {
        return Asking.ALONE;
    }

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
