package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.tests.e2e.Manifest;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scheduler's own writes do not cause the next attempt. */
@Tag("faults")
@Timeout(120)
class BackoffFaultsTest {
    private static final int NODES = 12;

    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Every attempt ends with another message, because a node is added each time. */
    @Test
    void aMessageThatChangesDoesNotEndTheBackoff() {
        fixture.addNodes(1, "1");
        fixture.start(FaultFixture.legacy());
        long start = System.nanoTime();
        fixture.addPods("large", 1, "2");
        for (int i = 1; i <= NODES; i++) {
            fixture.server().load(Manifest.node("n" + i, "1"));
            fixture.addPods("small" + i + "-", 1, "100m");
            fixture.awaitBound("small" + i + "-0");
        }
        fixture.await("it was tried again", () -> attempts() >= 2);
        double seconds = (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
        // Attempt k starts 2^(k-1) - 1 s after the first one.
        assertTrue(attempts() <= 1 + Math.log(seconds + 1) / Math.log(2), () -> attempts() + " in " + seconds + " s");
        fixture.assertSound();
    }

    private int attempts() {
        return (int) fixture.proxy()
                .count(call -> call.method().equals("PATCH") && call.path().endsWith("/large0/status"));
    }
}
