package io.policyscheduler.cmd.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.MeasuredSource.Measurement;
import io.policyscheduler.cmd.table.MeasuredSource.Timer;
import io.policyscheduler.cmd.table.TableFeeds.TableSource.TableSink;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.Measuring;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableDefinition.WhenStale;
import io.policyscheduler.engine.rules.data.TableValues;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a source queries its server and drops values, on a virtual clock. */
class MeasuredSourceTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final VirtualTime time = new VirtualTime();
    private final List<String> calls = new ArrayList<>();
    private final SortedMap<String, Measurement.Sample> answer = new TreeMap<>();
    private String trouble = "";
    private final MeasuredSource source = source(Duration.ofSeconds(60));

    private record Later(Instant at, long number, Runnable task) {}

    /** A clock with planned actions. */
    private static final class VirtualTime extends Clock implements Timer {
        private final PriorityQueue<Later> queue =
                new PriorityQueue<>(Comparator.comparing(Later::at).thenComparing(Later::number));
        private Instant now = START;
        private long number;

        @Override
        public void after(Duration delay, Runnable task) {
            queue.add(new Later(now.plus(delay), number++, task));
        }

        void runUntil(int second) {
            Instant end = START.plusSeconds(second);
            while (!queue.isEmpty() && !queue.element().at().isAfter(end)) {
                Later next = queue.remove();
                now = next.at();
                next.task().run();
            }
            now = end;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    private MeasuredSource source(@Nullable Duration staleAfter) {
        return source(staleAfter, TableValues.EMPTY);
    }

    private MeasuredSource source(@Nullable Duration staleAfter, TableValues first) {
        TableOrigin origin = new TableOrigin.NodeMetrics(Duration.ofSeconds(30));
        TableDefinition definition = new TableDefinition(
                "load",
                origin,
                new TreeMap<>(Map.of(TableSchema.VALUE, RuleType.NUMBER)),
                Map.of(),
                TableValues.EMPTY,
                new Measuring(staleAfter, WhenStale.DEFAULT, new TreeMap<>()),
                new TableDefinition.Place("p.yaml", 1, 1));
        Measurement measurement = new Measurement() {
            @Override
            public SortedMap<String, Sample> measure() throws MeasureException {
                if (!trouble.isEmpty()) {
                    throw new MeasureException(trouble);
                }
                return answer;
            }

            @Override
            public void close() {
                calls.add("closed");
            }
        };
        return new MeasuredSource(definition, first, Duration.ofSeconds(30), measurement, time, time, time);
    }

    private final TableSink sink = new TableSink() {
        @Override
        public void publish(TableValues values, @Nullable Instant sourceTime, int stale) {
            calls.add(at() + "publish " + shown(values) + " of " + seconds(sourceTime) + ", stale " + stale);
        }

        @Override
        public void expire(TableValues values, int stale) {
            calls.add(at() + "expire " + shown(values) + ", stale " + stale);
        }

        @Override
        public void refuse(String reason) {
            calls.add(at() + "refuse " + reason);
        }
    };

    private String at() {
        return seconds(time.instant()) + ": ";
    }

    private static String seconds(@Nullable Instant instant) {
        return instant == null ? "never" : Duration.between(START, instant).toSeconds() + "s";
    }

    private static String shown(TableValues values) {
        Map<String, String> rows = new TreeMap<>();
        values.rows()
                .forEach((key, row) ->
                        rows.put(key, row.get("") + "@" + seconds(values.times().get(key))));
        return rows.toString();
    }

    private void measured(String key, double value, int second) {
        answer.put(key, new Measurement.Sample(ImmutableMap.of(TableSchema.VALUE, value), START.plusSeconds(second)));
    }

    @Test
    void asksAgainAndAgain() {
        measured("a", 1, 0);
        source.start(sink);
        time.runUntil(29);
        measured("a", 2, 29);
        time.runUntil(30);
        answer.clear();
        time.runUntil(60);
        source.close();
        time.runUntil(300);
        assertEquals(
                List.of(
                        "0s: publish {a=1.0@0s} of 0s, stale 0",
                        "30s: publish {a=2.0@29s} of 29s, stale 0",
                        "60s: publish {} of never, stale 0",
                        "closed"),
                calls);
    }

    /** While the server fails, each value remains until it expires. */
    @Test
    void valuesBecomeTooOldAtTheirTime() {
        measured("a", 1, -20);
        measured("b", 2, -5);
        measured("c", 3, -60);
        source.start(sink);
        time.runUntil(1);
        trouble = "no answer";
        time.runUntil(70);
        trouble = "";
        measured("a", 4, 80);
        measured("c", 5, 1000);
        time.runUntil(90);
        assertEquals(
                List.of(
                        "0s: publish {a=1.0@-20s, b=2.0@-5s} of -5s, stale 1",
                        "30s: refuse no answer",
                        "40s: expire {b=2.0@-5s}, stale 2",
                        "55s: expire {}, stale 3",
                        "60s: refuse no answer",
                        "90s: publish {a=4.0@80s, c=5.0@90s} of 90s, stale 1"),
                calls);
    }

    /** Values survive a reload of the policy, with their age. */
    @Test
    void valuesOfTheSourceBeforeBecomeTooOldToo() {
        trouble = "no answer";
        ImmutableMap<String, Object> row = ImmutableMap.of(TableSchema.VALUE, 1.0);
        TableValues first = new TableValues(
                ImmutableMap.of("a", row, "b", row),
                ImmutableMap.of(),
                ImmutableMap.of("a", START.minusSeconds(100), "b", START.minusSeconds(20)));
        source(Duration.ofSeconds(60), first).start(sink);
        time.runUntil(50);
        assertEquals(
                List.of(
                        "0s: refuse no answer",
                        "0s: expire {b=1.0@-20s}, stale 1",
                        "30s: refuse no answer",
                        "40s: expire {}, stale 2"),
                calls);
    }

    @Test
    void anAnswerEndsTheTimesOfTheOneBefore() {
        measured("a", 1, 0);
        source.start(sink);
        time.runUntil(20);
        measured("a", 1, 30);
        time.runUntil(80);
        assertEquals(
                List.of(
                        "0s: publish {a=1.0@0s} of 0s, stale 0",
                        "30s: publish {a=1.0@30s} of 30s, stale 0",
                        "60s: publish {a=1.0@30s} of 30s, stale 0"),
                calls);
    }

    @Test
    void withoutAnAgeNothingBecomesTooOld() {
        MeasuredSource ageless = source(null);
        measured("a", 1, -100_000);
        ageless.start(sink);
        time.runUntil(29);
        assertEquals(List.of("0s: publish {a=1.0@-100000s} of -100000s, stale 0"), calls);
    }
}
