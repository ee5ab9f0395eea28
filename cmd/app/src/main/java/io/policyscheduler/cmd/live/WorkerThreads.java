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

/** The threads of a command that has much to work out: one for each processor, the one that runs the command among them. */
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
     * Runs tasks of one key one after the other, in the order in which they came, and those of different keys at once, as a rule: a few
     * keys share a line, so that nothing need be remembered of a key. What a task throws goes to the thread's handler of uncaught
     * exceptions. Thread-safe.
     */
    public static final class Ordered {
        /** Many times the threads that work at once, so that it is rare that one key waits for another. */
        private static final int LINES = 64;

        private final List<Executor> lines;

        /** @param threads run the tasks */
        public Ordered(Executor threads) {
            this.lines = IntStream.range(0, LINES)
                    .mapToObj(line -> MoreExecutors.newSequentialExecutor(threads))
                    .toList();
        }

        /** Runs the task after all earlier ones of this key. */
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
