package io.policyscheduler.framework.insight.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A pool for independent tasks. The calling thread takes part: without other threads, tasks run one after the other. */
public final class WorkerPool {
    /** Only the calling thread. */
    public static final WorkerPool ONE = new WorkerPool(1, Runnable::run);

    private final int count;
    private final Executor others;

    /**
     * Several threads.
     *
     * @param count number of threads, including the calling one
     * @param others runs tasks in other threads, immediately or later
     */
    public WorkerPool(int count, Executor others) {
        if (count < 1) {
            throw new IllegalArgumentException("no worker is left: " + count);
        }
        this.count = count;
        this.others = others;
    }

    /** The number of threads. */
    public int count() {
        return count;
    }

    /**
     * Runs all tasks, at most as many at a time as there are threads, in the order of the list.
     *
     * @param questions tasks without shared mutable state
     * @return the results in the order of the tasks
     * @throws RuntimeException the exception of the first failed task; all tasks have ended by then
     */
    public <T> List<T> all(List<? extends Supplier<T>> questions) {
        List<FutureTask<T>> tasks = new ArrayList<>(questions.size());
        for (Supplier<T> question : questions) {
            tasks.add(new FutureTask<>(question::get));
        }
        AtomicInteger next = new AtomicInteger();
        // Each thread takes the next task when it has finished one: tasks can need much memory, so no more run at a
        // time.
        Runnable worker = () -> {
            for (int i = next.getAndIncrement(); i < tasks.size(); i = next.getAndIncrement()) {
                tasks.get(i).run();
            }
        };
        for (int i = 1; i < Math.min(count, tasks.size()); i++) {
            others.execute(worker);
        }
        worker.run();
        List<T> results = new ArrayList<>(tasks.size());
        RuntimeException failed = null;
        for (FutureTask<T> task : tasks) {
            try {
                results.add(await(task));
            } catch (RuntimeException e) {
                failed = failed == null ? e : failed;
            }
        }
        if (failed != null) {
            throw failed;
        }
        return results;
    }

    private static <T> T await(FutureTask<T> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    // The other threads still use the state of the tasks.
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException thrown) {
                throw thrown;
            }
            if (e.getCause() instanceof Error thrown) {
                throw thrown;
            }
            throw new CancellationException(String.valueOf(e.getCause()));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
