package io.policyscheduler.cmd.embedded.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.release.Release;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                "@weekly          | UTC           | 2024-05-01T12:00:00Z | 2024-05-05T00:00:00Z",
                "@every 90m       | UTC           | 2024-05-01T12:00:00.5Z | 2024-05-01T13:30:00Z",
                "@every 1ms       | UTC           | 2024-05-01T12:00:00Z | 2024-05-01T12:00:01Z",
                "TZ=Europe/Berlin 0 8 * * * | UTC | 2024-05-01T12:00:00Z | 2024-05-02T06:00:00Z",
                "0 0 */10 * 1     | UTC           | 2024-05-01T12:00:00Z | 2024-05-06T00:00:00Z"
            })
    void returnsTheNextTime(String schedule, String zone, String after, String next) {
        assertEquals(
                Instant.parse(next),
                CronSchedule.parse(schedule, Release.NEWEST)
                        .next(Instant.parse(after), ZoneId.of(zone))
                        .orElseThrow());
    }

    @ParameterizedTest
    @CsvSource({"1.20, 2024-07-01T00:00:00Z", "1.21, 2024-05-06T00:00:00Z"})
    void aStarWithAStepIsAStarUntil120(String release, String next) {
        // The 1st, 11th, 21st, and 31st: Mondays among them, or Mondays and they.
        assertEquals(
                Instant.parse(next),
                CronSchedule.parse("0 0 */10 * 1", Release.parse(release))
                        .next(Instant.parse("2024-05-01T12:00:00Z"), ZoneId.of("UTC"))
                        .orElseThrow());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''            | Empty spec string                                        | empty spec string",
                "'* * * *'     | Expected exactly 5 fields, found 4: * * * *              | expected exactly 5 fields, found 4: [* * * *]",
                "60 * * * *    | End of range (60) above maximum (59): 60                 | end of range (60) above maximum (59): 60",
                "* * 0 * *     | Beginning of range (0) below minimum (1): 0              | beginning of range (0) below minimum (1): 0",
                "5-1 * * * *   | Beginning of range (5) beyond end of range (1): 5-1      | beginning of range (5) beyond end of range (1): 5-1",
                "*/0 * * * *   | Step of range should be a positive number: */0           | step of range should be a positive number: */0",
                "1-2-3 * * * * | Too many hyphens: 1-2-3                                  | too many hyphens: 1-2-3",
                "*/2/3 * * * * | Too many slashes: */2/3                                  | too many slashes: */2/3",
                "x * * * *     | Failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax | failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax",
                "*/-1 * * * *  | Negative number (-1) not allowed: -1                     | negative number (-1) not allowed: -1",
                "@often        | Unrecognized descriptor: @often                          | unrecognized descriptor: @often",
                "@every x      | Failed to parse duration @every x: time: invalid duration \"x\" | failed to parse duration @every x: time: invalid duration \"x\"",
                "TZ=Nowhere * * * * * | Expected exactly 5 fields, found 6: TZ=Nowhere * * * * * | provided bad location Nowhere: unknown time zone Nowhere"
            })
    void rejectsWithTheMessageOfTheRelease(String schedule, String of120, String of121) {
        assertEquals(of120, error(schedule, "1.20"));
        assertEquals(of121, error(schedule, "1.21"));
    }

    private static String error(String schedule, String release) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, () -> CronSchedule.parse(schedule, Release.parse(release)))
                        .getMessage());
    }
}
