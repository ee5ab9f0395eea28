package io.policyscheduler.cmd.table;

import io.policyscheduler.engine.rules.data.TableValues;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

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

    /** Takes what a {@link TableSource} has found. Any thread; returns at once. */
    public interface TableSink {
        /**
         * The values of the table from now on. Equal ones change nothing.
         *
         * @param values that fit the schema, defaults included
         * @param sourceTime when the newest of them was true; null when they have no age, or when there are none
         * @param stale number of keys that are left out because what is known of them is too old
         */
        void publish(TableValues values, @Nullable Instant sourceTime, int stale);

        /** Values that have no age. */
        default void publish(TableValues values) {
            publish(values, null, 0);
        }

        /** What is left of the values now that some of them have become too old; whether there will be newer ones is not known. */
        void expire(TableValues values, int stale);

        /**
         * There are other values, or none any more, and they are no good; those in force stay.
         *
         * @param reason for users, one line
         */
        void refuse(String reason);
    }
}
