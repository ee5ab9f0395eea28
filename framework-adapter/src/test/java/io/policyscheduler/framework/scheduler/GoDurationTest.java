package io.policyscheduler.framework.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoDurationTest {
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
        assertEquals(text, GoDuration.text(Duration.ofNanos(nanos)));
        assertEquals(text, io.policyscheduler.framework.config.GoDuration.format(Duration.ofNanos(nanos)));
    }
}
