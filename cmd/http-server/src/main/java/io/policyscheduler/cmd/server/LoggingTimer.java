package io.policyscheduler.cmd.server;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A timer with one thread. Exceptions of tasks go to the thread's handler of uncaught exceptions, while other timers store them
 * in a future.
 */
public final class LoggingTimer extends ScheduledThreadPoolExecutor {
    public LoggingTimer(ThreadFactory threads) {
        super(1, threads);
    }

    @Override
    protected void afterExecute(Runnable task, @Nullable Throwable thrown) {
        Throwable cause = task instanceof Future<?> future && future.isDone() ? failure(future) : null;
        if (cause != null) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, cause);
        }
    }

    private static @Nullable Throwable failure(Future<?> done) {
        try {
            done.get();
            return null;
        } catch (CancellationException e) {
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
