package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PolicyReloaderTest {
    /** The results of the next reads; a text that starts with {@code bad} is rejected. */
    private final BlockingQueue<String> source = new LinkedBlockingQueue<>();

    private final AtomicLong generation = new AtomicLong(1);
    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
    private final PolicyReloader reloader = new PolicyReloader(
            this::load,
            new PolicyReloader.Loaded(List.of(), "one", List.of()),
            profiles -> generation.incrementAndGet(),
            new PolicyReloader.Listener() {
                @Override
                public void onReloaded(long number, PolicyReloader.Loaded loaded) {
                    calls.add(number + " by " + loaded.text());
                }

                @Override
                public void onRefused(String cause, String reason) {
                    calls.add("refused " + cause + ": " + reason);
                }
            },
            Thread::new);

    @AfterEach
    void close() {
        reloader.close();
    }

    private PolicyReloader.Loaded load() {
        String text = Objects.requireNonNull(source.poll());
        if (text.startsWith("bad")) {
            throw new IllegalArgumentException(text);
        }
        return new PolicyReloader.Loaded(List.of(), text, List.of());
    }

    private void request(String text) {
        request(text, text);
    }

    private void request(String text, String cause) {
        source.add(text);
        reloader.request(cause);
    }

    /** The source has no text to read, so that a read would fail. */
    @Test
    void whatIsInEffectCanBeChangedWithoutTheSource() throws InterruptedException {
        reloader.change("why", before -> new PolicyReloader.Loaded(List.of(), before.text() + " changed", List.of()));
        assertEquals("2 by one changed", calls.take());
        reloader.change("again", before -> before);
        request("one changed");
        request("two");
        assertEquals("3 by two", calls.take());
    }

    @Test
    void aChangeIsPutInForce() throws InterruptedException {
        request("two");
        assertEquals("2 by two", calls.poll(30, TimeUnit.SECONDS));
        request("three");
        assertEquals("3 by three", calls.poll(30, TimeUnit.SECONDS));
    }

    /** Requests are served one after the other: the next one ends the previous one. */
    @Test
    void theSameTextChangesNothing() throws InterruptedException {
        request("one", "no change");
        request("two");
        assertEquals("2 by two", calls.poll(30, TimeUnit.SECONDS));
    }

    @Test
    void aMistakeIsToldOnceAndChangesNothing() throws InterruptedException {
        request("bad: line 1");
        assertEquals("refused bad: line 1: bad: line 1", calls.poll(30, TimeUnit.SECONDS));
        request("bad: line 1", "again");
        request("bad: line 2");
        assertEquals("refused bad: line 2: bad: line 2", calls.poll(30, TimeUnit.SECONDS));
        assertEquals(1, generation.get());
        request("good");
        assertEquals("2 by good", calls.poll(30, TimeUnit.SECONDS));
        request("bad: line 1");
        assertEquals("refused bad: line 1: bad: line 1", calls.poll(30, TimeUnit.SECONDS));
    }

    @Test
    void nothingHappensAfterTheEnd() {
        reloader.close();
        request("two");
        assertEquals(1, generation.get());
    }
}
