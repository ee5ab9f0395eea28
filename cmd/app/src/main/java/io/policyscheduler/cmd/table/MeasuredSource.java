package io.policyscheduler.cmd.table;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.table.TableFeeds.TableSource;
import io.policyscheduler.cmd.table.TableFeeds.TableSource.TableSink;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import io.policyscheduler.engine.rules.data.TableValues;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A table whose values are measured: asked for again and again, and left out once they are too old, at the very time, whether
 * newer ones can be had or not. Thread-safe.
 */
public final class MeasuredSource implements TableSource {
    private final TableDefinition definition;
    private final Duration interval;
    private final Measurement measurement;
    private final Clock clock;
    private final Timer questions;
    private final Timer expiries;
    private SortedMap<String, Measurement.Sample> known = new TreeMap<>();
    /** Counts answers; what expires of an earlier one is of no interest. */
    private long answers;

    private boolean closed;

    /**
     * @param first what was measured before, which counts until there is an answer, or it is too old
     * @param interval from the end of one question to the next one
     * @param clock by which values age
     * @param questions on whose thread is asked, which may take long
     * @param expiries on whose thread values are left out
     */
    MeasuredSource(
            TableDefinition definition,
            TableValues first,
            Duration interval,
            Measurement measurement,
            Clock clock,
            Timer questions,
            Timer expiries) {
        this.definition = definition;
        first.times().forEach((key, time) -> {
            ImmutableMap<String, Object> row = first.rows().get(key);
            if (row != null) {
                known.put(key, new Measurement.Sample(row, time));
            }
        });
        this.interval = interval;
        this.measurement = measurement;
        this.clock = clock;
        this.questions = questions;
        this.expiries = expiries;
    }

    @Override
    public void start(TableSink sink) {
        questions.after(Duration.ZERO, () -> ask(sink));
        if (!known.isEmpty()) {
            expiries.after(Duration.ZERO, () -> expire(0, sink));
        }
    }

    private void ask(TableSink sink) {
        try {
            SortedMap<String, Measurement.Sample> answer = measurement.measure();
            if (answer.size() > TableLimits.MAX_KEYS) {
                throw new MeasureException(answer.size() + " keys, a table has up to " + TableLimits.MAX_KEYS);
            }
            take(answer, sink);
        } catch (MeasureException e) {
            refuse(String.valueOf(e.getMessage()), sink);
        }
        if (!isClosed()) {
            questions.after(interval, () -> ask(sink));
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void refuse(String reason, TableSink sink) {
        if (!closed) {
            sink.refuse(reason);
        }
    }

    private synchronized void take(SortedMap<String, Measurement.Sample> answer, TableSink sink) {
        if (closed) {
            return;
        }
        Instant now = clock.instant();
        known = new TreeMap<>();
        Instant newest = null;
        for (Map.Entry<String, Measurement.Sample> sample : answer.entrySet()) {
            Instant told = sample.getValue().time();
            // A clock that is ahead of ours must not keep a value for longer.
            Instant time = told.isAfter(now) ? now : told;
            known.put(sample.getKey(), new Measurement.Sample(sample.getValue().row(), time));
            newest = newest == null || time.isAfter(newest) ? time : newest;
        }
        answers++;
        TableValues values = fresh(now);
        sink.publish(values, newest, known.size() - values.size());
        awaitExpiry(now, sink);
    }

    private synchronized void expire(long answer, TableSink sink) {
        if (closed || answer != answers) {
            return;
        }
        Instant now = clock.instant();
        TableValues values = fresh(now);
        sink.expire(values, known.size() - values.size());
        awaitExpiry(now, sink);
    }

    private TableValues fresh(Instant now) {
        ImmutableMap.Builder<String, ImmutableMap<String, Object>> rows = ImmutableMap.builder();
        ImmutableMap.Builder<String, Instant> times = ImmutableMap.builder();
        known.forEach((key, sample) -> {
            Instant end = end(sample);
            if (end == null || now.isBefore(end)) {
                rows.put(key, sample.row());
                times.put(key, sample.time());
            }
        });
        return new TableValues(rows.buildOrThrow(), ImmutableMap.copyOf(definition.defaults()), times.buildOrThrow());
    }

    /** When the next value becomes too old, those that are so are left out. */
    private void awaitExpiry(Instant now, TableSink sink) {
        Instant next = null;
        for (Measurement.Sample sample : known.values()) {
            Instant end = end(sample);
            if (end != null && end.isAfter(now) && (next == null || end.isBefore(next))) {
                next = end;
            }
        }
        if (next != null) {
            long answer = answers;
            expiries.after(Duration.between(now, next), () -> expire(answer, sink));
        }
    }

    private @Nullable Instant end(Measurement.Sample sample) {
        Duration age = definition.measuring().staleAfter();
        return age == null ? null : sample.time().plus(age);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        measurement.close();
    }

    /** Values that cannot be had now; the message is one line for users. */
    public static final class MeasureException extends Exception {
        private static final long serialVersionUID = 1L;

        MeasureException(String message) {
            super(message);
        }

        MeasureException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Asks for the values of a table as they are now; one question at a time. */
    interface Measurement extends AutoCloseable {
        /**
         * What is known of a key.
         *
         * @param row value by field
         * @param time when it was true
         */
        record Sample(ImmutableMap<String, Object> row, Instant time) {}

        /**
         * The values by key; a key that is not among them has none any more.
         *
         * @throws MeasureException when they cannot be had
         */
        SortedMap<String, Sample> measure() throws MeasureException;

        /** Ends a question under way. */
        @Override
        void close();
    }

    /** Runs something later, on a thread of its own. */
    @FunctionalInterface
    interface Timer {
        /** Runs a task once, unless everything has ended before. */
        void after(Duration delay, Runnable task);
    }
}
