package io.policyscheduler.cmd.live;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.threads.DelayedExecutor;
import io.policyscheduler.cmd.threads.LoudTimer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of a scheduler that is connected to a cluster, but for the one that decides and those that watch. */
final class SchedulerThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulerThreads.class);
    private static final int BIND_THREADS = 8;
    private static final int OTHER_THREADS = 4;
    /** As many as kube-scheduler has for the victims of a pod. */
    private static final int EVICTION_THREADS = 16;

    /** Many times what a server needs that is well. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private static final Duration IDLE = Duration.ofSeconds(10);

    private final ExecutorService binds = Executors.newFixedThreadPool(BIND_THREADS, factory("bind-%d"));
    private final ExecutorService others = Executors.newFixedThreadPool(OTHER_THREADS, factory("api-%d"));
    private final ExecutorService evictions = whileNeeded(EVICTION_THREADS, factory("evict-%d"));
    private final ExecutorService reads = Executors.newFixedThreadPool(OTHER_THREADS, factory("read-%d"));
    private final ExecutorService events = Executors.newSingleThreadExecutor(factory("events"));
    private final ScheduledExecutorService timer = new LoudTimer(factory("timer"));
    /** As many threads as there are calls at once, which is one for each extender. */
    private final ExecutorService extenderCalls = Executors.newCachedThreadPool(factory("extender-%d"));
    /** Plugins may block for as long as they like, as many pods at once as are being bound. */
    private final ExecutorService pluginCalls = Executors.newCachedThreadPool(factory("plugin-%d"));

    /** Makes threads of this name, which may have {@code %d} in it. */
    static ThreadFactory factory(String format) {
        return new ThreadFactoryBuilder().setNameFormat(format).setDaemon(true).build();
    }

    private static ExecutorService whileNeeded(int threads, ThreadFactory factory) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                threads, threads, IDLE.toSeconds(), TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** For writes that are neither binds nor evictions. */
    ExecutorService others() {
        return others;
    }

    /** For events. */
    ExecutorService events() {
        return events;
    }

    SchedulerAssembly.Calls calls() {
        DelayedExecutor delayed = (task, delay) -> {
            ScheduledFuture<?> pending = timer.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
            LOG.trace("in {}: {}", delay, pending);
        };
        return new SchedulerAssembly.Calls(
                binds, others, evictions, reads, extenderCalls, pluginCalls, delayed, PATIENCE);
    }

    /** Lets them finish what they have begun, for a moment. */
    @Override
    public void close() {
        List<ExecutorService> all = List.of(binds, others, evictions, reads, events, timer, extenderCalls, pluginCalls);
        all.forEach(ExecutorService::shutdown);
        try {
            for (ExecutorService executor : all) {
                if (!executor.awaitTermination(1, TimeUnit.SECONDS)) {
                    executor.shutdownNow();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
