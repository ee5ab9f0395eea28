package io.policyscheduler.cmd.table;

import io.policyscheduler.engine.rules.table.RuleTables;
import io.policyscheduler.engine.rules.table.TableDefinition;
import io.policyscheduler.engine.rules.table.TableState;
import io.policyscheduler.engine.rules.table.TableValues;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes a generation of each other content of one table, and hands it to the scheduling thread. Thread-safe. */
final class TableFeed implements TableSink, AutoCloseable {
    private final RuleTables tables;
    private final TableDefinition definition;
    private final TableSource source;
    private final Consumer<ClusterChange> scheduler;
    private final TableListener listener;
    private TableState state;
    private boolean closed;

    TableFeed(
            RuleTables tables,
            TableDefinition definition,
            TableSource source,
            Consumer<ClusterChange> scheduler,
            TableListener listener) {
        this.tables = tables;
        this.definition = definition;
        this.source = source;
        this.scheduler = scheduler;
        this.listener = listener;
        this.state = Objects.requireNonNull(tables.get().states().get(definition.name()));
    }

    void start() {
        source.start(this);
    }

    /** The values in force, and what is wrong with newer ones. */
    synchronized TableState state() {
        return state;
    }

    @Override
    public synchronized void publish(TableValues values, @Nullable Instant sourceTime) {
        if (closed) {
            return;
        }
        boolean same = values.equals(state.values());
        if (same && Objects.equals(sourceTime, state.sourceTime())) {
            state = new TableState(state.schema(), values, state.generation(), sourceTime, null);
            return;
        }
        state = state.next(values, sourceTime);
        scheduler.accept(new ClusterChange.TableChanged(tables, state));
        listener.onChanged(definition, state);
    }

    @Override
    public synchronized void refuse(String reason) {
        if (!closed && !reason.equals(state.problem())) {
            state = state.refused(reason);
            listener.onRefused(definition, state);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        source.close();
    }
}
