package io.policyscheduler.cmd.history;

import io.policyscheduler.cmd.history.DecisionRecord.Outcome;
import io.policyscheduler.cmd.history.DecisionRecord.Preemption;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of all decisions in a trace. The scheduling thread puts entries into a bounded queue without a lock; entries that
 * exceed the queue are dropped and counted. A second thread writes them, and flushes at least twice a second.
 */
public final class DecisionLog implements AutoCloseable {
    /** The longest pause of the writer; a killed process loses at most the entries since the last flush and of one write. */
    static final Duration PERIOD = Duration.ofMillis(100);

    /** The pause of the writer is this short if many entries come, so that only some of them are copied by garbage collections. */
    private static final Duration SHORTEST = Duration.ofMillis(5);

    /** The entries that the writer expects in one pause. */
    private static final int BATCH = 512;

    /** More than the entries of one period at 40,000 decisions a second, each with a result; about 16 MB at most. */
    static final int CAPACITY = 8192;

    private static final Logger LOG = LoggerFactory.getLogger(DecisionLog.class);
    private static final Duration FLUSH_PERIOD = Duration.ofMillis(500);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Duration LOG_PERIOD = Duration.ofMinutes(1);
    private static final long CLOSE_MILLIS = 2000;

    private final TraceWriter trace;
    private final DecisionEncoder encoder;
    private final InstantSource clock;
    private final AtomicReferenceArray<@Nullable Entry> queue = new AtomicReferenceArray<>(CAPACITY);
    /** The next slot to fill; only for the scheduling thread. */
    private long head;
    /** The next slot to empty; only for the writing thread. */
    private long tail;

    private volatile long dropped;
    private volatile long written;
    private volatile long failed;
    private volatile long bytes;
    private boolean unflushed;
    private Instant retryAt = Instant.MIN;
    private Instant nextLog = Instant.MIN;
    private @Nullable Thread thread;

    /** A new decision, or a result. */
    sealed interface Entry permits DecisionRecord, Entry.Result {
        /** The time of the entry. */
        Instant time();

        /**
         * A result of the last decision about a pod.
         *
         * @param cycle number of the decision; 0 if unknown
         * @param attempt of the pod; 0 if unknown
         * @param outcome null if unchanged
         * @param message null if unchanged
         * @param room the preemption; null for none
         */
        record Result(
                Instant time,
                long cycle,
                String uid,
                int attempt,
                @Nullable Outcome outcome,
                @Nullable String message,
                @Nullable Preemption room)
                implements Entry {}
    }

    /**
     * Creates a log, which writes only after {@link #start} or in {@link #write}.
     *
     * @param trace closed with the log
     * @param lines the form of the lines
     * @param clock of results and retries
     */
    public DecisionLog(TraceWriter trace, DecisionLines lines, InstantSource clock) {
        this.trace = trace;
        this.encoder = new DecisionEncoder(lines, trace);
        this.clock = clock;
        this.bytes = trace.bytes();
    }

    /** Starts the writing thread. */
    public void start(ThreadFactory threads, Sleeper sleeper) {
        Thread started = threads.newThread(() -> {
            try {
                Duration pause = PERIOD;
                Duration unflushedFor = Duration.ZERO;
                while (!Thread.currentThread().isInterrupted()) {
                    sleeper.sleep(pause);
                    unflushedFor = unflushedFor.plus(pause);
                    boolean flush = unflushedFor.compareTo(FLUSH_PERIOD) >= 0;
                    unflushedFor = flush ? Duration.ZERO : unflushedFor;
                    long before = tail;
                    write(flush);
                    pause = pause(pause, tail - before);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread = started;
        started.start();
    }

    /** The pause before the next write, so that about {@link #BATCH} entries come in it. */
    static Duration pause(Duration last, long entries) {
        Duration pause = last.multipliedBy(BATCH).dividedBy(Math.max(1, entries));
        return pause.compareTo(SHORTEST) < 0 ? SHORTEST : pause.compareTo(PERIOD) > 0 ? PERIOD : pause;
    }

    /** Queues a decision. Scheduling thread only. */
    void made(DecisionRecord decision) {
        offer(decision);
    }

    /** Queues a result. Scheduling thread only. */
    void result(
            long cycle,
            String uid,
            int attempt,
            @Nullable Outcome outcome,
            @Nullable String message,
            @Nullable Preemption room) {
        offer(new Entry.Result(clock.instant(), cycle, uid, attempt, outcome, message, room));
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void offer(Entry entry) {
        int place = (int) (head % CAPACITY);
        if (queue.getAcquire(place) == null) {
            queue.setRelease(place, entry);
            head++;
        } else {
            dropped++;
        }
    }

    /**
     * Writes the queued entries. Called by the thread of {@link #start}, and directly by tests.
     *
     * @param flush whether the written lines must be readable afterwards
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    void write(boolean flush) {
        if (clock.instant().isBefore(retryAt)) {
            return;
        }
        // Fields change once in a batch, because the scheduling thread uses the same cache lines.
        long at = tail;
        int lost = 0;
        try {
            for (Entry entry = take(at); entry != null; entry = take(at)) {
                at++;
                try {
                    encoder.write(entry);
                } catch (IOException | RuntimeException e) {
                    lost++;
                    throw e;
                }
                unflushed = true;
            }
            if (flush && unflushed) {
                trace.flush();
                unflushed = false;
            }
        } catch (IOException | RuntimeException e) {
            report(e);
        }
        written += at - tail - lost;
        failed += lost;
        tail = at;
        bytes = trace.bytes();
    }

    private @Nullable Entry take(long at) {
        int place = (int) (at % CAPACITY);
        Entry entry = queue.getAcquire(place);
        if (entry != null) {
            queue.setRelease(place, null);
        }
        return entry;
    }

    private void report(Exception e) {
        Instant now = clock.instant();
        retryAt = now.plus(RETRY);
        if (!now.isBefore(nextLog)) {
            nextLog = now.plus(LOG_PERIOD);
            LOG.warn(
                    "W136 the decision log cannot be written: {}; retrying every {} s, decisions are dropped if it"
                            + " takes long",
                    e.toString(),
                    RETRY.toSeconds());
        }
    }

    /** Decisions and results that were dropped because the queue was full. Any thread. */
    public long dropped() {
        return dropped;
    }

    /** Decisions and results that were written. Any thread. */
    public long written() {
        return written;
    }

    /** Decisions and results that were lost because they could not be written. Any thread. */
    public long failed() {
        return failed;
    }

    /** Bytes of the log on disk. Any thread. */
    public long bytes() {
        return bytes;
    }

    /** Writes the queued entries and closes the trace. */
    @Override
    public void close() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
            try {
                running.join(CLOSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        retryAt = Instant.MIN;
        write(true);
        try {
            trace.close();
        } catch (IOException e) {
            LOG.warn("W136 the decision log cannot be written: {}", e.toString());
        }
    }
}
