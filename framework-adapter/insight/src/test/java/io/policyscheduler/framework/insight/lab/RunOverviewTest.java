package io.policyscheduler.framework.insight.lab;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.lab.AllocationMap.NodeRow;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Change;
import io.policyscheduler.framework.insight.lab.RunOverview.Peak;
import io.policyscheduler.framework.insight.lab.RunOverview.Wait;
import io.policyscheduler.framework.insight.lab.RunSettings.Outage;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RunOverviewTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long[] FOUR_CORES = {4000, 8};
    private static final SchedulerSpec MODERN =
            ProfileSchedulers.of("modern", ModernProfile::defaults, SchedulerSpec.Volumes.NONE, Extenders.NONE);

    private static ClusterTrace trace(List<Node> nodes, List<Change> changes, long seconds, Arrival... arrivals) {
        return new ClusterTrace(
                new ClusterSnapshot(nodes, List.of(), List.of(), List.of()),
                Instant.parse("2026-01-01T00:00:00Z"),
                List.of(arrivals),
                seconds * SECOND,
                changes,
                List.of(),
                List.of(),
                Map.of(),
                Map.of());
    }

    private static Arrival work(long at, PodInfo pod, long duration) {
        return new Arrival(at * SECOND, pod.namespace(), pod.name(), pod, duration * SECOND, ClusterTrace.NONE, false);
    }

    private static RunOverview run(ClusterTrace trace, RunSettings settings) {
        RunOverview overview = new RunOverview(
                trace,
                settings.resources(trace),
                settings.warmUp().toNanos(),
                settings.binding().toNanos());
        TraceRun.of(trace, MODERN, TieBreak.first(), settings, overview)
                .orElseThrow()
                .run();
        return overview;
    }

    /** The number of cells and their character, one after the other. */
    private static String text(String cells) {
        StringBuilder text = new StringBuilder();
        for (int i = 0, j = 0; i < cells.length(); i = j) {
            while (j < cells.length() && cells.charAt(j) == cells.charAt(i)) {
                j++;
            }
            text.append(text.isEmpty() ? "" : " ").append(j - i).append('x').append(cells.charAt(i));
        }
        return text.toString();
    }

    private static List<String> text(List<NodeRow> rows) {
        return rows.stream()
                .map(row -> row.first() + ".." + row.last() + " " + row.nodes() + " " + row.mean() + " "
                        + text(row.cells()))
                .toList();
    }

    /** A cell is 1 s. The first pod uses 3 of 4 cores from 0.05 s to 101.05 s, the second 2 from 101.1 s on; the last does not fit. */
    @Test
    void podsWaitOnOneNode() {
        RunOverview overview = run(
                trace(
                        List.of(node("n").cpu("4").build()),
                        List.of(),
                        200,
                        work(0, pod("first").cpu("3").build(), 100),
                        work(10, pod("second").cpu("2").build(), 1000),
                        work(20, pod("never").cpu("5").build(), 100)),
                RunSettings.defaults(FeatureGates.defaults()));
        assertEquals(
                List.of("n..n 1 " + (3 * 101 + 2 * 98.9) / (4 * 200) + " 101x7 1x4 98x5"),
                text(overview.map().rows(0)));
        assertEquals(List.of("n..n 1 null 200x."), text(overview.map().rows(1)));
        assertEquals(
                List.of(
                        new Wait("default", "never", 20 * SECOND, 180 * SECOND, false),
                        new Wait("default", "second", 10 * SECOND, 91_100_000_000L, true)),
                overview.longestWaits());
        assertEquals(
                List.of(110 * SECOND, 55 * SECOND),
                overview.longestWaits().stream().map(Wait::middle).toList());
        assertEquals(List.of(new Peak(21 * SECOND, 2), new Peak(50_000_000, 1)), overview.peaks());
    }

    /** Node b is away from 40 s to 80 s, when c appears, which is gone after 140 s; and b is larger from 120 s on. */
    @Test
    void nodesComeAndGo() {
        Node grown = node("b").cpu("8").build();
        RunSettings defaults = RunSettings.defaults(FeatureGates.defaults());
        RunSettings settings = new RunSettings(
                Duration.ZERO,
                defaults.start(),
                defaults.decision(),
                defaults.grace(),
                defaults.replacement(),
                defaults.warmUp(),
                defaults.sample(),
                defaults.gates(),
                false,
                null,
                Duration.ZERO,
                List.of(new Outage("b", 40 * SECOND, 40 * SECOND, false)),
                null,
                List.of(),
                1,
                defaults.gpuPods());
        RunOverview overview = run(
                trace(
                        List.of(node("a").cpu("1").build(), node("b").cpu("4").build()),
                        List.of(
                                new Change(
                                        80 * SECOND,
                                        new ClusterChange.NodeUpserted(
                                                node("c").cpu("4").build())),
                                new Change(120 * SECOND, new ClusterChange.NodeUpserted(grown)),
                                new Change(140 * SECOND, new ClusterChange.NodeDeleted("c"))),
                        200,
                        work(0, pod("lost").cpu("2").build(), 1000),
                        work(100, pod("next").cpu("2").build(), 1000)),
                settings);
        assertEquals(
                List.of(
                        "a..a 1 0.0 200x0",
                        "b..b 1 " + (2.0 * 40 + 2 * 100) / (4 * 80 + 8 * 80) + " 40x5 40x. 20x0 20x5 80x2",
                        "c..c 1 0.0 80x. 60x0 60x."),
                text(overview.map().rows(0)));
    }

    /** The last cell is shorter than the others, and pods that run for a part of a cell count for this part. */
    @Test
    void aCellIsAMeanOverItsTime() {
        AllocationMap map = new AllocationMap(2, 1999, List.of("n"));
        assertEquals(10, map.columnNanos());
        map.node(5, "n", FOUR_CORES);
        // 4 cores for 1 ns of 5, then for 7 of 10, none, and 1 core for 6 ns of 9.
        map.requests(9, "n", new long[] {4000, 0}, 1);
        map.requests(17, "n", new long[] {4000, 0}, -1);
        map.requests(1993, "n", new long[] {1000, 8}, 1);
        assertEquals(List.of("n..n 1 " + (4.0 * 8 + 6) / (4 * 1994) + " 1x2 1x7 197x0 1x1"), text(map.rows(0)));
        assertEquals(List.of("n..n 1 " + 6.0 / 1994 + " 199x0 1x6"), text(map.rows(1)));
    }

    /** What runs on a node that is not there yet counts when it appears. */
    @Test
    void podsOfAbsentNodesCountLater() {
        AllocationMap map = new AllocationMap(1, 200, List.of());
        map.requests(10, "n", new long[] {1}, 1);
        assertEquals(List.of(), map.rows(0));
        map.node(100, "n", new long[] {1});
        map.node(150, "n", null);
        map.requests(160, "n", new long[] {1}, -1);
        map.node(170, "n", new long[] {1});
        assertEquals(List.of("n..n 1 " + 50 / 80.0 + " 100x. 50xF 20x. 30x0"), text(map.rows(0)));
    }

    @Test
    void namesAreInTheOrderOfTheirNumbers() {
        List<String> names = new ArrayList<>(List.of(
                "node-10", "node-9", "node-09", "a", "node-10-b", "node-10-a", "node-", "b-2-10", "b-2-9", "b-10-1"));
        names.sort(AllocationMap.BY_NAME);
        assertEquals(
                List.of(
                        "a",
                        "b-2-9",
                        "b-2-10",
                        "b-10-1",
                        "node-",
                        "node-09",
                        "node-9",
                        "node-10",
                        "node-10-a",
                        "node-10-b"),
                names);
    }

    /** 150 nodes have rows of two. Others get rows between them, until there are too many: then, two rows become one. */
    @Test
    void manyNodesShareRows() {
        List<String> names = new ArrayList<>(
                IntStream.rangeClosed(1, 150).mapToObj(i -> "n-" + i).toList());
        Collections.reverse(names);
        AllocationMap map = new AllocationMap(1, 200, names);
        for (String name : names) {
            map.node(0, name, new long[] {10});
        }
        map.requests(0, "n-4", new long[] {10}, 1);
        List<String> rows = text(map.rows(0));
        assertEquals(75, rows.size());
        assertEquals(List.of("n-1..n-2 2 0.0 200x0", "n-3..n-4 2 0.5 200x5"), rows.subList(0, 2));

        map = new AllocationMap(1, 200, names);
        for (String name : names) {
            map.node(0, name, new long[] {10});
        }
        map.requests(100, "n-4", new long[] {10}, 1);
        for (int i = 1; i <= 150; i++) {
            map.node(100, "m-" + i, new long[] {30});
        }
        // 75 rows are before 75 others, which is not too many; then one that is within a row, and one that makes a row.
        map.node(100, "n-3-a", new long[] {10});
        rows = text(map.rows(0));
        assertEquals(150, rows.size());
        assertEquals("m-1..m-2 2 0.0 100x. 100x0", rows.get(0));
        assertEquals("n-3..n-4 3 " + 1000 / 5000.0 + " 100x0 100x3", rows.get(76));
        map.node(150, "o", new long[] {20});
        rows = text(map.rows(0));
        assertEquals(76, rows.size());
        assertEquals("m-1..m-4 4 0.0 100x. 100x0", rows.get(0));
        assertEquals("m-149..n-2 4 0.0 200x0", rows.get(37));
        assertEquals("n-3..n-6 5 " + 1000 / 9000.0 + " 100x0 100x2", rows.get(38));
        assertEquals("o..o 1 0.0 150x. 50x0", rows.get(75));
    }

    @Test
    void aMapOfManyNodesIsSmall() {
        AllocationMap map = new AllocationMap(
                1,
                30 * 86_400 * SECOND,
                IntStream.range(0, 5000).mapToObj(i -> "node-" + i).toList());
        List<NodeRow> rows = map.rows(0);
        assertEquals(100, rows.size());
        assertEquals(5000, rows.stream().mapToInt(NodeRow::nodes).sum());
        assertTrue(
                rows.stream().allMatch(row -> row.nodes() == 50 && row.cells().length() == 200));
        assertEquals(3 * 3600 + 36 * 60, map.columnNanos() / SECOND);
    }

    /** Only numbers that last are moments, and only those of the window, in the seconds after which they hold. */
    @Test
    void peaksAreApart() {
        RunOverview overview =
                new RunOverview(trace(List.of(), List.of(), 200), List.of("cpu", "memory"), 10 * SECOND, SECOND);
        overview.waited(SECOND, 50);
        overview.waited(5 * SECOND, 9);
        overview.waited(12 * SECOND, 500);
        overview.waited(12 * SECOND, 7);
        overview.waited(20 * SECOND + SECOND / 2, 3);
        overview.waited(60 * SECOND, 5);
        overview.waited(61 * SECOND, 0);
        overview.waited(100 * SECOND + SECOND / 4, 5);
        overview.waited(100 * SECOND + SECOND * 3 / 4, 0);
        // At 20.5 s, 3 pods wait, which is less than half of 9, but more than half of the 5 at 60 s.
        assertEquals(List.of(new Peak(11 * SECOND, 9), new Peak(100_750_000_000L, 5)), overview.peaks());
    }

    @Test
    void theLongestWaitsAreThoseOfTheWindow() {
        RunOverview overview =
                new RunOverview(trace(List.of(), List.of(), 200), List.of("cpu", "memory"), 10 * SECOND, SECOND);
        // p0 and p1 arrive before the window, p2 waits for the shortest time, and p3 ends without a node.
        IntStream.range(0, 7).forEach(i -> overview.ended(life(i)));
        assertEquals(List.of("p3 100 false", "p6 6 true", "p5 5 true", "p4 4 true"), text(overview));
        IntStream.range(7, 16).forEach(i -> overview.ended(life(i)));
        assertEquals(
                List.of(
                        "p3 100 false",
                        "p15 15 true",
                        "p14 14 true",
                        "p13 13 true",
                        "p12 12 true",
                        "p11 11 true",
                        "p10 10 true",
                        "p9 9 true",
                        "p8 8 true",
                        "p7 7 true"),
                text(overview));
    }

    private static TraceRun.PodLife life(int i) {
        long arrived = i < 2 ? 0 : 50 * SECOND;
        return new TraceRun.PodLife(
                pod("p" + i).build(),
                arrived,
                i == 3 ? ClusterTrace.NONE : arrived + (i == 2 ? 1 : i < 2 ? 60 : i) * SECOND,
                i == 3 ? arrived + 100 * SECOND : ClusterTrace.NONE,
                "",
                TraceRun.End.DELETED,
                null,
                null);
    }

    private static List<String> text(RunOverview overview) {
        return overview.longestWaits().stream()
                .map(wait -> wait.name() + " " + wait.nanos() / SECOND + " " + wait.isBound())
                .toList();
    }

    @Test
    void theMiddleOfAShortWaitIsExact() {
        assertEquals(10_025_000_000L, new Wait("ns", "p", 10 * SECOND, SECOND / 20, true).middle());
        assertEquals(1, new Wait("ns", "p", 0, 1, true).middle());
        assertEquals(11 * SECOND, new Wait("ns", "p", 10 * SECOND, 3 * SECOND, true).middle());
    }
}
