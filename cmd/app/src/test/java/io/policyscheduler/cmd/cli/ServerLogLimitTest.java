package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.policyscheduler.cmd.cli.LogSetup.ServerLogLimit;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerLogLimitTest {
    private final Logger logger = new LoggerContext().getLogger("org.eclipse.jetty");
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();
    private final ServerLogLimit limit = new ServerLogLimit(logger, written);

    private void log(Level level, long millis, String message) {
        LoggingEvent event = new LoggingEvent("test", logger, level, message, null, null);
        event.setTimeStamp(millis);
        limit.doAppend(event);
    }

    private List<String> taken() {
        List<String> lines =
                written.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        written.list.clear();
        return lines;
    }

    @Test
    void aFewLinesInAMinutePass() {
        written.start();
        limit.start();
        for (int i = 0; i < 1000; i++) {
            log(Level.WARN, i, "bad " + i);
        }
        assertEquals(
                List.of(
                        "bad 0",
                        "bad 1",
                        "bad 2",
                        "suppressing further lines about invalid requests for up to a minute"),
                taken());
        log(Level.ERROR, 1000, "failed");
        assertEquals(List.of("failed"), taken());
        log(Level.WARN, 59_999, "late");
        assertEquals(List.of(), taken());
        log(Level.WARN, 60_000, "next minute");
        assertEquals(List.of("suppressed 998 lines about invalid requests", "next minute"), taken());
        log(Level.WARN, 120_000, "third minute");
        assertEquals(List.of("third minute"), taken());
    }
}
