package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The thread that runs a {@link Scheduler}. An exception is a bug: it ends the thread, and {@link #failure()} returns it. */
public final class SchedulerThread implements AutoCloseable {
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(10);

    private final Scheduler scheduler;
    private final Thread thread;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean closing;
    private volatile long deadlineNanos;
    private volatile @Nullable Throwable failure;

    /** Creates the thread of {@code scheduler}, which it owns from {@link #start()} on. */
    public SchedulerThread(Scheduler scheduler, String name) {
        this.scheduler = scheduler;
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    /** Starts scheduling. */
    public void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!isFinished()) {
                if (!scheduler.runOnce()) {
                    scheduler.inbox().await(waitNanos());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            failure = e;
            throw e;
        } finally {
            scheduler.closeProfiles();
            ended.countDown();
        }
    }

    private boolean isFinished() {
        if (!closing) {
            return false;
        }
        scheduler.stop();
        return scheduler.inFlight().bindingCount() == 0 || System.nanoTime() - deadlineNanos >= 0;
    }

    private long waitNanos() {
        long timer = scheduler.nanosUntilNextTimer();
        return closing ? Math.max(0, Math.min(timer, deadlineNanos - System.nanoTime())) : timer;
    }

    /**
     * Stops scheduling and waits for running binds.
     *
     * @return true if all ended within {@code grace}, and no earlier one without a response may still be executed
     */
    public boolean close(Duration grace) {
        deadlineNanos = System.nanoTime() + grace.toNanos();
        closing = true;
        scheduler.post(new ClusterChange.SchedulingEnabled(false));
        try {
            if (thread.getState() == Thread.State.NEW) {
                scheduler.closeProfiles();
                return true;
            }
            // Slightly longer than the deadline, at which the thread itself stops waiting.
            if (!ended.await(grace.toNanos() + TimeUnit.SECONDS.toNanos(1), TimeUnit.NANOSECONDS)) {
                thread.interrupt();
                return false;
            }
            return failure == null && !scheduler.mayStillBind();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        close(DEFAULT_GRACE);
    }

    /** Waits for the end of the thread; false after a timeout. */
    public boolean awaitEnd(Duration time) throws InterruptedException {
        return ended.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The exception that ended the thread; null while it runs or after a close. */
    public @Nullable Throwable failure() {
        return failure;
    }
}
