package io.policyscheduler.cmd.kube.connection;

import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Jittered exponential delays, as client-go's wait.Backoff: {@code base * [1, 1 + jitter)}, where base starts at
 * {@code initial} and is multiplied by {@code factor} up to {@code max}. Not thread-safe.
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

    /** The reflector's delays: 800 ms, 1.6 s, ... 30 s, each up to doubled by jitter. */
    public static Backoff forWatch(RandomGenerator random) {
        return new Backoff(Duration.ofMillis(800), Duration.ofSeconds(30), 2, 1, random);
    }

    /** The delays of a reflector whose watches end at once: 500 ms, 1 s, ... 5 s, each up to doubled by jitter. */
    public static Backoff forShortWatches(RandomGenerator random) {
        return new Backoff(Duration.ofMillis(500), Duration.ofSeconds(5), 2, 1, random);
    }

    /** The delay before the next attempt. */
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
        static Bounds of(Sleeper sleeper) {
            return delay -> {
                sleeper.sleep(delay);
                return false;
            };
        }
    }
}
