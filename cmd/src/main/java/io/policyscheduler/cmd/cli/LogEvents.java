package io.policyscheduler.cmd.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.time.Instant;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/** What every form of a log line tells of an event. */
final class LogEvents {
    private static final String OURS = "io.policyscheduler.";

    private LogEvents() {}

    static Instant time(ILoggingEvent event) {
        Instant exact = event.getInstant();
        return exact == null ? Instant.ofEpochMilli(event.getTimeStamp()) : exact;
    }

    /** The package of the class that logs, as {@code --vmodule} takes it; what is outside of this program by its whole name. */
    static String component(ILoggingEvent event) {
        String logger = event.getLoggerName();
        if (!logger.startsWith(OURS)) {
            return logger;
        }
        return logger.substring(OURS.length(), Math.max(OURS.length(), logger.lastIndexOf('.')));
    }

    /** What the event is about, such as {@code pod}; empty when nothing is said. */
    static List<KeyValuePair> fields(ILoggingEvent event) {
        List<KeyValuePair> fields = event.getKeyValuePairs();
        return fields == null ? List.of() : fields;
    }
}
