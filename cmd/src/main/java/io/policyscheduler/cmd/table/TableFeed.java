package io.policyscheduler.cmd.table;

import io.policyscheduler.engine.rules.table.RuleTables;
import io.policyscheduler.engine.rules.table.TableDefinition;
import io.policyscheduler.engine.rules.table.TableState;
import io.policyscheduler.engine.rules.table.TableValues;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes a generation of each other content of one table, and hands it to the scheduling thread. Thread-safe. */
final class TableFeed implements TableSink, AutoCloseable {
    private final RuleTables tables;
    private final TableDefinition definition;
    private final TableSource source;
    private final Consumer<ClusterChange> scheduler;
    private final TableListener listener;
    /** Read by whoever shows it, also while a change is told to a slow server. */
    private volatile TableState state;

    private volatile boolean closed;

    /** @param first as the table is to begin, if that is not as it was read with the policy */
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

    /** As the policy in force declares it. */
    TableDefinition definition() {
        return definition;
    }

    /** The values in force, and what is wrong with newer ones. */
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

    /** What a server answers while it is in trouble may differ each time; it is told when the trouble begins. */
    @Override
    public synchronized void refuse(String reason) {
        if (closed || reason.equals(state.problem())) {
            return;
        }
        boolean told = state.problem() != null && definition.origin().isMeasured();
        state = state.refused(reason);
        if (!told) {
            listener.onRefused(definition, state);
        }
    }

    @Override
    public void close() {
        closed = true;
        source.close();
    }
}
