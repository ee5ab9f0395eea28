package io.policyscheduler.framework.insight.lab;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Change;
import io.policyscheduler.framework.insight.lab.NodeGroups.Consolidation;
import io.policyscheduler.framework.insight.lab.NodeGroups.Expander;
import io.policyscheduler.framework.insight.lab.NodeGroups.Group;
import io.policyscheduler.framework.insight.lab.NodeGroups.Removal;
import io.policyscheduler.framework.insight.lab.NodeGroups.ScaleDown;
import io.policyscheduler.framework.insight.lab.TraceRun.PodLife;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class NodeGroupsTest {
    private static final SchedulerSpec MODERN =
            ProfileSchedulers.of("modern", ModernProfile::defaults, SchedulerSpec.Volumes.NONE, Extenders.NONE);
    private static final ScaleDown DOWN = new ScaleDown(0.5, Duration.ofMinutes(10), Duration.ofMinutes(10));
    private static final Consolidation KARPENTER = new Consolidation(false, Duration.ZERO, 10, true);
    private static final Node BASE = node("base").cpu("1").memory("2Gi").build();

    private static Group group(String name, int min, int max, double price, int priority, String cpu, String memory) {
        return new Group(
                name,
                min,
                max,
                price,
                priority,
                Duration.ofMinutes(2),
                node("template").cpu(cpu).memory(memory).build());
    }

    private static NodeGroups groups(Expander expander, Removal removal, Group... groups) {
        return new NodeGroups("node-group", List.of(groups), expander, 7, Duration.ofSeconds(10), removal, MODERN);
    }

    private static long nanos(long seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    private static Arrival work(long at, PodInfo pod, long duration) {
        return new Arrival(nanos(at), pod.namespace(), pod.name(), pod, nanos(duration), ClusterTrace.NONE, true);
    }

    private static PodInfo running(String name, String cpu, String node) {
        return webPod(name, cpu, node).controller("ReplicaSet", "web", "web").build();
    }

    private static PodBuilder webPod(String name, String cpu, String node) {
        return pod(name).uid(name).cpu(cpu).memory("1Gi").label("app", "web").onNode(node);
    }

    private static ClusterTrace trace(
            List<Node> nodes, List<? extends ClusterObject> objects, List<PodInfo> pods, Arrival... arrivals) {
        return new ClusterTrace(
                new ClusterSnapshot(nodes, List.copyOf(objects), pods, List.of()),
                Instant.parse("2026-01-01T00:00:00Z"),
                List.of(arrivals),
                nanos(1200));
    }

    private static RunSettings settings(NodeGroups groups) {
        return settings(groups, List.of());
    }

    private static RunSettings settings(NodeGroups groups, List<RunSettings.Hazard> hazards) {
        RunSettings defaults = RunSettings.defaults(FeatureGates.defaults());
        return new RunSettings(
                defaults.binding(),
                defaults.start(),
                defaults.decision(),
                defaults.grace(),
                defaults.replacement(),
                defaults.warmUp(),
                defaults.sample(),
                defaults.gates(),
                defaults.strictV117(),
                node -> {
                    Double price = groups.priceOf(node);
                    return price == null ? 0 : price;
                },
                defaults.block(),
                List.of(),
                groups,
                hazards,
                1,
                GpuFragmentation.Expected.ARRIVALS);
    }

    /** What happened, one line each: seconds, and the node that was added or removed, or the pod that ended. */
    private static class Log implements TraceRun.Listener {
        private final List<String> lines = new ArrayList<>();
        private Set<String> before = Set.of();

        @Override
        public void stepped(TraceRun run) {
            Set<String> now = new TreeSet<>(run.nodes().stream().map(Node::name).toList());
            for (String name : now) {
                if (!before.contains(name) && run.nanos() > 0) {
                    lines.add(run.nanos() / 1e9 + " added " + name);
                }
            }
            for (String name : before) {
                if (!now.contains(name)) {
                    lines.add(run.nanos() / 1e9 + " removed " + name);
                }
            }
            before = now;
        }

        @Override
        public void ended(PodLife life) {
            String at = life.ended() == ClusterTrace.NONE ? "end" : String.valueOf(life.ended() / 1e9);
            lines.add(at + " " + life.pod().name() + " " + life.node() + " " + life.end());
        }
    }

    private static List<String> run(ClusterTrace trace, NodeGroups groups) {
        Log log = new Log();
        TraceRun.of(trace, MODERN, TieBreak.first(), settings(groups), log)
                .orElseThrow()
                .run();
        return log.lines;
    }

    /** A new node of a group is reclaimed, and its pod gets the next one. */
    @Test
    void newNodesOfAGroupAreReclaimed() {
        NodeGroups groups = groups(Expander.LEAST_WASTE, DOWN, group("spot", 0, 2, 1, 0, "4", "4Gi"));
        RunSettings.Hazard hazard =
                new RunSettings.Hazard("h", node -> groups.priceOf(node) != null, Duration.ofMinutes(5), null);
        Log log = new Log();
        TraceRun.of(
                        trace(
                                List.of(),
                                List.of(),
                                List.of(),
                                work(5, pod("p").cpu("3").memory("1Gi").build(), 3000)),
                        MODERN,
                        TieBreak.first(),
                        settings(groups, List.of(hazard)),
                        log)
                .orElseThrow()
                .run();
        double drawn = -StrictMath.log1p(-LoadScenario.random(1, LoadScenario.Purpose.RECLAIM, "h/spot-1")
                        .nextDouble())
                * 300;
        List<String> ofFirst = log.lines.stream()
                .filter(line -> line.endsWith("removed spot-1"))
                .toList();
        List<String> added =
                log.lines.stream().filter(line -> line.contains("added")).toList();
        double start = Double.parseDouble(added.get(0).substring(0, added.get(0).indexOf(' ')));
        assertEquals(
                start + drawn + 120,
                Double.parseDouble(ofFirst.get(0).substring(0, ofFirst.get(0).indexOf(' '))),
                1e-6);
        assertEquals("added spot-2", added.get(1).substring(added.get(1).indexOf(' ') + 1));
        assertEquals(
                List.of("p spot-1 Evicted"),
                log.lines.stream()
                        .filter(line -> line.endsWith("p spot-1 Evicted"))
                        .map(line -> line.substring(line.indexOf(' ') + 1))
                        .toList());
    }

    @Test
    void nodesAreAddedForUnschedulablePodsAndRemovedWhenTheyAreUnneeded() {
        PodInfo pod = pod("p").cpu("3").memory("1Gi").build();
        NodeGroups groups = groups(
                Expander.LEAST_WASTE,
                DOWN,
                group("small", 1, 3, 0.5, 0, "4", "4Gi"),
                group("large", 0, 3, 3, 0, "64", "64Gi"));
        Log log = new Log();
        TraceRun.Result result = TraceRun.of(
                        trace(
                                List.of(BASE),
                                List.of(),
                                List.of(),
                                work(5, pod, 300),
                                work(5, pod("q").cpu("3").memory("1Gi").build(), 300),
                                work(5, pod("huge").cpu("100").memory("1Gi").build(), 300)),
                        MODERN,
                        TieBreak.first(),
                        settings(groups),
                        log)
                .orElseThrow()
                .run();
        // The look at 10 s adds two nodes. The pods start at 131.05 s, and end 300 s later. The look at 440 s finds
        // both nodes unneeded;
        // ten minutes later, one is removed, and the minimum keeps the other.
        assertEquals(
                List.of(
                        "130.0 added small-1",
                        "130.0 added small-2",
                        "431.05 p small-1 Succeeded",
                        "431.05 q small-2 Succeeded",
                        "1041.0 removed small-1",
                        "end huge  Pending"),
                log.lines);
        assertEquals(2.0, result.metrics().get("nodes.started"));
        assertEquals(1.0, result.metrics().get("nodes.stopped"));
        // 1,070 s of small-2, 910 s of small-1 until it is cordoned, and 1 s until it is gone.
        assertEquals(
                0.5 * (1070 + 911) / 3600,
                Objects.requireNonNull(result.metrics().get("cost.total")),
                1e-9);
    }

    /** Returns the first line of a run with two pods of three cores and four groups with at most one node. */
    private static String firstAdded(Expander expander, long seed) {
        NodeGroups groups = groups(
                expander,
                DOWN,
                // One node for one of two pods, without waste.
                group("exact", 0, 1, 5, 1, "3", "3Gi"),
                // One node for both pods, with waste, at 2 per pod.
                group("large", 0, 1, 4, 2, "8", "8Gi"),
                // One node for one pod, with waste.
                group("cheap", 0, 1, 1, 3, "5", "5Gi"),
                group("first", 0, 1, 9, 9, "4", "4Gi"));
        ClusterTrace trace = trace(
                List.of(BASE),
                List.of(),
                List.of(),
                work(5, pod("p").cpu("3").memory("3Gi").build(), 2000),
                work(5, pod("q").cpu("3").memory("3Gi").build(), 2000));
        return run(
                        trace,
                        new NodeGroups(
                                groups.label(),
                                groups.groups(),
                                expander,
                                seed,
                                groups.scan(),
                                groups.removal(),
                                groups.fits()))
                .get(0);
    }

    @Test
    void eachExpanderSelectsItsGroup() {
        assertEquals("130.0 added exact-1", firstAdded(Expander.LEAST_WASTE, 1));
        assertEquals("130.0 added cheap-1", firstAdded(Expander.PRICE, 1));
        assertEquals("130.0 added first-1", firstAdded(Expander.PRIORITY, 1));
        assertEquals("130.0 added large-1", firstAdded(Expander.MOST_PODS, 1));
        Set<String> random = new TreeSet<>();
        for (int seed = 0; seed < 30; seed++) {
            random.add(firstAdded(Expander.RANDOM, seed));
        }
        assertEquals(
                Set.of("130.0 added cheap-1", "130.0 added exact-1", "130.0 added first-1", "130.0 added large-1"),
                random);
    }

    /** As in both programs, a node that is ready is not empty for them while the pod that needs it waits for its backoff. */
    @Test
    void aNodeIsKeptForThePodThatNeedsIt() {
        assertEquals(
                List.of("130.0 added g-1", "end p g-1 Running"),
                run(
                        trace(
                                List.of(BASE),
                                List.of(),
                                List.of(),
                                work(5, pod("p").cpu("3").memory("1Gi").build(), 2000)),
                        groups(Expander.PRICE, KARPENTER, group("g", 0, 1, 1, 0, "4", "8Gi"))));
    }

    @Test
    void scaleDownMovesPodsAndRespectsWhatBlocksTheirEviction() {
        Group group = group("g", 0, 5, 1, 0, "4", "8Gi");
        Node a = group.node("a", "node-group", 0);
        Node b = group.node("b", "node-group", 0);
        NodeGroups groups = groups(Expander.PRICE, DOWN, group);
        List<PodInfo> pods = List.of(running("one", "1", "a"), running("two", "2", "b"));
        assertEquals(
                List.of("611.0 one a Evicted", "611.0 removed a", "end two b Running", "end one-r1 b Running"),
                run(trace(List.of(a, b), List.of(), pods), groups));
        List<String> kept = List.of("end one a Running", "end two b Running");
        DisruptionBudgetInfo budget = new DisruptionBudgetInfo(
                "default", "web", LabelSelector.of(Labels.of("app", "web"), List.of()), 0, Set.of());
        assertEquals(kept, run(trace(List.of(a, b), List.of(budget), pods), groups), "budget");
        PodBuilder one = webPod("one", "1", "a");
        for (PodInfo pinned : List.of(
                one.build(),
                one.controller("ReplicaSet", "web", "web")
                        .annotation(NodeGroups.SAFE_TO_EVICT, "false")
                        .build(),
                webPod("one", "1", "a")
                        .controller("ReplicaSet", "web", "web")
                        .annotation(NodeGroups.DO_NOT_DISRUPT, "true")
                        .build(),
                running("one", "2", "a"))) {
            assertEquals(kept, run(trace(List.of(a, b), List.of(), List.of(pinned, pods.get(1))), groups), "" + pinned);
        }
    }

    /** The model copies the cluster once and then follows its changes. */
    @Test
    void budgetsThatAppearAndDisappearAreRespected() {
        Group group = group("g", 0, 5, 1, 0, "4", "8Gi");
        DisruptionBudgetInfo budget = new DisruptionBudgetInfo(
                "default", "web", LabelSelector.of(Labels.of("app", "web"), List.of()), 0, Set.of());
        List<Node> nodes = List.of(group.node("a", "node-group", 0), group.node("b", "node-group", 0));
        List<PodInfo> pods = List.of(running("one", "1", "a"), running("two", "2", "b"));
        NodeGroups groups = groups(Expander.PRICE, DOWN, group);
        assertEquals(
                List.of("end one a Running", "end two b Running"),
                run(
                        changing(
                                trace(nodes, List.of(), pods),
                                new Change(nanos(300), new ClusterChange.ObjectUpserted(budget))),
                        groups));
        assertEquals(
                List.of("1011.0 one a Evicted", "1011.0 removed a", "end two b Running", "end one-r1 b Running"),
                run(
                        changing(
                                trace(nodes, List.of(budget), pods),
                                new Change(
                                        nanos(405),
                                        new ClusterChange.ObjectDeleted(
                                                budget.resourceKind(), budget.namespace(), budget.name()))),
                        groups));
    }

    /** Each look at the cluster tries the moves afresh; other pods make it look again. */
    @Test
    void movesThatAreOnlyTriedLeaveNoTrace() {
        Group group = group("g", 0, 5, 1, 0, "4", "8Gi");
        List<Arrival> arrivals = new ArrayList<>();
        for (int at : List.of(60, 120, 180)) {
            arrivals.add(work(
                    at,
                    pod("t" + at)
                            .cpu("100m")
                            .memory("1Mi")
                            .nodeSelector(Node.HOSTNAME, "b")
                            .build(),
                    5));
        }
        assertEquals(
                List.of(
                        "66.05 t60 b Succeeded",
                        "126.05 t120 b Succeeded",
                        "186.05 t180 b Succeeded",
                        "611.0 one a Evicted",
                        "611.0 removed a",
                        "end two b Running",
                        "end one-r1 b Running"),
                run(
                        trace(
                                List.of(group.node("a", "node-group", 0), group.node("b", "node-group", 0)),
                                List.of(),
                                List.of(running("one", "1", "a"), running("two", "2", "b")),
                                arrivals.toArray(Arrival[]::new)),
                        groups(Expander.PRICE, DOWN, group)));
    }

    /** The pod is decided at 19.96 s, the model looks at 20 s, and the bind is at 20.01 s. */
    @Test
    void aNodeIsNotEmptyFromTheDecisionOn() {
        Group group = group("g", 0, 2, 1, 0, "4", "8Gi");
        ClusterTrace trace = trace(
                List.of(group.node("a", "node-group", 0), group.node("b", "node-group", 0)),
                List.of(),
                List.of(running("keep", "4", "a"), running("old", "4", "b")),
                work(5, pod("p").cpu("3").memory("1Gi").build(), 2000));
        assertEquals(
                List.of("19.96 old b Succeeded", "end keep a Running", "end p b Running"),
                run(
                        new ClusterTrace(
                                trace.cluster(),
                                trace.start(),
                                trace.arrivals(),
                                trace.endNanos(),
                                List.of(),
                                List.of(new ClusterTrace.Departure(
                                        "old", nanos(20) - 40_000_000, TraceRun.End.SUCCEEDED)),
                                List.of(),
                                Map.of(),
                                Map.of()),
                        groups(Expander.PRICE, KARPENTER, group)));
    }

    private static ClusterTrace changing(ClusterTrace trace, Change... changes) {
        return new ClusterTrace(
                trace.cluster(),
                trace.start(),
                trace.arrivals(),
                trace.endNanos(),
                List.of(changes),
                List.of(),
                List.of(),
                Map.of(),
                Map.of());
    }

    @Test
    void consolidationReplacesANodeByACheaperOneAndDeletesEmptyOnes() {
        Group large = group("large", 0, 5, 4, 0, "8", "16Gi");
        Group small = group("small", 0, 5, 1, 0, "2", "4Gi");
        NodeGroups groups = groups(Expander.PRICE, KARPENTER, large, small);
        Node a = large.node("a", "node-group", 0);
        Node b = large.node("b", "node-group", 0);
        List<PodInfo> pods = List.of(running("one", "1", "a"));
        // The budget of 10 % allows one disruption at a time: first the empty node, then the other one.
        assertEquals(
                List.of(
                        "11.0 removed b",
                        "140.0 added small-1",
                        "141.0 one a Evicted",
                        "141.0 removed a",
                        "end one-r1 small-1 Running"),
                run(trace(List.of(a, b), List.of(), pods), groups));
        assertEquals(
                List.of("11.0 removed b", "end one a Running"),
                run(
                        trace(List.of(a, b), List.of(), pods),
                        groups(Expander.PRICE, new Consolidation(true, Duration.ZERO, 10, true), large, small)),
                "only empty nodes");
        assertEquals(
                List.of("end one a Running"),
                run(
                        trace(List.of(a, b), List.of(), pods),
                        groups(Expander.PRICE, new Consolidation(false, Duration.ZERO, 0, false), large, small)),
                "no budget");
    }

    @Test
    void consolidationDeletesANodeWhosePodsFitElsewhere() {
        Group group = group("g", 0, 5, 1, 0, "4", "8Gi");
        NodeGroups groups = groups(Expander.PRICE, new Consolidation(false, Duration.ofSeconds(100), 1, false), group);
        assertEquals(
                List.of("101.0 one a Evicted", "101.0 removed a", "end two b Running", "end one-r1 b Running"),
                run(
                        trace(
                                List.of(group.node("a", "node-group", 0), group.node("b", "node-group", 0)),
                                List.of(),
                                List.of(running("one", "1", "a"), running("two", "2", "b"))),
                        groups));
    }

    @Test
    void invariantsHoldInRandomTracesAndRunsAreRepeatable() {
        int added = 0;
        int removed = 0;
        for (int seed = 0; seed < Integer.getInteger("lab.traces", 40); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Arrival> arrivals = new ArrayList<>();
            long at = 0;
            for (int i = 0; i < 25; i++) {
                at += random.nextInt(60);
                arrivals.add(work(
                        at,
                        pod("p" + i)
                                .cpu(String.valueOf(1 + random.nextInt(4)))
                                .memory("1Gi")
                                .controller("ReplicaSet", "rs", "rs")
                                .build(),
                        random.nextInt(400)));
            }
            Group small = group("small", random.nextInt(2), 2 + random.nextInt(3), 1, 0, "4", "16Gi");
            Group large = group("large", 0, 2, 3, 0, "16", "32Gi");
            NodeGroups groups = groups(
                    Expander.values()[random.nextInt(Expander.values().length)],
                    random.nextBoolean()
                            // As in Cluster Autoscaler, nodes that start count for the minimum, so that ready ones can
                            // be fewer.
                            ? new ScaleDown(0.6, Duration.ofMinutes(1), Duration.ofMinutes(3))
                            : new Consolidation(false, Duration.ofSeconds(20), 50, true),
                    small,
                    large);
            ClusterTrace trace = trace(
                    List.of(small.node("s", "node-group", 0)), List.of(), List.of(), arrivals.toArray(Arrival[]::new));
            List<List<String>> runs = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Log log = new Log() {
                    @Override
                    public void stepped(TraceRun run) {
                        super.stepped(run);
                        TraceRunTest.assertPlacedOnce(run);
                        Map<String, Integer> sizes = new HashMap<>();
                        run.nodes().stream()
                                .filter(node -> !node.unschedulable())
                                .forEach(node -> sizes.merge(node.labels().getOrEmpty("node-group"), 1, Integer::sum));
                        for (Group group : groups.groups()) {
                            int size = sizes.getOrDefault(group.name(), 0);
                            assertTrue(size >= group.min() && size <= group.max(), group.name() + ": " + size);
                        }
                    }
                };
                TraceRun.of(trace, MODERN, TieBreak.first(), settings(groups), log)
                        .orElseThrow()
                        .run();
                runs.add(log.lines);
            }
            assertEquals(runs.get(0), runs.get(1), "seed " + seed);
            added += (int) runs.get(0).stream()
                    .filter(line -> line.contains(" added "))
                    .count();
            removed += (int) runs.get(0).stream()
                    .filter(line -> line.contains(" removed "))
                    .count();
        }
        assertTrue(added > 40 && removed > 20, added + " nodes added, " + removed + " removed");
    }
}
