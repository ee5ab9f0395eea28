package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    void aFileSeesOnlyWhatStays() {
        try (Progress progress = progress(false)) {
            for (int i = 1; i <= 70; i++) {
                millis += 100;
                progress.count("pods decided", i, 70);
            }
            progress.note("warning: x");
        }

        assertEquals("warning: x\n", text.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "900, 9, 30, '9 of 30 pods decided, 2 differ'",
        "2000, 10, 30, '10 of 30 pods decided, 2 differ, 5.0/s, 4 s left'",
        "1000, 20, 4000, '20 of 4000 pods decided, 2 differ, 20/s, 3 min 19 s left'",
        "1000, 30, 30, '30 of 30 pods decided, 2 differ, 30/s'",
        "1000, 30, 0, '30 pods decided, 2 differ, 30/s'",
    })
    void tellsRateAndRest(long after, long done, long all, String shown) {
        try (Progress progress = progress(true)) {
            progress.count("pods decided, 1 differ", 0, all);
            millis = after;
            progress.count("pods decided, 2 differ", done, all);
        }

        assertEquals("\r\u001b[K" + shown + "\r\u001b[K", text.toString());
    }
}
