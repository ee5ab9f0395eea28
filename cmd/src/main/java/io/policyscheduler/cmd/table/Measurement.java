package io.policyscheduler.cmd.table;

import com.google.common.collect.ImmutableMap;
import java.time.Instant;
import java.util.SortedMap;

/** Asks for the values of a table as they are now; one question at a time. */
interface Measurement extends AutoCloseable {
    /**
     * What is known of a key.
     *
     * @param row value by field
     * @param time when it was true
     */
    record Sample(ImmutableMap<String, Object> row, Instant time) {}

    /**
     * The values by key; a key that is not among them has none any more.
     *
     * @throws MeasureException when they cannot be had
     */
    SortedMap<String, Sample> measure() throws MeasureException;

    /** Ends a question under way. */
    @Override
    void close();
}
