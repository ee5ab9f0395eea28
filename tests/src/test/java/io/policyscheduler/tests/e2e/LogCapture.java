package io.policyscheduler.tests.e2e;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The warnings and errors that this program logs while the capture is open. */
final class LogCapture extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("io.policyscheduler");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    LogCapture() {
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            lines.add(record.getMessage());
        }
    }

    /** Whether one line contains all of these. */
    boolean has(String... parts) {
        return lines.stream().anyMatch(line -> List.of(parts).stream().allMatch(line::contains));
    }

    @Override
    public String toString() {
        return "log:\n  " + String.join("\n  ", lines);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
