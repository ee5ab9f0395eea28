package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The thread that drives a {@link Scheduler}. An exception in it is a bug: it ends the thread, and is kept for {@link #failure()}. */
public final class SchedulerThread implements AutoCloseable {
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(10);

    private final Scheduler scheduler;
    private final Thread thread;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean closing;
    private volatile long deadlineNanos;
    private volatile @Nullable Throwable failure;

    /** For {@code scheduler}, which from {@link #start()} on belongs to this thread. */
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
     * Stops scheduling and waits for the binds that are running.
     *
     * @return true when all were answered within {@code grace}, and none that went before may yet be carried out
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
            // A little longer than the deadline: the thread itself gives up then.
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

    /** Waits for the end of the thread; false when the time was over first. */
    public boolean awaitEnd(Duration time) throws InterruptedException {
        return ended.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** What ended the thread; null while it runs or when it was closed. */
    public @Nullable Throwable failure() {
        return failure;
    }
}
