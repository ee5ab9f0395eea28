package io.policyscheduler.cmd.table;

/**
 * Where the values of one table come from, from its start until it is closed. It may publish at any time, from threads of its
 * own, and does so for the first time soon after its start. It never ends by itself: what cannot be had now is tried again.
 */
public interface TableSource extends AutoCloseable {
    /** Begins; returns at once. */
    void start(TableSink sink);

    /** Publishes no more. */
    @Override
    void close();
}
