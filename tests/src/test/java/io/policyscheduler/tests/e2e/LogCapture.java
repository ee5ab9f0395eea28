package io.policyscheduler.tests.e2e;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The warnings and errors that this program logs while the capture is open. */
final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.policyscheduler");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    LogCapture() {
        logger.addAppender(this);
        start();
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            lines.add(event.getFormattedMessage() + " " + event.getKeyValuePairs());
        }
    }

    /** Returns whether one line contains all of these. */
    boolean has(String... parts) {
        return lines.stream().anyMatch(line -> List.of(parts).stream().allMatch(line::contains));
    }

    @Override
    public String toString() {
        return "log:\n  " + String.join("\n  ", lines);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
    }
}
