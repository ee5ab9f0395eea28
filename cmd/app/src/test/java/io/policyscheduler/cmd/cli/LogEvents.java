package io.policyscheduler.cmd.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/** Creates log events. */
final class LogEvents {
    private LogEvents() {}

    static LoggingEvent event(
            String logger, Level level, String message, @Nullable Throwable thrown, Object... keysAndValues) {
        LoggingEvent event = new LoggingEvent(
                "caller", new LoggerContext().getLogger(logger), level, message, thrown, new Object[0]);
        event.setInstant(Instant.parse("2026-01-02T03:04:05.006789Z"));
        event.setThreadName("scheduler");
        for (int i = 0; i < keysAndValues.length; i += 2) {
            event.addKeyValuePair(new KeyValuePair(String.valueOf(keysAndValues[i]), keysAndValues[i + 1]));
        }
        return event;
    }
}
