package io.policyscheduler.cmd.kube.connection;

import io.policyscheduler.cmd.kube.connection.Backoff.Bounds;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The state of the server that all watches of one connection share. While no watch is connected, one of them retries every second. When
 * it succeeds, the others retry at once instead of at the end of their grown backoff, and cancel requests without a response, because a
 * connection to a dying server can stay open. A watch that fails while others are connected waits for its own backoff. Thread-safe.
 */
public final class ServerOutage implements Bounds {
    private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The period over which the retries of the others spread. */
    private static final long SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** The age of a request from which it is canceled after an outage. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition recovered = lock.newCondition();
    private final RandomGenerator random = new SplittableRandom();

    // Guarded by the lock.
    private int connected;
    private long recoveries;
    private boolean probing;
    private final Set<Sent> waiting = new LinkedHashSet<>();

    public ServerOutage() {
        this(System::nanoTime);
    }

    /** @param nanos a clock that never jumps */
    public ServerOutage(LongSupplier nanos) {
        this.nanos = nanos;
    }

    private final class Sent implements PendingRequest {
        private final long since = nanos.getAsLong();
        private final Runnable cutShort;
        private boolean isCanceled;

        Sent(Runnable cutShort) {
            this.cutShort = cutShort;
        }

        @Override
        public boolean end() {
            lock.lock();
            try {
                waiting.remove(this);
                return isCanceled;
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public PendingRequest asking(Runnable cutShort) {
        Sent sent = new Sent(cutShort);
        lock.lock();
        try {
            waiting.add(sent);
        } finally {
            lock.unlock();
        }
        return sent;
    }

    @Override
    public boolean await(Duration delay) throws InterruptedException {
        long spread;
        lock.lockInterruptibly();
        try {
            long seen = recoveries;
            boolean probes = connected == 0 && !probing;
            if (probes) {
                probing = true;
            }
            try {
                waitFor(probes ? Math.min(delay.toNanos(), PROBE_NANOS) : delay.toNanos(), seen);
            } finally {
                if (probes) {
                    probing = false;
                }
            }
            if (recoveries == seen) {
                return false;
            }
            spread = random.nextLong(SPREAD_NANOS);
        } finally {
            lock.unlock();
        }
        TimeUnit.NANOSECONDS.sleep(spread);
        return true;
    }

    private void waitFor(long nanos, long seen) throws InterruptedException {
        long left = nanos;
        while (left > 0 && recoveries == seen) {
            left = recovered.awaitNanos(left);
        }
    }

    @Override
    public void connected() {
        List<Sent> overdue = List.of();
        lock.lock();
        try {
            connected++;
            if (connected == 1) {
                recoveries++;
                recovered.signalAll();
                overdue = overdue();
            }
        } finally {
            lock.unlock();
        }
        overdue.forEach(sent -> sent.cutShort.run());
    }

    private List<Sent> overdue() {
        long now = nanos.getAsLong();
        List<Sent> overdue = waiting.stream()
                .filter(sent -> now - sent.since >= PATIENCE_NANOS)
                .toList();
        overdue.forEach(sent -> sent.isCanceled = true);
        return overdue;
    }

    @Override
    public void disconnected() {
        lock.lock();
        try {
            connected--;
        } finally {
            lock.unlock();
        }
    }
}
