package io.policyscheduler.framework.insight.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * Threads that work on questions which have nothing to do with each other. The one that asks does its part: without any other
 * thread the questions are answered one after the other.
 */
public final class WorkerPool {
    /** The thread that asks. */
    public static final WorkerPool ONE = new WorkerPool(1, Runnable::run);

    private final int count;
    private final Executor others;

    /**
     * Several threads.
     *
     * @param count how many, with the one that asks
     * @param others runs what it is given in threads of its own, at once or later
     */
    public WorkerPool(int count, Executor others) {
        if (count < 1) {
            throw new IllegalArgumentException("no worker is left: " + count);
        }
        this.count = count;
        this.others = others;
    }

    /** How many threads there are. */
    public int count() {
        return count;
    }

    /**
     * Answers all questions.
     *
     * @param questions have no state in common that any of them changes
     * @return the answers in the order of the questions
     * @throws RuntimeException what the first of the questions that failed has thrown; all have ended by then
     */
    public <T> List<T> all(List<? extends Supplier<T>> questions) {
        List<FutureTask<T>> tasks = new ArrayList<>(questions.size());
        for (Supplier<T> question : questions) {
            tasks.add(new FutureTask<>(question::get));
        }
        for (int i = 1; i < tasks.size() && count > 1; i++) {
            others.execute(tasks.get(i));
        }
        // One that another thread has begun is not begun again.
        tasks.forEach(FutureTask::run);
        List<T> answers = new ArrayList<>(tasks.size());
        RuntimeException failed = null;
        for (FutureTask<T> task : tasks) {
            try {
                answers.add(answer(task));
            } catch (RuntimeException e) {
                failed = failed == null ? e : failed;
            }
        }
        if (failed != null) {
            throw failed;
        }
        return answers;
    }

    private static <T> T answer(FutureTask<T> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    // The others still look at what they were given.
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
