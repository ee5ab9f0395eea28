package io.policyscheduler.engine.cluster.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "100m, 1",
        "1u, 1",
        "1.5, 2",
        "0.1Ki, 103",
        "1.1Ki, 1127",
        "1.5Gi, 1610612736",
        "1., 1",
        ".5, 1",
        "-1, -1",
        "-1.5, -2",
        "+2, 2",
        "1e3, 1000",
        "1E3, 1000",
        "1E, 1000000000000000000",
        "123456789, 123456789",
        "0.5n, 1",
        "1e-40, 1",
        "0e-40, 0",
        "512Mi, 536870912",
        "1k, 1000",
        "8Ei, 9223372036854775807",
        "9Ei, 9223372036854775807",
        "16Ei, 9223372036854775807",
        "10E, 0",
        "1e19, 0",
        "1e30, 0",
        "1e999999, 0",
        "9223372036854775807, 9223372036854775807",
        "9223372036854775808, -9223372036854775808",
    })
    void value(String text, long expected) {
        assertEquals(expected, Quantity.parse(text).value());
        assertEquals(expected, Quantity.value(text));
    }

    @ParameterizedTest
    @CsvSource({
        "100m, 100",
        "100.1m, 101",
        "1500u, 2",
        "1n, 1",
        "0.3, 300",
        "0.0001, 1",
        "2, 2000",
        "1Ki, 1024000",
        "9223372036854776, -9223372036854775616",
        "1E, 0",
        "1Ei, -9223372036854775808",
        "0, 0",
        "-1m, -1",
    })
    void milliValue(String text, long expected) {
        assertEquals(expected, Quantity.parse(text).milliValue());
        assertEquals(expected, Quantity.milliValue(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "K", "1K", "1mi", "1e", "1 Gi", "1Gi ", "x", "1.2.3", "--1", "1ee3", "e3", ".", "1e3.5", "٣"
            })
    void malformed(String text) {
        assertThrows(IllegalArgumentException.class, () -> Quantity.value(text));
        assertThrows(IllegalArgumentException.class, () -> Quantity.milliValue(text));
    }
}
