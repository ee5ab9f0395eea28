package io.policyscheduler.cmd.threads;

import com.google.common.util.concurrent.MoreExecutors;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;

/**
 * Runs tasks of one key one after the other, in the order in which they came, and those of different keys at once, as a rule: a few
 * keys share a line, so that nothing need be remembered of a key. What a task throws goes to the thread's handler of uncaught
 * exceptions. Thread-safe.
 */
public final class OrderedExecutor {
    /** Many times the threads that work at once, so that it is rare that one key waits for another. */
    private static final int LINES = 64;

    private final List<Executor> lines;

    /** @param threads run the tasks */
    public OrderedExecutor(Executor threads) {
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
