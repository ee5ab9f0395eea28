package io.policyscheduler.cmd.table;

import io.policyscheduler.engine.rules.table.TableDefinition;
import io.policyscheduler.engine.rules.table.TableState;

/** Hears what becomes of tables; on the threads of their sources, which may be told to wait. */
public interface TableListener {
    /** Other values are in force from the next pod on. */
    void onChanged(TableDefinition table, TableState state);

    /** New values are no good, which {@link TableState#problem()} tells; those before stay. */
    void onRefused(TableDefinition table, TableState state);

    /** After a refusal the source gives values again. */
    void onRecovered(TableDefinition table, TableState state);

    /** The first values have become too old, {@link TableState#stale()} of them. */
    void onStale(TableDefinition table, TableState state);
}
