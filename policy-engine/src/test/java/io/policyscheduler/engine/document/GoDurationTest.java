package io.policyscheduler.engine.document;

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

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "1, 1ns",
        "999, 999ns",
        "1000, 1µs",
        "1500, 1.5µs",
        "999999, 999.999µs",
        "1000000, 1ms",
        "100000000, 100ms",
        "999999999, 999.999999ms",
        "1000000000, 1s",
        "1500000000, 1.5s",
        "1000000001, 1.000000001s",
        "10000000000, 10s",
        "59999999999, 59.999999999s",
        "60000000000, 1m0s",
        "90000000000, 1m30s",
        "100000000000, 1m40s",
        "900000000000, 15m0s",
        "3599000000000, 59m59s",
        "3600000000000, 1h0m0s",
        "3661100000000, 1h1m1.1s",
        "360000000000000, 100h0m0s",
        "-1, -1ns",
        "-1500000000, -1.5s",
        "-90000000000, -1m30s",
        "9223372036854775807, 2562047h47m16.854775807s",
    })
    void writesDurationsAsGoDoes(long nanos, String text) {
        assertEquals(text, GoDuration.format(Duration.ofNanos(nanos)));
    }
}
