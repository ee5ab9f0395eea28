package io.policyscheduler.cmd.threads;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.framework.insight.compare.Workers;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The threads of a command that has much to work out: one for each processor, the one that runs the command among them. */
public final class WorkerThreads implements AutoCloseable {
    /** Each may work on a copy of the cluster. */
    private static final int MOST = 8;

    private final ExecutorService others;
    private final Workers workers;

    /** Threads that are started when they are first needed. */
    public WorkerThreads() {
        int count = Math.min(MOST, Runtime.getRuntime().availableProcessors());
        others = Executors.newCachedThreadPool(new ThreadFactoryBuilder()
                .setNameFormat("worker-%d")
                .setDaemon(true)
                .build());
        workers = new Workers(count, others);
    }

    /** The threads, for as long as this is not closed. */
    public Workers workers() {
        return workers;
    }

    @Override
    public void close() {
        others.shutdownNow();
    }
}
