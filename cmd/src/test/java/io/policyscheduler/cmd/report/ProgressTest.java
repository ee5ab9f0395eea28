package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final StringWriter text = new StringWriter();
    private long millis;

    private Progress progress(boolean live) {
        return new Progress(new PrintWriter(text), live, () -> Instant.ofEpochMilli(millis));
    }

    @Test
    void shortWorkSaysNothing() {
        try (Progress progress = progress(true)) {
            millis = 299;
            progress.update("1 of 2");
        }

        assertEquals("", text.toString());
    }

    @Test
    void aTerminalSeesOneLineThatGoesAway() {
        try (Progress progress = progress(true)) {
            millis = 300;
            progress.update("1 of 3");
            millis = 399;
            progress.update("2 of 3");
            progress.note("warning: x");
            millis = 400;
            progress.update("3 of 3");
        }

        assertEquals("\r\u001b[K1 of 3\r\u001b[Kwarning: x\n1 of 3\r\u001b[K3 of 3\r\u001b[K", text.toString());
    }

    @Test
    void aFileSeesALineNowAndThen() {
        try (Progress progress = progress(false)) {
            for (int i = 1; i <= 70; i++) {
                millis += 100;
                progress.update(i + " of 70");
            }
            progress.note("warning: x");
        }

        assertEquals("30 of 70\n60 of 70\nwarning: x\n", text.toString());
    }
}
