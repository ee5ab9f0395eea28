package io.policyscheduler.cmd.table;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.snapshot.RecordedTable;
import io.policyscheduler.cmd.table.PrometheusQuery.NodeMetrics;
import io.policyscheduler.cmd.table.TableFeeds.TableSource;
import io.policyscheduler.cmd.table.TableFeeds.TableSource.TableSink;
import io.policyscheduler.engine.policy.PolicyTables.TableAges;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableValues;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A table of measured values: polled periodically, and removed when they expire, at that moment, even if no newer ones are
 * available. Thread-safe.
 */
public final class MeasuredSource implements TableSource {
    private final TableDefinition definition;
    private final Duration interval;
    private final Measurement measurement;
    private final Clock clock;
    private final Timer questions;
    private final Timer expiries;
    private SortedMap<String, Measurement.Sample> known = new TreeMap<>();
    /** Counts responses; expirations of earlier ones are ignored. */
    private long answers;

    private boolean closed;

    /**
     * @param first earlier values, which are valid until the first response or their expiration
     * @param interval from the end of a request to the next one
     * @param clock clock for the age of values
     * @param questions runs requests, which may take long
     * @param expiries runs expirations
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
            Instant reported = sample.getValue().time();
            // A source whose clock is ahead must not extend the validity of a value.
            Instant time = reported.isAfter(now) ? now : reported;
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

    /** When the next value expires, all expired ones are removed. */
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

    /** Values are not available; the message is one line for users. */
    public static final class MeasureException extends Exception {
        private static final long serialVersionUID = 1L;

        MeasureException(String message) {
            super(message);
        }

        MeasureException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Requests the current values of a table; one request at a time. */
    interface Measurement extends AutoCloseable {
        /**
         * The value of a key, with its time.
         *
         * @param row value by field
         * @param time time of the value
         */
        record Sample(ImmutableMap<String, Object> row, Instant time) {}

        /**
         * The values by key; keys that are absent have no value.
         *
         * @throws MeasureException if they are not available
         */
        SortedMap<String, Sample> measure() throws MeasureException;

        /** Cancels a running request. */
        @Override
        void close();
    }

    /** Runs a delayed task on a thread of its own. */
    @FunctionalInterface
    interface Timer {
        /** Runs a delayed task, unless this is closed before. */
        void after(Duration delay, Runnable task);
    }

    /** Requests the values of measured tables once, to record them. */
    public static final class TableRecorder {
        private final KubeConnection connection;
        private final InstantSource clock;

        /**
         * @param connection cluster with the metrics API; closed by the caller
         * @param clock clock for the age of values
         */
        public TableRecorder(KubeConnection connection, InstantSource clock) {
            this.connection = connection;
            this.clock = clock;
        }

        /**
         * The current values of a table.
         *
         * @throws MeasureException if they are not available within the table's timeout
         * @throws IllegalArgumentException if the table is not measured
         */
        public RecordedTable record(TableDefinition definition) throws MeasureException {
            try (Measurement measurement = measurement(definition)) {
                SortedMap<String, Measurement.Sample> samples = measurement.measure();
                if (samples.size() > TableLimits.MAX_KEYS) {
                    throw new MeasureException(samples.size() + " keys, a table has up to " + TableLimits.MAX_KEYS);
                }
                return recorded(definition, samples, clock.instant());
            }
        }

        private Measurement measurement(TableDefinition definition) {
            if (definition.origin() instanceof TableOrigin.Prometheus prometheus) {
                return new PrometheusQuery(
                        prometheus, Path.of(definition.place().file()));
            }
            if (definition.origin() instanceof TableOrigin.NodeMetrics) {
                return new NodeMetrics(connection);
            }
            throw new IllegalArgumentException(definition.origin().text());
        }

        static RecordedTable recorded(
                TableDefinition definition, SortedMap<String, Measurement.Sample> samples, Instant now) {
            ObjectNode values = JsonNodeFactory.instance.objectNode();
            ImmutableMap.Builder<String, Instant> times = ImmutableMap.builder();
            for (Map.Entry<String, Measurement.Sample> entry : samples.entrySet()) {
                Measurement.Sample sample = entry.getValue();
                RecordedTable.put(values, entry.getKey(), sample.row());
                // A source whose clock is ahead must not reduce the age of a value.
                times.put(entry.getKey(), sample.time().isAfter(now) ? now : sample.time());
            }
            return new RecordedTable(
                    definition.name(),
                    definition.origin().text(),
                    RecordedTable.question(definition.origin()),
                    values,
                    new TableAges(times.buildOrThrow(), now));
        }
    }
}
