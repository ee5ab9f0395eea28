package io.policyscheduler.framework.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.DateTimeException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoDurationTest {
    @ParameterizedTest
    @CsvSource({
        "0, PT0S, 0s",
        "15s, PT15S, 15s",
        "1m30s, PT1M30S, 1m30s",
        "90s, PT1M30S, 1m30s",
        "1h, PT1H, 1h0m0s",
        "1.5s, PT1.5S, 1.5s",
        ".5s, PT0.5S, 500ms",
        "20ms, PT0.02S, 20ms",
        "1us, PT0.000001S, \u00b5",
        "-2s, PT-2S, -2s",
        "+2s, PT2S, 2s",
        "1ns, PT0.000000001S, 1ns",
        "9223372036854775807ns, PT2562047H47M16.854775807S, 2562047h47m16.854775807s",
    })
    void readsAndPrints(String text, Duration duration, String printed) {
        assertEquals(duration, GoDuration.parse(text));
        String expected = printed.equals("\u00b5") ? "1\u00b5s" : printed;
        assertEquals(expected, GoDuration.format(duration));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|time: invalid duration \"\"",
                "abc|time: invalid duration \"abc\"",
                "s|time: invalid duration \"s\"",
                "-|time: invalid duration \"-\"",
                "10|time: missing unit in duration \"10\"",
                "1d|time: unknown unit \"d\" in duration \"1d\"",
                "1s2|time: missing unit in duration \"1s2\"",
                "1..s|time: missing unit in duration \"1..s\"",
                "9223372036854775808ns|time: invalid duration \"9223372036854775808ns\"",
            })
    void refuses(String text, String message) {
        assertEquals(
                message,
                assertThrows(DateTimeException.class, () -> GoDuration.parse(text))
                        .getMessage());
    }
}
