package io.policyscheduler.cmd.table;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.table.TableSource.TableSink;
import io.policyscheduler.engine.policy.table.TableException;
import io.policyscheduler.engine.rules.data.TableValues;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A table from a text that is read again whenever it may have changed, and until it can be read. */
final class TextTableSource implements TableSource {
    private static final Logger LOG = LoggerFactory.getLogger(TextTableSource.class);
    private static final long RETRY_SECONDS = 5;

    private final Reading reading;
    private final Function<Runnable, AutoCloseable> watching;
    private final ScheduledExecutorService thread;
    private @Nullable AutoCloseable watch;
    /** Only touched by the thread. */
    private @Nullable ScheduledFuture<?> retry;

    /** Reads the text. */
    @FunctionalInterface
    interface Reading {
        /**
         * The values, defaults included.
         *
         * @throws TableException when they are refused, or cannot be had
         */
        TableValues read() throws TableException;
    }

    /**
     * @param watching starts to call what it is given whenever the text may have changed, until it is closed
     * @param thread reads, one after the other
     */
    TextTableSource(Reading reading, Function<Runnable, AutoCloseable> watching, ScheduledExecutorService thread) {
        this.reading = reading;
        this.watching = watching;
        this.thread = thread;
    }

    @Override
    public void start(TableSink sink) {
        watch = watching.apply(() -> request(sink));
        // It may have changed since the policy was read.
        request(sink);
    }

    private void request(TableSink sink) {
        try {
            thread.execute(() -> read(sink));
        } catch (RejectedExecutionException e) {
            LOG.debug("tables are closed", e);
        }
    }

    private void read(TableSink sink) {
        if (retry != null) {
            retry.cancel(false);
            retry = null;
        }
        String reason;
        try {
            sink.publish(reading.read());
            return;
        } catch (TableException e) {
            reason = e.problem().line();
        } catch (InputException e) {
            reason = String.valueOf(e.getMessage());
        }
        sink.refuse(reason);
        // It may only have been out of reach, and nothing else would ever tell that it is not any more.
        try {
            retry = thread.schedule(() -> read(sink), RETRY_SECONDS, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("tables are closed", e);
        }
    }

    @Override
    public void close() {
        thread.execute(() -> {
            if (retry != null) {
                retry.cancel(false);
            }
        });
        AutoCloseable known = watch;
        if (known != null) {
            try {
                known.close();
            } catch (Exception e) {
                LOG.debug("closing the watch of a table", e);
            }
        }
    }
}
