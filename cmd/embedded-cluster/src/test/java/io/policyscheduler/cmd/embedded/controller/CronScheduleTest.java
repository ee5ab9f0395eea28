package io.policyscheduler.cmd.embedded.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.embedded.controller.CronJobController.CronSchedule;
import io.policyscheduler.cmd.embedded.controller.JobController.IndexRanges;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronScheduleTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* * * * *        | UTC           | 2024-05-01T12:00:00Z | 2024-05-01T12:01:00Z",
                "*/15 * * * *     | UTC           | 2024-05-01T12:00:30Z | 2024-05-01T12:15:00Z",
                "5/20 * * * *     | UTC           | 2024-05-01T12:25:00Z | 2024-05-01T12:45:00Z",
                "0 0 * * *        | UTC           | 2024-05-01T12:00:00Z | 2024-05-02T00:00:00Z",
                "0 8 * * *        | Europe/Berlin | 2024-05-01T12:00:00Z | 2024-05-02T06:00:00Z",
                "30 6-8,20 * * *  | UTC           | 2024-05-01T09:00:00Z | 2024-05-01T20:30:00Z",
                "0 0 29 2 *       | UTC           | 2024-05-01T12:00:00Z | 2028-02-29T00:00:00Z",
                "0 0 * * MON      | UTC           | 2024-05-01T12:00:00Z | 2024-05-06T00:00:00Z",
                "0 0 13 * 5       | UTC           | 2024-05-01T12:00:00Z | 2024-05-03T00:00:00Z",
                "0 0 1 jan *      | UTC           | 2024-05-01T12:00:00Z | 2025-01-01T00:00:00Z",
                "@hourly          | UTC           | 2024-05-01T12:00:00Z | 2024-05-01T13:00:00Z",
                "@weekly          | UTC           | 2024-05-01T12:00:00Z | 2024-05-05T00:00:00Z"
            })
    void tellsTheNextTime(String schedule, String zone, String after, String next) {
        assertEquals(
                Instant.parse(next),
                CronSchedule.parse(schedule)
                        .orElseThrow()
                        .next(Instant.parse(after), ZoneId.of(zone))
                        .orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "x * * * *", "5-1 * * * *", "*/0 * * * *"
            })
    void refusesWhatIsNone(String schedule) {
        assertEquals(true, CronSchedule.parse(schedule).isEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"0,1,2|0-2", "0,2,3,5|0,2,3,5", "1,2,3,7,8,9|1-3,7-9", "4|4"})
    void writesRangesOfIndexes(String indexes, String text) {
        List<Integer> parsed = IndexRanges.parse(indexes);
        assertEquals(text, IndexRanges.text(parsed));
        assertEquals(parsed, IndexRanges.parse(text));
    }
}
