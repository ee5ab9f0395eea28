package io.policyscheduler.framework.scheduler.backend;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodBackoffTest {
    private final PodBackoff backoff = new PodBackoff(Duration.ofSeconds(1), Duration.ofSeconds(10));

    private static Instant at(long millis) {
        return Instant.ofEpochMilli(millis);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "2, 2", "3, 4", "4, 8", "5, 10", "6, 10", "1000, 10"})
    void doublesUpToTheMaximum(int attempts, long seconds) {
        assertEquals(Duration.ofSeconds(seconds), backoff.duration(attempts));
    }

    @Test
    void aFailureDuringTheBackoffCountsOnce() {
        backoff.backOff("a", at(0));
        backoff.backOff("a", at(999));
        backoff.backOff("a", at(1000));
        assertEquals(1, backoff.attempts("a"));
        assertEquals(at(1000), backoff.expiry("a"));
        backoff.backOff("a", at(1001));
        assertEquals(2, backoff.attempts("a"));
        assertEquals(at(3001), backoff.expiry("a"));
    }

    @Test
    void isOverExactlyAtTheExpiry() {
        backoff.backOff("a", at(0));
        assertTrue(backoff.isBackingOff("a", at(999)));
        assertFalse(backoff.isBackingOff("a", at(1000)));
        assertFalse(backoff.isBackingOff("unknown", at(0)));
    }

    @Test
    void anyFailureDropsRecordsOlderThanTwiceTheMaximum() {
        backoff.backOff("a", at(0));
        backoff.backOff("b", at(1));
        backoff.backOff("c", at(20_000));
        assertEquals(3, backoff.size());
        backoff.backOff("c", at(20_001));
        assertEquals(2, backoff.size());
        assertNull(backoff.expiry("a"));
        assertEquals(at(1001), backoff.expiry("b"));
    }

    @Test
    void aRecordThatOutlivedTwiceTheMaximumStartsAgain() {
        backoff.backOff("a", at(0));
        backoff.backOff("a", at(2000));
        backoff.backOff("a", at(22_000));
        assertEquals(3, backoff.attempts("a"));
        backoff.backOff("a", at(42_001));
        assertEquals(1, backoff.attempts("a"));
    }

    @Test
    void failuresDuringABackoffDropOldRecordsToo() {
        backoff.backOffAgain("a", at(0));
        backoff.backOffAgain("b", at(20_001));
        assertEquals(1, backoff.size());
    }

    @Test
    void aPodThatHasNotFailedDoesNotBackOff() {
        QueuedPod arriving = QueuedPod.arriving(pod("a").build(), at(0), 0);
        assertFalse(backoff.isBackingOff(arriving, at(0)));
        assertTrue(backoff.isBackingOff(arriving.counted(), at(0)));
    }

    @Test
    void clearForgets() {
        backoff.backOff("a", at(0));
        backoff.clear("a");
        backoff.clear("never seen");
        assertEquals(0, backoff.attempts("a"));
    }
}
