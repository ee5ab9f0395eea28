package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.server.LoggingTimer;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Replaces the profiles of a running scheduler when their source changes. New profiles are read and checked completely first. If
 * they are invalid or cannot be read, the scheduler keeps the current ones, logs the reason, and retries with a backoff of up to
 * half a minute.
 */
public final class PolicyReloader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PolicyReloader.class);
    private static final long CLOSE_SECONDS = 2;
    private static final long FIRST_DELAY_MILLIS = 1000;
    private static final long LONGEST_DELAY_MILLIS = 30_000;
    private static final int MAX_DOUBLINGS = 5;

    private final Loader loader;
    private final ToLongFunction<Loaded> target;
    private final Listener listener;
    private final ScheduledExecutorService thread;

    // Below: only touched by the thread.
    private Loaded inEffect;
    private String lastRejection = "";

    private int failed;
    private @Nullable ScheduledFuture<?> retry;

    /**
     * Profiles as they were read.
     *
     * @param profiles checked, ready to run
     * @param text the complete source text; equal texts make equal profiles
     * @param warnings one line each
     */
    public record Loaded(List<ProfileSettings> profiles, String text, List<String> warnings) {
        public Loaded {
            profiles = List.copyOf(profiles);
            warnings = List.copyOf(warnings);
        }
    }

    /** Reads the profiles from their source. */
    @FunctionalInterface
    public interface Loader {
        /**
         * Reads and checks.
         *
         * @throws RuntimeException if they are invalid or cannot be read; the message is for users
         */
        Loaded load();
    }

    /** The callbacks of the reloader, on its thread. */
    public interface Listener {
        /** Other profiles decide from now on. */
        void onReloaded(long generation, Loaded loaded);

        /** The new profiles were rejected and the current ones stay in effect. */
        void onRefused(String cause, String reason);
    }

    /**
     * Starts a thread that waits for requests.
     *
     * @param first the profiles in effect
     * @param target puts the profiles into effect and returns their generation, as {@link LiveScheduler#reload} does
     */
    public PolicyReloader(
            Loader loader, Loaded first, ToLongFunction<Loaded> target, Listener listener, ThreadFactory threads) {
        this.loader = loader;
        this.target = target;
        this.listener = listener;
        this.inEffect = first;
        this.thread = new LoggingTimer(threads);
    }

    /**
     * Requests a check of the source. Any thread; returns immediately.
     *
     * @param cause for users, e.g. {@code file policy.json has changed}
     */
    public void request(String cause) {
        request(cause, false);
    }

    /** Requests a reload and logs its result even if nothing has changed. Any thread; returns immediately. */
    public void requestByUser(String cause) {
        request(cause, true);
    }

    private void request(String cause, boolean byUser) {
        try {
            thread.execute(() -> reload(cause, byUser));
        } catch (RejectedExecutionException e) {
            LOG.debug("ignored, policy reloading is stopped: {}", cause);
        }
    }

    private void reload(String cause, boolean byUser) {
        if (retry != null) {
            retry.cancel(false);
            retry = null;
        }
        if (load(cause, byUser)) {
            failed = 0;
            return;
        }
        // The source may only have been unavailable, and no event reports when it is available again.
        long delay = Math.min(LONGEST_DELAY_MILLIS, FIRST_DELAY_MILLIS << Math.min(failed, MAX_DOUBLINGS));
        failed++;
        try {
            retry = thread.schedule(() -> reload(cause, false), delay, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("ignored, policy reloading is stopped: {}", cause);
        }
    }

    /** False if the profiles are invalid or cannot be read. */
    private boolean load(String cause, boolean byUser) {
        String reason;
        try {
            Loaded loaded = loader.load();
            if (loaded.text().equals(inEffect.text())) {
                // A watch starts with the current state.
                LOG.atLevel(byUser ? Level.INFO : Level.DEBUG).log("{}: the policy is unchanged", cause);
                lastRejection = "";
                return true;
            }
            apply(cause, loaded);
            return true;
        } catch (RuntimeException e) {
            reason = e.getMessage() == null ? e.toString() : e.getMessage();
        }
        if (!reason.equals(lastRejection)) {
            lastRejection = reason;
            LOG.warn("W110 {}, but is rejected; the old policy stays in effect: {}", cause, reason);
            listener.onRefused(cause, reason);
        }
        return false;
    }

    private void apply(String cause, Loaded loaded) {
        long generation = target.applyAsLong(loaded);
        inEffect = loaded;
        lastRejection = "";
        LOG.info("{}: policy generation {} is now in effect", cause, generation);
        listener.onReloaded(generation, loaded);
    }

    /**
     * Changes the profiles in effect without reading the source, so that neither a file nor the API server can prevent it. Any
     * thread; returns immediately.
     *
     * @param change is called on the thread of the reloader
     */
    public void change(String cause, UnaryOperator<Loaded> change) {
        try {
            thread.execute(() -> {
                Loaded changed = change.apply(inEffect);
                if (!changed.text().equals(inEffect.text())) {
                    apply(cause, changed);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("ignored, policy reloading is stopped: {}", cause);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.debug("a reload is still running");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
