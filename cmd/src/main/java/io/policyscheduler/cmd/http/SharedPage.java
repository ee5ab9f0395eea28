package io.policyscheduler.cmd.http;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.threads.LoudTimer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A page that is costly to make. It is never older than the request, but requests that come while one is made share the
 * next; and after each there is a pause four times as long as making it took, so that no flood of requests takes more than a
 * fifth of one core. Thread-safe.
 */
final class SharedPage implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedPage.class);
    private static final int PAUSE = 4;

    /** Makes the page. */
    interface Maker {
        /** The page's bytes. */
        byte[] make() throws IOException;
    }

    private final String contentType;
    private final Maker maker;
    private final ScheduledExecutorService thread;
    private List<Exchange> waiting = new ArrayList<>();
    private long earliest = System.nanoTime();

    SharedPage(String threadName, String contentType, Maker maker) {
        this.contentType = contentType;
        this.maker = maker;
        this.thread = new LoudTimer(new ThreadFactoryBuilder()
                .setNameFormat(threadName)
                .setDaemon(true)
                .build());
    }

    /** Answers an exchange when the next page has been made. */
    synchronized void answer(Exchange exchange) {
        waiting.add(exchange);
        if (waiting.size() > 1) {
            return;
        }
        try {
            ScheduledFuture<?> making = thread.schedule(this::make, earliest - System.nanoTime(), TimeUnit.NANOSECONDS);
            LOG.trace("asked for: {}", making);
        } catch (RejectedExecutionException e) {
            waiting.clear();
            exchange.answer(503, "shutting down\n");
        }
    }

    private void make() {
        List<Exchange> served = take();
        long start = System.nanoTime();
        try {
            byte[] page = maker.make();
            served.forEach(exchange -> exchange.answer(200, contentType, page));
        } catch (IOException | RuntimeException e) {
            LOG.error("{} failed", served.get(0).path(), e);
            served.forEach(exchange -> exchange.answer(500, "internal server error\n"));
        } finally {
            pauseSince(start);
        }
    }

    private synchronized List<Exchange> take() {
        List<Exchange> served = waiting;
        waiting = new ArrayList<>();
        return served;
    }

    private synchronized void pauseSince(long start) {
        long end = System.nanoTime();
        earliest = end + PAUSE * (end - start);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
