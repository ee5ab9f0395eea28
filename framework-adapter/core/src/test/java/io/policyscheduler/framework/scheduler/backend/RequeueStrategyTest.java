package io.policyscheduler.framework.scheduler.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.framework.scheduler.backend.PodBackoff.RequeueStrategy;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RequeueStrategyTest {
    private static final Instant NOW = Instant.EPOCH;

    private final PodBackoff backoff = new PodBackoff(Duration.ofSeconds(30), Duration.ofSeconds(60));
    private final RequeueStrategy waits = new RequeueStrategy(backoff);

    @Test
    void theLaterEndCounts() {
        assertNull(waits.end("a/p"));
        assertEquals(Duration.ofSeconds(20), waits.wasSlow("a/p", NOW));
        assertEquals(NOW.plusSeconds(20), waits.end("a/p"));
        waits.failed("a/p", NOW);
        assertEquals(NOW.plusSeconds(30), waits.end("a/p"));
        assertEquals(Duration.ofSeconds(40), waits.wasSlow("a/p", NOW));
        assertEquals(NOW.plusSeconds(40), waits.end("a/p"));
        assertNull(waits.end("a/q"));
    }

    @Test
    void eachWaitEndsByItself() {
        waits.failed("a/p", NOW);
        waits.wasSlow("a/p", NOW);
        waits.endBackoff("a/p");
        assertEquals(NOW.plusSeconds(20), waits.end("a/p"));
        assertEquals(NOW.plusSeconds(20), waits.endOfSlow("a/p"));
        waits.failed("a/p", NOW);
        waits.endSlow("a/p");
        assertNull(waits.endOfSlow("a/p"));
        assertEquals(NOW.plusSeconds(30), waits.end("a/p"));
    }
}
