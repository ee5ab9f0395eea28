package io.policyscheduler.cmd.embedded.controller.core;

import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/** What is to be looked at, once each, in the order of arrival or not before a given time (client-go workqueue). */
public final class WorkQueue<T> {
    private record Delayed<T>(Instant due, long number, T item) {}

    private final Clock clock;
    private final Set<T> ready = new LinkedHashSet<>();
    private final PriorityQueue<Delayed<T>> delayed = new PriorityQueue<>(
            Comparator.<Delayed<T>, Instant>comparing(Delayed::due).thenComparingLong(Delayed::number));
    private long added;

    public WorkQueue(Clock clock) {
        this.clock = clock;
    }

    public void add(T item) {
        ready.add(item);
    }

    public void addAt(Instant due, T item) {
        delayed.add(new Delayed<>(due, added++, item));
    }

    public Optional<T> poll() {
        Instant now = clock.instant();
        while (!delayed.isEmpty() && !delayed.peek().due().isAfter(now)) {
            ready.add(delayed.remove().item());
        }
        Optional<T> first = ready.stream().findFirst();
        first.ifPresent(ready::remove);
        return first;
    }
}
