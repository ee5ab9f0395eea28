package io.policyscheduler.framework.insight.compare;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary.Spread;
import io.policyscheduler.framework.insight.compare.ClusterLoads.NodeLoads;
import io.policyscheduler.framework.insight.compare.CompareReport.PairSummary;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.CompareReport.ScoreSheet;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    /** Accepts one pod, not counting daemon pods. */
    private static TableScheduler scheduler(String name) {
        return new TableScheduler(name, SchedulerSpec.Kind.MODERN)
                .filter(
                        "NodeResourcesFit",
                        (pod, node) -> node.pods().stream().anyMatch(other -> !ClusterLoads.staysWithNode(other)));
    }

    private static Node bigNode(String name, String zone) {
        return node(name).cpu("4").memory("4Gi").pods(10).label(Node.ZONE, zone).build();
    }

    private static PodInfo running(String name, String node) {
        return pod(name).requests("1", "1Gi").onNode(node).build();
    }

    private static PodInfo pending(String name) {
        return pod(name).requests("1", "1Gi").build();
    }

    private static ClusterSnapshot snapshot(List<PodInfo> running, List<PodInfo> pending) {
        return new ClusterSnapshot(
                List.of(bigNode("a", "z1"), bigNode("b", "z1"), bigNode("c", "z2")), List.of(), running, pending);
    }

    private static CompareReport compare(
            ClusterSnapshot snapshot, CompareReport.Mode mode, boolean replay, TableScheduler... schedulers) {
        List<SchedulerSpec> sources = new ArrayList<>();
        List.of(schedulers).forEach(scheduler -> sources.add(scheduler.source()));
        return new Comparison(snapshot, sources, new Comparison.Settings(mode, replay, false, 1))
                .run((done, all, differing) -> {});
    }

    private static Map<String, String> nodes(CompareReport report, int scheduler) {
        return report.pods().stream()
                .collect(Collectors.toMap(
                        PodComparison::pod,
                        pod -> String.valueOf(pod.results().get(scheduler).node())));
    }

    @Test
    void stepsShareTheStateOfTheReference() {
        ClusterSnapshot snapshot = snapshot(List.of(), List.of(pending("p1"), pending("p2")));
        CompareReport report = compare(
                snapshot,
                CompareReport.Mode.STEPS,
                false,
                scheduler("one").score("TaintToleration", 1, "a", 9, "b", 5),
                scheduler("two").score("TaintToleration", 1, "c", 9, "b", 5));
        assertEquals(Map.of("default/p1", "a", "default/p2", "b"), nodes(report, 0));
        assertEquals(Map.of("default/p1", "c", "default/p2", "c"), nodes(report, 1));
        PairSummary pair = report.pairs().get(0);
        assertEquals(2, pair.count(Agreement.DIFFERENT));
        assertEquals(0, pair.agreementRate());
        assertEquals(
                List.of("TaintToleration score"),
                pair.groups().stream().map(PairSummary.CauseGroup::cause).toList());
        assertEquals(2, pair.groups().get(0).pods());
        assertNotNull(report.pods().get(0).results().get(1).sheet());
        assertNull(report.pods().get(1).results().get(1).sheet(), "limit");
    }

    @Test
    void runsGoOnWithTheirOwnPlacements() {
        ClusterSnapshot snapshot =
                snapshot(List.of(), List.of(pending("p1"), pending("p2"), pending("p3"), pending("p4")));
        CompareReport report = compare(
                snapshot,
                CompareReport.Mode.RUN,
                false,
                scheduler("one").score("TaintToleration", 1, "a", 9, "b", 5),
                scheduler("two").score("TaintToleration", 1, "c", 9, "b", 5));
        assertEquals(
                Map.of("default/p1", "a", "default/p2", "b", "default/p3", "c", "default/p4", "null"),
                nodes(report, 0));
        assertEquals(
                Map.of("default/p1", "c", "default/p2", "b", "default/p3", "a", "default/p4", "null"),
                nodes(report, 1));
        Map<String, String> labels = report.pods().stream()
                .collect(Collectors.toMap(
                        PodComparison::pod,
                        pod -> pod.agrees() ? "" : pod.differences().get(0).label()));
        assertEquals(
                Map.of(
                        "default/p1",
                        "TaintToleration score",
                        "default/p2",
                        "",
                        "default/p3",
                        "earlier placements",
                        "default/p4",
                        ""),
                labels);
        assertEquals(1, report.pairs().get(0).count(Agreement.NEITHER));
        ClusterSummary two = report.summaries().get(2);
        assertEquals(3, two.placed());
        assertEquals(1, two.unplaced());
        assertEquals(new Spread(1, 0, 1, 1), two.nodes().pods());
    }

    @Test
    void theOtherTakesTheSameNodeWhereItMay() {
        ClusterSnapshot snapshot = snapshot(List.of(), List.of(pending("p1"), pending("p2")));
        CompareReport report = compare(
                snapshot, CompareReport.Mode.RUN, false, scheduler("one").score("X", 1, "b", 1), scheduler("two"));
        assertEquals(nodes(report, 0), nodes(report, 1));
        assertEquals(1, report.pairs().get(0).count(Agreement.TIE));
        assertTrue(report.agrees());
    }

    @Test
    void runningPodsAreDecidedAgain() {
        PodInfo daemon = pod("d").controller("DaemonSet", "d", "ud").onNode("a").build();
        PodInfo still = pod("s").controller("Node", "a", "ua").onNode("a").build();
        PodInfo dying = pod("t").onNode("c").terminating().build();
        ClusterSnapshot snapshot = snapshot(List.of(daemon, still, running("r", "a"), dying), List.of());
        TableScheduler one = scheduler("one")
                .filter(
                        "NodeAffinity",
                        (pod, node) -> pod.name().equals("d") && !node.name().equals("a"))
                .score("X", 1, "a", 1);
        TableScheduler two = scheduler("two")
                .filter(
                        "NodeAffinity",
                        (pod, node) -> pod.name().equals("d") && !node.name().equals("a"))
                .score("X", 1, "b", 1);
        CompareReport report = compare(snapshot, CompareReport.Mode.RUN, true, one, two);
        assertEquals(2, report.skipped());
        assertEquals(
                List.of("a", "a"),
                report.pods().stream().map(PodComparison::ranOn).toList());
        // While r runs on a, no other pod may come, so that the daemon has no place; it stays where it is.
        assertEquals(Map.of("default/d", "null", "default/r", "b"), nodes(report, 1));
        assertEquals(List.of(), report.summaries().get(1).emptied());
        assertEquals(List.of("a"), report.summaries().get(2).emptied());
        assertEquals(
                List.of(ImmutableLongArray.of(3, 0, 1), ImmutableLongArray.of(2, 1, 1)),
                report.loads().after().stream().map(NodeLoads.Load::pods).toList());
        assertEquals(ImmutableLongArray.of(1000, 0, 0), report.loads().before().cpu());

        CompareReport steps = compare(snapshot, CompareReport.Mode.STEPS, true, one, two);
        assertEquals(steps.loads().before(), steps.loads().after().get(1));
        assertEquals(Map.of("default/d", "null", "default/r", "b"), nodes(steps, 1));
    }

    @Test
    void countsWhatNoLongerFits() {
        ClusterSnapshot snapshot = snapshot(List.of(running("r", "c")), List.of(pending("p1"), pending("p2")));
        CompareReport report = compare(
                snapshot,
                CompareReport.Mode.STEPS,
                false,
                scheduler("one"),
                scheduler("two").filter("TaintToleration", "a", "b"),
                scheduler("three"));
        assertEquals(List.of("default/p1", "default/p2"), report.pairs().get(0).noLongerFit());
        assertEquals(
                "TaintToleration filter", report.pairs().get(0).groups().get(0).cause());
        assertEquals(1, report.pairs().get(1).agreementRate());
        ClusterSummary before = report.summaries().get(0);
        assertEquals(new Spread(0.125, 0.125, 0, 0.25), before.zones().cpu());
        assertEquals(
                List.of(
                        new ClusterSummary.ZoneLoad("z1", 2, 0, 0, 0),
                        new ClusterSummary.ZoneLoad("z2", 1, 0.25, 0.25, 1)),
                before.zoneLoads());
    }

    @Test
    void importantPodsComeFirst() {
        ClusterSnapshot snapshot = snapshot(
                List.of(), List.of(pending("low"), pod("high").priority(5).build()));
        CompareReport report = compare(snapshot, CompareReport.Mode.STEPS, false, scheduler("one"), scheduler("two"));
        assertEquals(
                List.of("default/high", "default/low"),
                report.pods().stream().map(PodComparison::pod).toList());
    }

    @Test
    void aClusterWithoutNodesOrPods() {
        ClusterSnapshot empty = new ClusterSnapshot(List.of(), List.of(), List.of(), List.of());
        CompareReport report = compare(empty, CompareReport.Mode.RUN, true, scheduler("one"), scheduler("two"));
        assertTrue(report.agrees());
        assertEquals(1, report.pairs().get(0).agreementRate());
        assertEquals(new Spread(0, 0, 0, 0), report.summaries().get(1).nodes().cpu());
    }

    @Test
    void oneAloneCannotBeCompared() {
        assertThrows(
                IllegalArgumentException.class,
                () -> compare(snapshot(List.of(), List.of()), CompareReport.Mode.STEPS, false, scheduler("one")));
    }

    /** Of 30 nodes with totals 0 to 4, six each, twenty are reported; among equals, the first by name. */
    @Test
    void sheetsTellTheBestNodes() {
        List<Node> nodes = new ArrayList<>();
        List<Object> scores = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            String name = "n%02d".formatted(29 - i);
            nodes.add(bigNode(name, "z1"));
            scores.add(name);
            scores.add(i % 5);
        }
        ClusterSnapshot snapshot = new ClusterSnapshot(nodes, List.of(), List.of(), List.of(pending("p")));
        CompareReport report = compare(
                snapshot,
                CompareReport.Mode.STEPS,
                false,
                scheduler("one").score("TaintToleration", 1, scores.toArray()),
                scheduler("two").filter("NodeName", (pod, node) -> !node.name().equals("n01")));
        ScoreSheet sheet =
                Objects.requireNonNull(report.pods().get(0).results().get(0).sheet());
        List<String> actual =
                sheet.rows().stream().map(row -> row.node() + "=" + row.total()).toList();
        assertEquals(
                List.of(
                        "n00=4", "n05=4", "n10=4", "n15=4", "n20=4", "n25=4", "n01=3", "n06=3", "n11=3", "n16=3",
                        "n21=3", "n26=3", "n02=2", "n07=2", "n12=2", "n17=2", "n22=2", "n27=2", "n03=1", "n08=1"),
                actual);
    }
}
