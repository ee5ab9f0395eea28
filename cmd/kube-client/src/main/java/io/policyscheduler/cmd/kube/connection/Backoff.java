package io.policyscheduler.cmd.kube.connection;

import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Exponential delays with jitter, as {@code wait.Backoff} of client-go: {@code base * [1, 1 + jitter)}. The base starts at {@code initial}
 * and grows by {@code factor} up to {@code max}. Not thread-safe.
 */
public final class Backoff {
    private final Duration initial;
    private final Duration max;
    private final double factor;
    private final double jitter;
    private final RandomGenerator random;
    private Duration base;

    /**
     * @param factor growth, at least 1
     * @param jitter largest random addition as a share of the delay, 0 for none
     */
    public Backoff(Duration initial, Duration max, double factor, double jitter, RandomGenerator random) {
        if (initial.isNegative() || max.compareTo(initial) < 0 || !(factor >= 1) || !(jitter >= 0)) {
            throw new IllegalArgumentException(
                    "backoff: initial " + initial + ", max " + max + ", factor " + factor + ", jitter " + jitter);
        }
        this.initial = initial;
        this.max = max;
        this.factor = factor;
        this.jitter = jitter;
        this.random = random;
        this.base = initial;
    }

    /** Returns the delays of a reflector: 800 ms, 1.6 s, ... 30 s, each up to doubled by jitter. */
    public static Backoff forWatch(RandomGenerator random) {
        return new Backoff(Duration.ofMillis(800), Duration.ofSeconds(30), 2, 1, random);
    }

    /** Returns the delays of a reflector whose watches end at once: 500 ms, 1 s, ... 5 s, each up to doubled by jitter. */
    public static Backoff forShortWatches(RandomGenerator random) {
        return new Backoff(Duration.ofMillis(500), Duration.ofSeconds(5), 2, 1, random);
    }

    /** Returns the delay before the next attempt. */
    public Duration next() {
        Duration delay = scale(base, 1 + jitter * random.nextDouble());
        Duration grown = scale(base, factor);
        base = grown.compareTo(max) > 0 ? max : grown;
        return delay;
    }

    /** Starts over from the initial delay. */
    public void reset() {
        base = initial;
    }

    private static Duration scale(Duration duration, double by) {
        return Duration.ofNanos((long) (duration.toNanos() * by));
    }

    /** The delays of a reflector between failed requests. */
    public interface Bounds {
        /**
         * Waits for at most this time.
         *
         * @return true if the wait ended early because the server responds again
         */
        boolean await(Duration delay) throws InterruptedException;

        /** A request that waits for the head of its response. */
        interface PendingRequest {
            /** A request that is never canceled. */
            PendingRequest ALONE = () -> false;

            /**
             * Ends the wait.
             *
             * @return true if the request was canceled because the server has recovered since it was sent; it can be repeated at once
             */
            boolean end();
        }

        /**
         * Registers a request.
         *
         * @param cutShort cancels it; any thread
         */
        default PendingRequest asking(Runnable cutShort) {
            return PendingRequest.ALONE;
        }

        /** The watch of the caller is connected. */
        default void connected() {}

        /** A connected watch has failed. */
        default void disconnected() {}

        /** Returns bounds that wait for the whole time. */
        static Bounds of(Sleeper sleeper) {
            return delay -> {
                sleeper.sleep(delay);
                return false;
            };
        }
    }
}
