package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.KubeConnection.OpenWrites;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OpenWritesTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final OpenWrites writes = new OpenWrites();

    @Test
    void withoutAnyThereIsNothingToWaitFor() throws InterruptedException {
        assertTrue(writes.awaitNone(Duration.ZERO));
    }

    @Test
    void aWriteThatDoesNotEndIsTold() throws InterruptedException {
        writes.begin();
        assertFalse(writes.awaitNone(Duration.ofMillis(5)));
        assertFalse(writes.awaitNone(Duration.ofMillis(1)));
    }

    @Test
    void waitsForTheLast() throws InterruptedException {
        writes.begin();
        writes.begin();
        Thread waiting = Thread.currentThread();
        Thread ending = new Thread(() -> {
            while (waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            writes.end();
            writes.end();
        });
        ending.start();
        assertTrue(writes.awaitNone(LONG));
        ending.join();
    }
}
