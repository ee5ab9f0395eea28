package io.policyscheduler.cmd.history;

import java.util.List;

/** Knows the tables that rules read. Asked by the scheduling thread at each decision, which must not wait. */
@FunctionalInterface
public interface TableMarks {
    /** There are no tables. */
    TableMarks NONE = (generation, schedulerName) -> List.of();

    /**
     * The tables of a profile now, sorted by name.
     *
     * @param generation of the profiles; nothing is known of others than those in force
     */
    List<TableMark> of(long generation, String schedulerName);
}
