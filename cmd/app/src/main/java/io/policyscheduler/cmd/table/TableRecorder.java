package io.policyscheduler.cmd.table;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.snapshot.RecordedTable;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.MeasuredSource.Measurement;
import io.policyscheduler.cmd.table.PrometheusQuery.NodeMetrics;
import io.policyscheduler.engine.policy.PolicyTables.TableAges;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.SortedMap;

/** Requests the values of measured tables once, to record them. */
public final class TableRecorder {
    private final KubeConnection connection;
    private final InstantSource clock;

    /**
     * @param connection cluster with the metrics API; closed by the caller
     * @param clock clock for the age of values
     */
    public TableRecorder(KubeConnection connection, InstantSource clock) {
        this.connection = connection;
        this.clock = clock;
    }

    /**
     * The current values of a table.
     *
     * @throws MeasureException if they are not available within the table's timeout
     * @throws IllegalArgumentException if the table is not measured
     */
    public RecordedTable record(TableDefinition definition) throws MeasureException {
        try (Measurement measurement = measurement(definition)) {
            SortedMap<String, Measurement.Sample> samples = measurement.measure();
            if (samples.size() > TableLimits.MAX_KEYS) {
                throw new MeasureException(samples.size() + " keys, a table has up to " + TableLimits.MAX_KEYS);
            }
            return recorded(definition, samples, clock.instant());
        }
    }

    private Measurement measurement(TableDefinition definition) {
        if (definition.origin() instanceof TableOrigin.Prometheus prometheus) {
            return new PrometheusQuery(prometheus, Path.of(definition.place().file()));
        }
        if (definition.origin() instanceof TableOrigin.NodeMetrics) {
            return new NodeMetrics(connection);
        }
        throw new IllegalArgumentException(definition.origin().text());
    }

    static RecordedTable recorded(
            TableDefinition definition, SortedMap<String, Measurement.Sample> samples, Instant now) {
        ObjectNode values = JsonNodeFactory.instance.objectNode();
        ImmutableMap.Builder<String, Instant> times = ImmutableMap.builder();
        for (Map.Entry<String, Measurement.Sample> entry : samples.entrySet()) {
            Measurement.Sample sample = entry.getValue();
            RecordedTable.put(values, entry.getKey(), sample.row());
            // A source whose clock is ahead must not reduce the age of a value.
            times.put(entry.getKey(), sample.time().isAfter(now) ? now : sample.time());
        }
        return new RecordedTable(
                definition.name(),
                definition.origin().text(),
                RecordedTable.question(definition.origin()),
                values,
                new TableAges(times.buildOrThrow(), now));
    }
}
