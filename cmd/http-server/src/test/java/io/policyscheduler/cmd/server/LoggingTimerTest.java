package io.policyscheduler.cmd.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
public class LoggingTimerTest {
    private final BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    private final LoggingTimer timer = new LoggingTimer(task -> {
        Thread thread = new Thread(task, "tick");
        thread.setUncaughtExceptionHandler((ended, cause) -> failures.add(ended.getName() + ": " + cause.getMessage()));
        return thread;
    });

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    private static Runnable throwing(String message) {
        return () -> {
            throw new AssertionError(message);
        };
    }

    @Test
    void whateverATaskThrowsIsTold() throws InterruptedException {
        timer.execute(throwing("executed"));
        assertEquals("tick: executed", failures.poll(10, TimeUnit.SECONDS));
        assertNotNull(timer.schedule(throwing("scheduled"), 1, TimeUnit.MILLISECONDS));
        assertEquals("tick: scheduled", failures.poll(10, TimeUnit.SECONDS));
        assertNotNull(timer.scheduleWithFixedDelay(throwing("repeated"), 1, 1, TimeUnit.MILLISECONDS));
        assertEquals("tick: repeated", failures.poll(10, TimeUnit.SECONDS));
    }

    @Test
    void whatEndsWellOrIsCancelledIsNot() throws InterruptedException {
        ScheduledFuture<?> cancelled = timer.schedule(throwing("cancelled"), 1, TimeUnit.HOURS);
        cancelled.cancel(false);
        BlockingQueue<String> ran = new LinkedBlockingQueue<>();
        timer.execute(() -> ran.add("one"));
        assertNotNull(timer.scheduleWithFixedDelay(() -> ran.add("two"), 1, 1, TimeUnit.MILLISECONDS));
        assertEquals("one", ran.poll(10, TimeUnit.SECONDS));
        assertEquals("two", ran.poll(10, TimeUnit.SECONDS));
        assertEquals("two", ran.poll(10, TimeUnit.SECONDS));
        assertNull(failures.poll());
    }
}
