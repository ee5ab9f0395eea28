package io.policyscheduler.engine.policy.table;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.rules.table.TableDefinition;
import io.policyscheduler.engine.rules.table.TableSchema;
import io.policyscheduler.engine.rules.table.TableState;
import io.policyscheduler.engine.rules.table.TableValues;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * The ages of the recorded values of a table: each value has the age that it had when it was recorded,
 * however long ago that is.
 *
 * @param times when the value of a key was true, by key; one that is not there was true when it was taken
 * @param taken when the values were asked for
 */
public record TableAges(ImmutableMap<String, Instant> times, Instant taken) {
    /** The table with those of these values that were not too old when they were taken. */
    TableState state(TableDefinition definition, TableSchema schema, TableValues values) {
        Duration staleAfter = definition.measuring().staleAfter();
        ImmutableMap.Builder<String, ImmutableMap<String, Object>> rows = ImmutableMap.builder();
        ImmutableMap.Builder<String, Instant> known = ImmutableMap.builder();
        Instant newest = null;
        for (Map.Entry<String, ImmutableMap<String, Object>> row : values.rows().entrySet()) {
            Instant time = times.getOrDefault(row.getKey(), taken);
            newest = newest == null || time.isAfter(newest) ? time : newest;
            if (staleAfter == null || taken.isBefore(time.plus(staleAfter))) {
                rows.put(row);
                known.put(row.getKey(), time);
            }
        }
        TableValues fresh =
                new TableValues(rows.buildOrThrow(), ImmutableMap.copyOf(definition.defaults()), known.buildOrThrow());
        return new TableState(schema, fresh, 1, newest, values.size() - fresh.size(), null);
    }
}
