package io.policyscheduler.cmd.table;

import io.policyscheduler.engine.rules.table.TableValues;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Takes what a {@link TableSource} has found. Any thread; returns at once. */
public interface TableSink {
    /**
     * The values of the table from now on. Equal ones change nothing.
     *
     * @param values that fit the schema, defaults included
     * @param sourceTime when they were true; null when they have no age
     */
    void publish(TableValues values, @Nullable Instant sourceTime);

    /**
     * There are other values, or none any more, and they are no good; those in force stay.
     *
     * @param reason for users, one line
     */
    void refuse(String reason);
}
