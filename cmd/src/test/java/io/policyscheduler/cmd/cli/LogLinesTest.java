package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LogLinesTest {
    private static LogRecord logged(String message) {
        LogRecord logged = new LogRecord(Level.WARNING, message);
        logged.setInstant(Instant.parse("2026-01-02T03:04:05.006789Z"));
        return logged;
    }

    @Test
    void aMessageIsOneLine() {
        assertEquals(
                "2026-01-02T03:04:05.006 WARNING W101 pod a\\u000a2026 INFO fake\\u001b[2J\n",
                new LogLines(ZoneOffset.UTC).format(logged("W101 pod a\n2026 INFO fake\u001b[2J")));
    }

    @Test
    void passwordsAreMaskedAndTracesFollow() {
        LogRecord logged = logged("Post \"http://u:p@h/filter\": EOF");
        logged.setThrown(new IllegalStateException("http://u:p@h \u202e"));
        String text = new LogLines(ZoneOffset.UTC).format(logged);
        assertTrue(
                text.startsWith("2026-01-02T03:04:05.006 WARNING Post \"http://u:***@h/filter\": EOF\n"
                        + "java.lang.IllegalStateException: http://u:***@h \\u202e\n\tat "),
                text);
    }
}
