package io.policyscheduler.cmd.live;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.framework.insight.compare.WorkerPool;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/** The threads of a command with much to compute: one per processor, including the thread of the command. */
public final class WorkerThreads implements AutoCloseable {
    /** Each may work on a copy of the cluster. */
    private static final int MOST = 8;

    private final ExecutorService others;
    private final WorkerPool workers;

    /** Threads that are started when they are first needed. */
    public WorkerThreads() {
        int count = Math.min(MOST, Runtime.getRuntime().availableProcessors());
        others = Executors.newCachedThreadPool(new ThreadFactoryBuilder()
                .setNameFormat("worker-%d")
                .setDaemon(true)
                .build());
        workers = new WorkerPool(count, others);
    }

    /** The threads, for as long as this is not closed. */
    public WorkerPool workers() {
        return workers;
    }

    @Override
    public void close() {
        others.shutdownNow();
    }

    /**
     * Runs tasks of one key in their order, and those of different keys concurrently. Several keys can share a queue, so that no
     * state per key is necessary. Exceptions of tasks go to the uncaught exception handler of the thread. Thread-safe.
     */
    public static final class Ordered {
        /** Many times the number of threads, so that different keys rarely share a queue. */
        private static final int LINES = 64;

        private final List<Executor> lines;

        /** @param threads run the tasks */
        public Ordered(Executor threads) {
            this.lines = IntStream.range(0, LINES)
                    .mapToObj(line -> MoreExecutors.newSequentialExecutor(threads))
                    .toList();
        }

        /** Runs the task after all earlier tasks of this key. */
        public void execute(String key, Runnable task) {
            lines.get(Math.floorMod(key.hashCode(), LINES)).execute(() -> run(task));
        }

        private static void run(Runnable task) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
        }
    }

    /** Runs things once, later. */
    @FunctionalInterface
    public interface Delayed {
        /** Runs {@code task} after {@code delay}; {@code task} must be short. */
        void execute(Runnable task, Duration delay);
    }
}
