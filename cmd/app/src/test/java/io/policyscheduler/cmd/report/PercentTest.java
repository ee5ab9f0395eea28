package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.report.TextTable.Percent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PercentTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0.0",
        "0.01, 0.1",
        "0.12, 0.1",
        "33.333, 33.3",
        "66.666, 66.7",
        "99.89, 99.9",
        "99.96, 99.9",
        "100, 100.0",
        "100.04, 100.0",
        "163.2, 163.2"
    })
    void neverRoundsToAllOrNothing(double percent, String shown) {
        assertEquals(shown, Percent.of(percent));
        assertEquals(shown, Percent.ofShare(percent / 100));
    }
}
