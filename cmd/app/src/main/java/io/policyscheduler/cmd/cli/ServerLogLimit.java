package io.policyscheduler.cmd.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.util.concurrent.TimeUnit;

/**
 * Passes on a few lines of the HTTP server in a minute, and counts the others. The server logs invalid requests with the text of the
 * client, so that whoever reaches a port could fill the disk with its log. Errors always pass.
 */
final class ServerLogLimit extends AppenderBase<ILoggingEvent> {
    /** Lines in a minute. */
    static final int FEW = 3;

    private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);

    private final Logger logger;
    private final Appender<ILoggingEvent> next;
    private long windowStart = Long.MIN_VALUE;
    private int passed;
    private long suppressed;

    /**
     * @param logger of the server, which the summary names
     * @param next receives the lines that pass
     */
    ServerLogLimit(Logger logger, Appender<ILoggingEvent> next) {
        this.logger = logger;
        this.next = next;
    }

    /** Called by one thread at a time. */
    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
            next.doAppend(event);
            return;
        }
        long now = event.getTimeStamp();
        if (windowStart == Long.MIN_VALUE || now - windowStart >= MINUTE) {
            if (suppressed > 0) {
                summarize(now, "suppressed " + suppressed + " lines about invalid requests");
            }
            windowStart = now;
            passed = 0;
            suppressed = 0;
        }
        if (passed < FEW) {
            passed++;
            next.doAppend(event);
            return;
        }
        suppressed++;
        if (suppressed == 1) {
            summarize(now, "suppressing further lines about invalid requests for up to a minute");
        }
    }

    private void summarize(long now, String message) {
        LoggingEvent summary =
                new LoggingEvent(ServerLogLimit.class.getName(), logger, Level.WARN, message, null, null);
        summary.setTimeStamp(now);
        next.doAppend(summary);
    }
}
