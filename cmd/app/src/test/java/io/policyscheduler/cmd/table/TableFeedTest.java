package io.policyscheduler.cmd.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.table.TableFeeds.TableFeed;
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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Values from a source: generations, the view of the scheduling thread, and messages to users. */
class TableFeedTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final List<String> calls = new ArrayList<>();
    private final TableListener listener = new TableListener() {
        @Override
        public void onChanged(TableDefinition table, TableState state) {
            calls.add("changed " + state.generation());
        }

        @Override
        public void onRefused(TableDefinition table, TableState state) {
            calls.add("refused " + state.problem());
        }

        @Override
        public void onRecovered(TableDefinition table, TableState state) {
            calls.add("recovered");
        }

        @Override
        public void onStale(TableDefinition table, TableState state) {
            calls.add("stale " + state.stale());
        }
    };
    private final TableSource source = new TableSource() {
        @Override
        public void start(TableSink sink) {
            calls.add("started");
        }

        @Override
        public void close() {
            calls.add("closed");
        }
    };

    private TableFeed feed(TableOrigin origin) {
        TableDefinition definition = new TableDefinition(
                "t",
                origin,
                new TreeMap<>(Map.of(TableSchema.VALUE, RuleType.NUMBER)),
                Map.of(),
                TableValues.EMPTY,
                Measuring.NONE,
                new TableDefinition.Place("p.yaml", 1, 1));
        TableState first = TableState.none(definition.schema(definition.fields()), Map.of());
        RuleTables tables = new RuleTables(Map.of("t", definition), Map.of("t", first));
        TableFeed feed = new TableFeed(tables, definition, first, source, change -> calls.add("posted"), listener);
        feed.start();
        return feed;
    }

    private static TableValues values(double value, Instant time) {
        return new TableValues(
                ImmutableMap.of("a", ImmutableMap.of("", value)), ImmutableMap.of(), ImmutableMap.of("a", time));
    }

    private void assertCalls(String... expected) {
        assertEquals(List.of(expected), calls);
    }

    /** The first values are a change even if they are empty; if only timestamps differ, only rules see them. */
    @Test
    void generations() {
        TableFeed feed = feed(new TableOrigin.NodeMetrics(Duration.ofSeconds(1)));
        feed.publish(TableValues.EMPTY, null, 0);
        feed.publish(values(1, NOON), NOON, 0);
        feed.publish(values(1, NOON), NOON, 0);
        feed.publish(values(1, NOON.plusSeconds(1)), NOON.plusSeconds(1), 0);
        assertCalls("started", "posted", "changed 1", "posted", "changed 2", "posted");
        assertEquals(2, feed.state().generation());
        assertEquals(NOON.plusSeconds(1), feed.state().sourceTime());
    }

    @Test
    void troubleIsToldOnce() {
        TableFeed feed = feed(new TableOrigin.NodeMetrics(Duration.ofSeconds(1)));
        feed.publish(values(1, NOON), NOON, 0);
        feed.refuse("down");
        feed.refuse("still down");
        feed.expire(TableValues.EMPTY, 1);
        assertEquals("still down", feed.state().problem());
        feed.publish(values(1, NOON), NOON, 0);
        assertCalls(
                "started",
                "posted",
                "changed 1",
                "refused down",
                "posted",
                "changed 2",
                "stale 1",
                "posted",
                "recovered",
                "changed 3");
    }

    @Test
    void eachMistakeOfATextIsTold() {
        TableFeed feed = feed(new TableOrigin.File("x.csv"));
        feed.refuse("no such file");
        feed.refuse("no such file");
        feed.refuse("no number");
        assertCalls("started", "refused no such file", "refused no number");
    }

    @Test
    void afterItsEndNothingCounts() {
        TableFeed feed = feed(new TableOrigin.File("x.csv"));
        feed.close();
        feed.publish(values(1, NOON));
        feed.refuse("gone");
        assertCalls("started", "closed");
    }
}
