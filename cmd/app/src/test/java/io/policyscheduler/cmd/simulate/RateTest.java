package io.policyscheduler.cmd.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.simulate.Evictor.Rate;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateTest {
    @ParameterizedTest
    @CsvSource({"10/min, PT6S", "2/s, PT0.5S", "30/h, PT2M", "1/min, PT1M", "999999/s, PT0.000001S"})
    void isAnInterval(String text, Duration interval) {
        assertEquals(interval, Rate.parse(text).interval());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "0/min", "-1/min", "10/m", "10 / min", "1.5/s", "9999999/s"})
    void isRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> Rate.parse(text));
    }
}
