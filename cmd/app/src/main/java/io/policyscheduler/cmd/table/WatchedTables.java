package io.policyscheduler.cmd.table;

import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.write.EventBody;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import io.policyscheduler.cmd.live.ConfigMapChanges;
import io.policyscheduler.cmd.live.FileChanges;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.server.LoggingTimer;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.TableInputs;
import io.policyscheduler.cmd.table.MeasuredSource.Measurement;
import io.policyscheduler.cmd.table.MeasuredSource.Timer;
import io.policyscheduler.cmd.table.PrometheusQuery.NodeMetrics;
import io.policyscheduler.cmd.table.TableFeeds.TableListener;
import io.policyscheduler.cmd.table.TableFeeds.TableSource;
import io.policyscheduler.cmd.table.TableFeeds.TableSource.TableSink;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.policy.PolicyTables.TableException;
import io.policyscheduler.engine.policy.PolicyTables.TableInput;
import io.policyscheduler.engine.policy.TableText;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sources of tables: files, which are polled, ConfigMaps, which are watched, and servers, which are queried periodically. */
public final class WatchedTables implements TableFeeds.Sources, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedTables.class);
    private static final Duration FILE_PERIOD = Duration.ofSeconds(1);

    private final KubeConnection connection;
    private final ImmutableSet<String> given;
    private final TableInputs inputs;
    private final ThreadFactory threads;
    private final ScheduledExecutorService reads;
    private final Clock clock;
    /** Removes expired values; never blocks. */
    private final ScheduledExecutorService expiries;

    private final SplittableRandom random = new SplittableRandom(System.nanoTime());

    /**
     * Sources with the clock and threads of this process.
     *
     * @param given names of tables whose values are fixed by the user
     */
    public static WatchedTables of(KubeConnection connection, Set<String> given) {
        return new WatchedTables(
                connection,
                given,
                Clock.systemUTC(),
                new ThreadFactoryBuilder()
                        .setNameFormat("table-%d")
                        .setDaemon(true)
                        .build());
    }

    /**
     * @param given names of tables whose values are fixed
     * @param clock clock for the age of measured values
     * @param threads for reading and watching
     */
    public WatchedTables(KubeConnection connection, Set<String> given, Clock clock, ThreadFactory threads) {
        this.connection = connection;
        this.given = ImmutableSet.copyOf(given);
        this.inputs = new TableInputs(Map.of(), ConfigMapEntries.of(connection));
        this.threads = threads;
        this.reads = new LoggingTimer(threads);
        this.clock = clock;
        this.expiries = new LoggingTimer(threads);
    }

    @Override
    public @Nullable TableSource of(TableDefinition definition, TableState first) {
        Function<Runnable, AutoCloseable> watching;
        if (given.contains(definition.name())) {
            return null;
        }
        if (definition.origin() instanceof TableOrigin.File file) {
            Path path = TableInputs.path(definition, file);
            watching = onChange -> watch(path, onChange);
        } else if (definition.origin() instanceof TableOrigin.ConfigMap map) {
            watching = onChange -> watch(map, onChange);
        } else if (definition.origin() instanceof TableOrigin.Prometheus prometheus) {
            Path beside = Path.of(definition.place().file());
            return measured(definition, first.values(), prometheus.interval(), new PrometheusQuery(prometheus, beside));
        } else if (definition.origin() instanceof TableOrigin.NodeMetrics metrics) {
            return measured(definition, first.values(), metrics.interval(), new NodeMetrics(connection));
        } else {
            return null;
        }
        return new TextSource(() -> read(definition, first.schema()), watching, reads);
    }

    /** One thread per source, so that a server that does not respond does not delay others. */
    private TableSource measured(
            TableDefinition definition, TableValues first, Duration interval, Measurement measurement) {
        ScheduledExecutorService questions = new LoggingTimer(threads);
        MeasuredSource source =
                new MeasuredSource(definition, first, interval, measurement, clock, timer(questions), timer(expiries));
        return new TableSource() {
            @Override
            public void start(TableSink sink) {
                source.start(sink);
            }

            @Override
            public void close() {
                source.close();
                questions.shutdownNow();
            }
        };
    }

    private static Timer timer(ScheduledExecutorService thread) {
        return (delay, task) -> {
            try {
                thread.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("tables are closed", e);
            }
        };
    }

    private TableValues read(TableDefinition definition, TableSchema schema) throws TableException {
        TableInput.Text text = inputs.text(definition);
        if (text == null) {
            throw new IllegalStateException("no text of " + definition.name());
        }
        return TableText.next(definition, schema, text.text(), text.name(), text.where());
    }

    private AutoCloseable watch(Path path, Runnable onChange) {
        FileChanges changes =
                new FileChanges(List.of(path), FILE_PERIOD, Sleeper.REAL, file -> onChange.run(), threads);
        changes.start();
        return changes;
    }

    private synchronized AutoCloseable watch(TableOrigin.ConfigMap map, Runnable onChange) {
        ConfigMapChanges changes = new ConfigMapChanges(
                connection, map.namespace(), map.name(), onChange, random.split(), SteadyClock.system());
        changes.start(threads);
        return changes;
    }

    @Override
    public void close() {
        reads.shutdownNow();
        expiries.shutdownNow();
    }

    /** A table from a text that is read again after each change, and until it can be read. */
    static final class TextSource implements TableSource {
        private static final Logger LOG = LoggerFactory.getLogger(TextSource.class);
        private static final long RETRY_SECONDS = 5;

        private final Reading reading;
        private final Function<Runnable, AutoCloseable> watching;
        private final ScheduledExecutorService thread;
        private @Nullable AutoCloseable watch;
        /** Only for the thread. */
        private @Nullable ScheduledFuture<?> retry;

        /** Reads the text. */
        @FunctionalInterface
        interface Reading {
            /**
             * The values, including defaults.
             *
             * @throws TableException if they are invalid or not available
             */
            TableValues read() throws TableException;
        }

        /**
         * @param watching starts a watch that calls its argument when the text may have changed, until it is closed
         * @param thread runs the reads in order
         */
        TextSource(Reading reading, Function<Runnable, AutoCloseable> watching, ScheduledExecutorService thread) {
            this.reading = reading;
            this.watching = watching;
            this.thread = thread;
        }

        @Override
        public void start(TableSink sink) {
            watch = watching.apply(() -> request(sink));
            // The text may have changed since the policy was read.
            request(sink);
        }

        private void request(TableSink sink) {
            try {
                thread.execute(() -> read(sink));
            } catch (RejectedExecutionException e) {
                LOG.debug("tables are closed", e);
            }
        }

        private void read(TableSink sink) {
            if (retry != null) {
                retry.cancel(false);
                retry = null;
            }
            String reason;
            try {
                sink.publish(reading.read());
                return;
            } catch (TableException e) {
                reason = e.problem().line();
            } catch (InputException e) {
                reason = String.valueOf(e.getMessage());
            }
            sink.refuse(reason);
            // The text may only have been unavailable, and no event reports when it is available again.
            try {
                retry = thread.schedule(() -> read(sink), RETRY_SECONDS, TimeUnit.SECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("tables are closed", e);
            }
        }

        @Override
        public void close() {
            thread.execute(() -> {
                if (retry != null) {
                    retry.cancel(false);
                }
            });
            AutoCloseable known = watch;
            if (known != null) {
                try {
                    known.close();
                } catch (Exception e) {
                    LOG.debug("closing the watch of a table", e);
                }
            }
        }
    }

    /** The tables of one scheduler, followed by a command that writes nothing to the cluster: changes are only logged. */
    public static final class TableFollower implements AutoCloseable {
        private final WatchedTables sources;
        private final TableFeeds feeds;

        private TableFollower(WatchedTables sources, TableFeeds feeds) {
            this.sources = sources;
            this.feeds = feeds;
        }

        /**
         * Starts to follow them.
         *
         * @param connection cluster with the ConfigMaps and metrics; closed by the caller
         * @param given names of tables whose values are fixed by the user
         * @param owner posts to the scheduling thread
         */
        public static TableFollower follow(
                KubeConnection connection, RuleTables tables, Set<String> given, Consumer<ClusterChange> owner) {
            WatchedTables sources = WatchedTables.of(connection, given);
            TableFeeds feeds =
                    new TableFeeds(sources, owner, new TableEvents(connection, "", "", Clock.systemUTC(), () -> false));
            feeds.follow(List.of(tables));
            return new TableFollower(sources, feeds);
        }

        @Override
        public void close() {
            feeds.close();
            sources.close();
        }
    }

    /**
     * Reports changes of a table in the log, and in an event for the ConfigMap of the table. Only the leader writes events.
     * Thread-safe.
     */
    public static final class TableEvents implements TableListener {
        private static final Logger LOG = LoggerFactory.getLogger(TableEvents.class);

        private final KubeConnection connection;
        private final String component;
        private final EventBody bodies;
        private final Clock clock;
        private final BooleanSupplier leads;

        /**
         * @param component the scheduler's name: event source and reporting component
         * @param instance name of this process, such as the host name
         */
        public TableEvents(
                KubeConnection connection, String component, String instance, Clock clock, BooleanSupplier leads) {
            this.connection = connection;
            this.component = component;
            this.bodies = new EventBody(instance);
            this.clock = clock;
            this.leads = leads;
        }

        @Override
        public void onChanged(TableDefinition table, TableState state) {
            String message = "table " + table.name() + " is of generation " + state.generation() + " now, with "
                    + state.values().size() + (state.values().size() == 1 ? " key" : " keys") + ", from "
                    + table.origin().text();
            if (table.origin().isMeasured()) {
                // Every 30 seconds.
                LOG.debug("{}", message);
                return;
            }
            LOG.info("{}", message);
            write(table, "Normal", "TableChanged", message);
        }

        @Override
        public void onRefused(TableDefinition table, TableState state) {
            if (table.origin().isMeasured()) {
                LOG.warn(
                        "W132 table {}: no values from {}, using the previous ones{}: {}",
                        table.name(),
                        table.origin().text(),
                        table.measuring().staleAfter() == null ? "" : " until they are stale",
                        state.problem());
                return;
            }
            LOG.warn(
                    "W131 table {}: new values are rejected, generation {} stays in effect: {}",
                    table.name(),
                    state.generation(),
                    state.problem());
            write(
                    table,
                    "Warning",
                    "TableRefused",
                    "table " + table.name() + ": new values are rejected, generation " + state.generation()
                            + " stays in effect: " + state.problem());
        }

        @Override
        public void onRecovered(TableDefinition table, TableState state) {
            if (table.origin().isMeasured()) {
                LOG.info(
                        "table {}: {} has values again",
                        table.name(),
                        table.origin().text());
            }
        }

        @Override
        public void onStale(TableDefinition table, TableState state) {
            Duration age = table.measuring().staleAfter();
            LOG.warn(
                    "W133 table {}: {} of {} keys count as missing, their values are older than {}",
                    table.name(),
                    state.stale(),
                    state.stale() + state.values().size(),
                    age == null ? "allowed" : GoDuration.format(age));
        }

        private void write(TableDefinition table, String type, String reason, String message) {
            if (!(table.origin() instanceof TableOrigin.ConfigMap map) || !leads.getAsBoolean()) {
                return;
            }
            Instant now = clock.instant();
            String name = EventBody.name(map.name(), TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano());
            ObjectReference object = new ObjectReference(map.namespace(), map.name(), "", "");
            EventText text = new EventText(component, type, reason, EventBody.cut(message), 0);
            try {
                ApiResponse response = connection.post(
                        "/api/v1/namespaces/" + map.namespace() + "/events",
                        bodies.create(name, "v1", "ConfigMap", object, text, now));
                if (!response.success()) {
                    LOG.warn("event \"{}\" not written: {}", message, response);
                }
            } catch (ApiIoException e) {
                LOG.debug("event \"{}\" not written: {}", message, e.getMessage());
            }
        }
    }
}
