package io.policyscheduler.cmd.table;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.table.TableFeeds.TableSource.TableSink;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The tables of all policies in effect, each with its source. Thread-safe. */
public final class TableFeeds implements AutoCloseable {
    private final Sources sources;
    private final Consumer<ClusterChange> scheduler;
    private final TableListener listener;
    private ImmutableList<TableFeed> feeds = ImmutableList.of();
    private ImmutableList<TableState> still = ImmutableList.of();
    private boolean closed;

    /** Creates the sources of tables. */
    @FunctionalInterface
    public interface Sources {
        /**
         * The source of a table; not started.
         *
         * @param first the values and schema of the policy
         * @return null for a table that never changes
         */
        @Nullable
        TableSource of(TableDefinition definition, TableState first);
    }

    /** @param scheduler posts to the scheduling thread */
    public TableFeeds(Sources sources, Consumer<ClusterChange> scheduler, TableListener listener) {
        this.sources = sources;
        this.scheduler = scheduler;
        this.listener = listener;
    }

    /**
     * Follows the tables of these policies instead of the earlier ones. Generations continue by name, and a table with the same
     * source keeps its values until the next response.
     */
    public synchronized void follow(List<RuleTables> inEffect) {
        feeds.forEach(TableFeed::close);
        if (closed) {
            return;
        }
        List<TableFeed> before = feeds;
        SortedMap<String, TableState> known = states();
        List<TableFeed> next = new ArrayList<>();
        List<TableState> others = new ArrayList<>();
        for (RuleTables tables : inEffect) {
            for (TableState read : tables.get().states().values()) {
                String name = read.schema().name();
                TableDefinition definition = tables.definitions().get(name);
                TableState state = Optional.ofNullable(definition)
                        .flatMap(declared -> measured(declared, before))
                        .orElseGet(() -> read.after(known.get(name)));
                if (state != read) {
                    scheduler.accept(new ClusterChange.TableChanged(tables, state));
                }
                TableSource source = definition == null ? null : sources.of(definition, state);
                if (definition == null || source == null) {
                    others.add(state);
                } else {
                    next.add(new TableFeed(tables, definition, state, source, scheduler, listener));
                }
            }
        }
        feeds = ImmutableList.copyOf(next);
        still = ImmutableList.copyOf(others);
        feeds.forEach(TableFeed::start);
    }

    /** The earlier values of a table with the same declaration. */
    private static Optional<TableState> measured(TableDefinition definition, List<TableFeed> before) {
        return before.stream()
                .filter(feed -> definition.origin().isMeasured()
                        && feed.definition().in(definition.place()).equals(definition))
                .map(TableFeed::state)
                .findFirst();
    }

    /** The tables by name; for equal names in different policies, the one with the highest generation. */
    public synchronized SortedMap<String, TableState> states() {
        SortedMap<String, TableState> states = new TreeMap<>();
        List<TableState> all = new ArrayList<>(still);
        feeds.forEach(feed -> all.add(feed.state()));
        for (TableState state : all) {
            states.merge(state.schema().name(), state, (a, b) -> a.generation() >= b.generation() ? a : b);
        }
        return states;
    }

    @Override
    public synchronized void close() {
        closed = true;
        feeds.forEach(TableFeed::close);
    }

    /** Receives changes of tables, on the threads of their sources, which it may block. */
    public interface TableListener {
        /** New values are in effect from the next pod on. */
        void onChanged(TableDefinition table, TableState state);

        /** New values are invalid, with {@link TableState#problem()} as reason; the earlier ones stay in effect. */
        void onRefused(TableDefinition table, TableState state);

        /** After an error, the source returns values again. */
        void onRecovered(TableDefinition table, TableState state);

        /** The first values have expired, {@link TableState#stale()} of them. */
        void onStale(TableDefinition table, TableState state);
    }

    /** Creates a generation for each new content of one table, and posts it to the scheduling thread. Thread-safe. */
    static final class TableFeed implements TableSink, AutoCloseable {
        private final RuleTables tables;
        private final TableDefinition definition;
        private final TableSource source;
        private final Consumer<ClusterChange> scheduler;
        private final TableListener listener;
        /** Volatile, because readers must not wait while a listener is called. */
        private volatile TableState state;

        private volatile boolean closed;

        /** @param first the initial values, if they differ from those of the policy */
        TableFeed(
                RuleTables tables,
                TableDefinition definition,
                TableState first,
                TableSource source,
                Consumer<ClusterChange> scheduler,
                TableListener listener) {
            this.tables = tables;
            this.definition = definition;
            this.source = source;
            this.scheduler = scheduler;
            this.listener = listener;
            this.state = first;
        }

        void start() {
            source.start(this);
        }

        /** The declaration in the policy in effect. */
        TableDefinition definition() {
            return definition;
        }

        /** The values in effect, and the problem of newer ones. */
        TableState state() {
            return state;
        }

        @Override
        public synchronized void publish(TableValues values, @Nullable Instant sourceTime, int stale) {
            replace(state.next(values, sourceTime, stale, null));
        }

        @Override
        public synchronized void expire(TableValues values, int stale) {
            replace(state.next(values, state.sourceTime(), stale, state.problem()));
        }

        private void replace(TableState next) {
            if (closed) {
                return;
            }
            TableState before = state;
            state = next;
            if (!next.values().equals(before.values()) || next.generation() != before.generation()) {
                scheduler.accept(new ClusterChange.TableChanged(tables, next));
            }
            if (before.problem() != null && next.problem() == null) {
                listener.onRecovered(definition, next);
            }
            if (next.generation() != before.generation()) {
                listener.onChanged(definition, next);
            }
            if (next.stale() > 0 && before.stale() == 0) {
                listener.onStale(definition, next);
            }
        }

        /** The error of a failing server may change with each response; only the first one is reported. */
        @Override
        public synchronized void refuse(String reason) {
            if (closed || reason.equals(state.problem())) {
                return;
            }
            boolean reported = state.problem() != null && definition.origin().isMeasured();
            state = state.rejected(reason);
            if (!reported) {
                listener.onRefused(definition, state);
            }
        }

        @Override
        public void close() {
            closed = true;
            source.close();
        }
    }

    /**
     * The source of one table, from {@code start} to {@code close}. It publishes values at any time on its own threads, the first
     * ones soon after its start. It never ends by itself: a failed read is retried.
     */
    public interface TableSource extends AutoCloseable {
        /** Starts; returns immediately. */
        void start(TableSink sink);

        /** Stops publishing. */
        @Override
        void close();

        /** Receives the values of a {@link TableSource}. Thread-safe; returns immediately. */
        public interface TableSink {
            /**
             * Publishes values. Equal ones change nothing.
             *
             * @param values valid values, including defaults
             * @param sourceTime time of the newest value; null if values do not expire, or if there are none
             * @param stale number of keys that are omitted because their values have expired
             */
            void publish(TableValues values, @Nullable Instant sourceTime, int stale);

            /** Publishes values that do not expire. */
            default void publish(TableValues values) {
                publish(values, null, 0);
            }

            /** Publishes the remaining values after some have expired. */
            void expire(TableValues values, int stale);

            /**
             * Reports invalid or missing values; the current ones stay in effect.
             *
             * @param reason for users, one line
             */
            void refuse(String reason);
        }
    }
}
