package io.policyscheduler.cmd.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.table.MeasuredSource.Measurement;
import io.policyscheduler.cmd.table.MeasuredSource.TableRecorder;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.rules.data.TableDefinition;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The recorded form of measured values. */
class TableRecorderTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:10:00Z");

    private static TableDefinition table(String source) throws Exception {
        return Objects.requireNonNull(new PolicyReader()
                .readLibrary("tables: {t: {" + source + "}}", "l.yaml")
                .tables()
                .get("t"));
    }

    private static String object(String source, Map<String, Measurement.Sample> samples) throws Exception {
        return TableRecorder.recorded(table(source), new TreeMap<>(samples), NOW)
                .object()
                .toString()
                .replace('"', '\'');
    }

    /** A time in the future is replaced by the time of the query. */
    @Test
    void numbersOfPrometheus() throws Exception {
        assertEquals(
                "{'apiVersion':'policy-scheduler.io/v1','kind':'RecordedTable','metadata':{'name':'t'},"
                        + "'source':'prometheus http://p:9090','question':'up by label node',"
                        + "'taken':'2026-01-31T12:10:00Z','values':{'n1':0.25,'n2':1.0E10},"
                        + "'times':{'n1':'2026-01-31T12:09:30Z','n2':'2026-01-31T12:10:00Z'}}",
                object(
                        "prometheus: {url: 'http://p:9090/', query: up, label: node}",
                        Map.of(
                                "n1",
                                new Measurement.Sample(ImmutableMap.of("", 0.25), NOW.minusSeconds(30)),
                                "n2",
                                new Measurement.Sample(ImmutableMap.of("", 1e10), NOW.plusSeconds(5)))));
    }

    @Test
    void recordsOfNodes() throws Exception {
        assertEquals(
                "{'apiVersion':'policy-scheduler.io/v1','kind':'RecordedTable','metadata':{'name':'t'},"
                        + "'source':'metricsApi nodes','question':'nodes of metrics.k8s.io',"
                        + "'taken':'2026-01-31T12:10:00Z','values':{'n1':{'cpu':1.25,'memory':2048.0}},"
                        + "'times':{'n1':'2026-01-31T12:10:00Z'}}",
                object(
                        "metricsApi: nodes",
                        Map.of("n1", new Measurement.Sample(ImmutableMap.of("cpu", 1.25, "memory", 2048.0), NOW))));
    }
}
