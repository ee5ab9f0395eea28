package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.Backoff.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ServerOutageTest {
    private final AtomicLong nanos = new AtomicLong();
    private final ServerOutage outage = new ServerOutage(nanos::get);
    private final List<String> cut = new ArrayList<>();

    private Bounds.PendingRequest ask(String name) {
        return outage.asking(() -> cut.add(name));
    }

    private void pass(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void whatWasSentIntoAnOutageIsCutShortWhenTheServerIsBack() {
        Bounds.PendingRequest first = ask("first");
        Bounds.PendingRequest answered = ask("answered");
        pass(500);
        Bounds.PendingRequest late = ask("late");
        pass(500);
        assertFalse(answered.end());
        outage.connected();
        assertEquals(List.of("first"), cut);
        assertTrue(first.end());
        assertFalse(late.end());
    }

    @Test
    void nothingIsCutShortWhileAnyWatchIsAnswered() {
        outage.connected();
        ask("slow");
        pass(60_000);
        outage.connected();
        outage.disconnected();
        outage.connected();
        assertEquals(List.of(), cut);
        outage.disconnected();
        outage.disconnected();
        outage.connected();
        assertEquals(List.of("slow"), cut);
    }
}
