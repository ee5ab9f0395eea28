package io.policyscheduler.cmd.table;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.rules.table.RuleTables;
import io.policyscheduler.engine.rules.table.TableDefinition;
import io.policyscheduler.engine.rules.table.TableState;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The tables of all policies in force, each followed where its values come from. Thread-safe. */
public final class TableFeeds implements AutoCloseable {
    private final Sources sources;
    private final Consumer<ClusterChange> scheduler;
    private final TableListener listener;
    private ImmutableList<TableFeed> feeds = ImmutableList.of();
    private ImmutableList<TableState> still = ImmutableList.of();
    private boolean closed;

    /** Makes the sources of tables. */
    @FunctionalInterface
    public interface Sources {
        /**
         * The source of a table; not started.
         *
         * @param first its values and schema as they were read with the policy
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

    /** Follows the tables of these policies, and no others any more. */
    public synchronized void follow(List<RuleTables> inForce) {
        feeds.forEach(TableFeed::close);
        if (closed) {
            return;
        }
        List<TableFeed> next = new ArrayList<>();
        List<TableState> others = new ArrayList<>();
        for (RuleTables tables : inForce) {
            for (TableState state : tables.get().states().values()) {
                TableDefinition definition =
                        tables.definitions().get(state.schema().name());
                TableSource source = definition == null ? null : sources.of(definition, state);
                if (definition == null || source == null) {
                    others.add(state);
                } else {
                    next.add(new TableFeed(tables, definition, source, scheduler, listener));
                }
            }
        }
        feeds = ImmutableList.copyOf(next);
        still = ImmutableList.copyOf(others);
        feeds.forEach(TableFeed::start);
    }

    /** The tables by name; of several of one name, which are of different policies, the one with the highest generation. */
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
}
