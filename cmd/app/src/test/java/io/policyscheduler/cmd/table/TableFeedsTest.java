package io.policyscheduler.cmd.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.table.TableFeeds.TableListener;
import io.policyscheduler.cmd.table.TableFeeds.TableSource;
import io.policyscheduler.cmd.table.TableFeeds.TableSource.TableSink;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.Measuring;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tables after a reload of the policy. */
class TableFeedsTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final TableOrigin FILE = new TableOrigin.File("t.csv");
    private static final TableOrigin MEASURED = new TableOrigin.NodeMetrics(Duration.ofSeconds(30));
    private static final TableListener DEAF = new TableListener() {
        @Override
        public void onChanged(TableDefinition table, TableState state) {}

        @Override
        public void onRefused(TableDefinition table, TableState state) {}

        @Override
        public void onRecovered(TableDefinition table, TableState state) {}

        @Override
        public void onStale(TableDefinition table, TableState state) {}
    };

    private final List<TableSink> sinks = new ArrayList<>();
    private final TableFeeds feeds = new TableFeeds(this::source, TableFeedsTest::take, DEAF);

    /** Applies the changes as the scheduling thread does. */
    private static void take(ClusterChange change) {
        ClusterChange.TableChanged changed = (ClusterChange.TableChanged) change;
        changed.tables().put(changed.state());
    }

    private TableSource source(TableDefinition definition, TableState first) {
        return new TableSource() {
            @Override
            public void start(TableSink sink) {
                sinks.add(sink);
            }

            @Override
            public void close() {}
        };
    }

    private static TableDefinition table(TableOrigin origin, int line) {
        return new TableDefinition(
                "t",
                origin,
                new TreeMap<>(Map.of(TableSchema.VALUE, RuleType.NUMBER)),
                Map.of(),
                TableValues.EMPTY,
                Measuring.NONE,
                new TableDefinition.Place("p.yaml", line, 1));
    }

    private static RuleTables read(TableDefinition definition, double value) {
        TableSchema schema = definition.schema(definition.fields());
        TableState first = definition.origin().isMeasured()
                ? TableState.none(schema, Map.of())
                : TableState.first(schema, values(value));
        return new RuleTables(Map.of("t", definition), Map.of("t", first));
    }

    private static TableValues values(double value) {
        return new TableValues(
                ImmutableMap.of("a", ImmutableMap.of(TableSchema.VALUE, value)),
                ImmutableMap.of(),
                ImmutableMap.of("a", NOON));
    }

    private static String shown(RuleTables tables) {
        TableState state = tables.get().states().get("t");
        return state == null ? "" : state.generation() + ": " + state.values().get("a", TableSchema.VALUE);
    }

    private TableState inEffect() {
        return Objects.requireNonNull(feeds.states().get("t"));
    }

    @Test
    void generationsGoOnFromThePolicyBefore() {
        RuleTables first = read(table(FILE, 1), 1);
        feeds.follow(List.of(first));
        sinks.get(0).publish(values(2), null, 0);
        assertEquals("2: 2.0", shown(first));
        RuleTables same = read(table(FILE, 7), 2);
        feeds.follow(List.of(same));
        assertEquals("2: 2.0", shown(same));
        RuleTables other = read(table(new TableOrigin.File("other.csv"), 7), 3);
        feeds.follow(List.of(other));
        assertEquals("3: 3.0", shown(other));
        sinks.get(2).publish(values(4), null, 0);
        assertEquals("4: 4.0", shown(other));
        assertEquals(4, inEffect().generation());
    }

    @Test
    void measuredValuesStayUntilTheyAreMeasuredAgain() {
        feeds.follow(List.of(read(table(MEASURED, 1), 0)));
        sinks.get(0).publish(values(5), NOON, 0);
        RuleTables again = read(table(MEASURED, 9), 0);
        feeds.follow(List.of(again));
        assertEquals("1: 5.0", shown(again));
        assertEquals(NOON, inEffect().sourceTime());
        RuleTables otherwise = read(table(new TableOrigin.NodeMetrics(Duration.ofSeconds(5)), 9), 0);
        feeds.follow(List.of(otherwise));
        assertEquals("0: null", shown(otherwise));
    }
}
