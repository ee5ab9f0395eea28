package io.policyscheduler.framework.insight.lab;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.LoadScenario.Purpose;
import io.policyscheduler.framework.insight.lab.RunSettings.Hazard;
import io.policyscheduler.framework.insight.lab.RunSettings.Outage;
import io.policyscheduler.framework.insight.lab.TraceRun.PodLife;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.loop.SchedulerAudit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TraceRunTest {
    /** {@code -Dlab.traces=10000} tries more. */
    private static final int TRACES = Integer.getInteger("lab.traces", 40);

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final SchedulerSpec MODERN =
            ProfileSchedulers.of("modern", ModernProfile::defaults, SchedulerSpec.Volumes.NONE, Extenders.NONE);
    private static final RunSettings SETTINGS = RunSettings.defaults(FeatureGates.defaults());

    private static ClusterTrace trace(List<Node> nodes, List<PodInfo> running, long seconds, Arrival... arrivals) {
        return new ClusterTrace(
                new ClusterSnapshot(nodes, List.of(), running, List.of()), START, List.of(arrivals), nanos(seconds));
    }

    private static long nanos(long seconds) {
        return seconds < 0 ? ClusterTrace.NONE : Duration.ofSeconds(seconds).toNanos();
    }

    private static Arrival work(long at, PodInfo pod, long duration) {
        return new Arrival(nanos(at), pod.namespace(), pod.name(), pod, nanos(duration), ClusterTrace.NONE, false);
    }

    /** What became of the pods, in the order of their ends: name, seconds of arrival, bind, and end, node, and how. */
    private static final class Lives implements TraceRun.Listener {
        private final List<String> lines = new ArrayList<>();

        @Override
        public void ended(PodLife life) {
            lines.add(life.pod().name() + " " + seconds(life.arrived()) + " " + seconds(life.bound()) + " "
                    + seconds(life.ended()) + " " + life.node() + " " + life.end());
        }

        private static String seconds(long nanos) {
            return nanos == ClusterTrace.NONE ? "-" : String.valueOf(nanos / 1e9);
        }
    }

    private static List<String> run(ClusterTrace trace, RunSettings settings) {
        Lives lives = new Lives();
        run(trace, settings, lives);
        return lives.lines;
    }

    private static TraceRun.Result run(ClusterTrace trace, RunSettings settings, TraceRun.Listener listener) {
        return TraceRun.of(trace, MODERN, TieBreak.first(), settings, listener)
                .orElseThrow()
                .run();
    }

    private static Map<String, Double> metrics(ClusterTrace trace, RunSettings settings) {
        return run(trace, settings, TraceRun.Listener.NONE).metrics();
    }

    @Test
    void podsOfWorkRunForTheirDurationAndWaitForRoom() {
        PodInfo big = pod("first").cpu("3").build();
        ClusterTrace trace = trace(
                List.of(node("n").cpu("4").build()),
                List.of(),
                1000,
                work(0, big, 100),
                work(10, pod("second").cpu("3").build(), 100),
                work(20, pod("never").cpu("5").build(), 100));
        // A pod is bound after 50 ms and starts 1 s later; the end of the first wakes the second.
        assertEquals(
                List.of(
                        "first 0.0 0.05 101.05 n Succeeded",
                        "second 10.0 101.1 202.1 n Succeeded",
                        "never 20.0 - -  Pending"),
                run(trace, SETTINGS));
    }

    @Test
    void aPodOfASlotEndsWhenItsOwnerTakesItAway() {
        PodInfo web = pod("web").cpu("3").build();
        Arrival slot = new Arrival(nanos(5), "default", "web", web, ClusterTrace.NONE, nanos(60), true);
        Arrival late = new Arrival(nanos(6), "default", "late", web, ClusterTrace.NONE, nanos(50), true);
        assertEquals(
                List.of("late 6.0 - 50.0  Deleted", "web 5.0 5.05 60.0 n Deleted"),
                run(trace(List.of(node("n").cpu("4").build()), List.of(), 100, slot, late), SETTINGS));
    }

    @Test
    void aVictimIsReplacedByItsController() {
        PodInfo low = pod("low").cpu("3").priority(1).build();
        Arrival slot = new Arrival(0, "default", "low", low, ClusterTrace.NONE, ClusterTrace.NONE, true);
        List<String> lives = run(
                trace(
                        List.of(node("n").cpu("4").build()),
                        List.of(),
                        60,
                        slot,
                        work(10, pod("high").cpu("3").priority(10).build(), 20)),
                SETTINGS);
        // The victim is gone after its grace period of 1 s, when the pod that preempts it is tried again.
        assertEquals(
                List.of(
                        "low 0.0 0.05 11.0 n Preempted",
                        "high 10.0 11.05 32.05 n Succeeded",
                        "low-r1 12.0 32.1 - n Running"),
                lives);
    }

    private static MeasuredUse use(long origin, long... secondsAndMillicores) {
        MeasuredUse.Builder use = new MeasuredUse.Builder();
        for (int i = 0; i < secondsAndMillicores.length; i += 2) {
            use.add(nanos(secondsAndMillicores[i]), secondsAndMillicores[i + 1] * 1_000_000, 1L << 30, nanos(20));
        }
        return use.since(nanos(origin));
    }

    private static Arrival measured(long at, String name, String cpu, long duration, long end, MeasuredUse use) {
        return new Arrival(
                nanos(at),
                "default",
                name,
                pod(name).cpu(cpu).build(),
                nanos(duration),
                nanos(end),
                false,
                null,
                List.of(),
                "",
                use);
    }

    /** @param cpu of the node */
    private static ClusterTrace measuredTrace(String cpu) {
        PodInfo first = pod("first").uid("u").cpu("3").onNode("n").build();
        return new ClusterTrace(
                new ClusterSnapshot(
                        List.of(node("n").cpu(cpu).memory("8Gi").build()), List.of(), List.of(first), List.of()),
                START,
                List.of(measured(5, "work", "2", 10, -1, use(30, 35, 1000))),
                nanos(100),
                List.of(),
                List.of(new ClusterTrace.Departure("u", nanos(70), TraceRun.End.SUCCEEDED)),
                List.of(),
                Map.of("u", use(0, 10, 1000, 20, 2000, 60, 3000)),
                Map.of());
    }

    /**
     * 4 cores and 8 GiB for 100 s. The pod of the snapshot uses 1 core from 10 s to 20 s, then 2 cores for 20 s, and 3 cores from 60 s
     * until it ends at 70 s. The work waits for it; it used 1 core 5 s after its start, and starts at 71.05 s.
     */
    @Test
    void measuredUseFollowsThePod() {
        ClusterTrace trace = measuredTrace("4");
        Map<String, Double> values = metrics(trace, SETTINGS);
        assertEquals((10 * 1 + 20 * 2 + 10 * 3 + 5 * 1) / 400.0, value(values, "utilisation.cpu"), 1e-12);
        assertEquals((40 + 5) / 800.0, value(values, "utilisation.memory"), 1e-12);
        // Bound for 70 s, and from 70.05 s to 81.05 s.
        assertEquals((40 + 5) / 81.0, value(values, "utilisation.measuredPods"), 1e-12);
        assertEquals(
                List.of(50 / 200.0, 35 / 200.0),
                run(trace, with(), TraceRun.Listener.NONE).blocks().stream()
                        .map(block -> value(block, "utilisation.cpu"))
                        .toList(),
                "blocks of 50 s");
        assertNull(metrics(trace.until(nanos(10)), SETTINGS).get("utilisation.cpu"));
    }

    /**
     * The trace of {@link #measuredUseFollowsThePod} with twice the load on 8 cores. The clone of the pod of the snapshot starts at 1.05 s
     * and uses the same from then on, until 71.05 s. One of the two pods of work runs at once, and the other one after 70 s.
     */
    @Test
    void clonesUseWhatTheirOriginalsUse() {
        ClusterTrace twice = new LoadScenario(2, Duration.ZERO, null)
                .apply(measuredTrace("8"), 1)
                .trace();
        Map<String, Double> values = metrics(twice, SETTINGS);
        assertEquals(2 * (10 * 1 + 20 * 2 + 10 * 3 + 5 * 1) / 800.0, value(values, "utilisation.cpu"), 1e-12);
        // Bound until 70 s, from 0.05 s to 71.05 s, from 5.05 s to 16.05 s, and from 70.05 s to 81.05 s.
        assertEquals(2 * (40 + 5) / (70.0 + 71 + 11 + 11), value(values, "utilisation.measuredPods"), 1e-12);
    }

    /**
     * A record of 100 s, run for 200 s. A pod lived 95 s, so that the other one with its spec, which arrived 20 s later, ends at 115 s. It used
     * 1 core from 30 s, and 2 cores from 90 s; this last sample is valid for 20 s, and nothing is known after it.
     */
    @Test
    void extendedPodsUseNothingAfterTheRecord() {
        ClusterTrace trace = new ClusterTrace(
                new ClusterSnapshot(List.of(node("n").cpu("8").memory("8Gi").build()), List.of(), List.of(), List.of()),
                START,
                List.of(
                        measured(0, "ended", "1", -1, 95, MeasuredUse.NONE),
                        measured(20, "open", "1", -1, -1, use(0, 30, 1000, 50, 1000, 70, 1000, 90, 2000))),
                nanos(200));
        for (int factor : List.of(1, 2)) {
            LoadScenario scenario = new LoadScenario(factor, Duration.ZERO, Duration.ofSeconds(100));
            Map<String, Double> values = metrics(scenario.apply(trace, 1).trace(), SETTINGS);
            assertEquals(factor * (60 * 1 + 20 * 2) / 1600.0, value(values, "utilisation.cpu"), 1e-12);
            // Both are bound for 94.95 s.
            assertEquals((60 + 20) / (2 * 94.95), value(values, "utilisation.measuredPods"), 1e-12);
            assertEquals(0.0, value(values, "allocation.cpu.end"));
        }
    }

    /** Pods of the snapshot and of the trace are resized: the next pod fits when both are small. */
    @Test
    void podsAreResized() {
        PodInfo large = pod("large").uid("u").cpu("2").onNode("n").build();
        PodInfo small = pod("any").cpu("500m").label("size", "small").build();
        Arrival resized = new Arrival(
                nanos(1),
                "default",
                "resized",
                pod("resized").cpu("2").build(),
                ClusterTrace.NONE,
                ClusterTrace.NONE,
                true,
                null,
                List.of(new ClusterTrace.PodUpdate("", nanos(20), small)),
                "",
                MeasuredUse.NONE);
        ClusterTrace trace = new ClusterTrace(
                new ClusterSnapshot(List.of(node("n").cpu("4").build()), List.of(), List.of(large), List.of()),
                START,
                List.of(resized, work(5, pod("next").cpu("3").build(), 100)),
                nanos(60),
                List.of(),
                List.of(),
                List.of(
                        new ClusterTrace.PodUpdate("u", nanos(10), small),
                        new ClusterTrace.PodUpdate("unknown", nanos(11), small)),
                Map.of(),
                Map.of());
        List<String> labels = new ArrayList<>();
        TraceRun.Result result = TraceRun.of(trace, MODERN, TieBreak.first(), SETTINGS, new TraceRun.Listener() {
                    @Override
                    public void ended(PodLife life) {
                        labels.add(life.pod().name() + " " + life.pod().labels() + " " + life.bound() / 1e9);
                    }
                })
                .orElseThrow()
                .run();
        assertEquals(List.of("large {size=small} 0.0", "resized {size=small} 1.05", "next {} 20.05"), labels);
        // Core-seconds: 10 of 2 and 50 of 0.5; 18.95 of 2 and 40 of 0.5; 39.95 of 3.
        assertEquals((20 + 25 + 37.9 + 20 + 119.85) / (4 * 60), value(result.metrics(), "allocation.cpu.mean"), 1e-12);
        assertEquals((2 * 0.05 + 3 * 15.05) / 3600, value(result.metrics(), "pending.cpu.hours"), 1e-12);
    }

    @Test
    void decisionsTakeTimeAndPodsQueue() {
        PodInfo small = pod("p").cpu("100m").build();
        RunSettings slow = new RunSettings(
                Duration.ofMillis(50),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ZERO,
                Duration.ZERO,
                FeatureGates.defaults(),
                false,
                null,
                Duration.ZERO,
                List.of(),
                null,
                List.of(),
                1,
                GpuFragmentation.Expected.ARRIVALS);
        Arrival[] burst = {
            work(0, pod("a").cpu("100m").build(), -1),
            work(0, pod("b").cpu("100m").build(), -1),
            work(0, small, -1)
        };
        assertEquals(
                List.of("a 0.0 2.05 - n Running", "b 0.0 4.05 - n Running", "p 0.0 6.05 - n Running"),
                run(trace(List.of(node("n").cpu("4").build()), List.of(), 60, burst), slow));
    }

    private static RunSettings with(Outage... outages) {
        return with(List.of(), 1, outages);
    }

    private static RunSettings with(List<Hazard> hazards, long seed, Outage... outages) {
        return new RunSettings(
                SETTINGS.binding(),
                SETTINGS.start(),
                SETTINGS.decision(),
                SETTINGS.grace(),
                SETTINGS.replacement(),
                SETTINGS.warmUp(),
                SETTINGS.sample(),
                SETTINGS.gates(),
                false,
                null,
                Duration.ofSeconds(50),
                List.of(outages),
                null,
                hazards,
                seed,
                GpuFragmentation.Expected.ARRIVALS);
    }

    private static Arrival slot(long at, String name) {
        PodInfo web = pod(name).cpu("3").build();
        return new Arrival(nanos(at), "default", name, web, ClusterTrace.NONE, ClusterTrace.NONE, true);
    }

    @Test
    void aNodeThatFailsLosesItsPodsAndComesBack() {
        ClusterTrace trace = trace(
                List.of(node("n").cpu("4").build()),
                List.of(),
                100,
                slot(0, "web"),
                work(5, pod("bare").cpu("1").build(), 50));
        // Without any node, attempts end in an error and are repeated by their backoff alone: here at 51 s.
        assertEquals(
                List.of(
                        "web 0.0 0.05 20.0 n NodeLost",
                        "bare 5.0 5.05 20.0 n NodeLost",
                        "web-r1 21.0 51.05 - n Running"),
                run(trace, with(new Outage("n", nanos(20), nanos(30), false))));
    }

    /** A pod of a controller on node a. */
    private static PodInfo onA(String name, String uid, String cpu, String controllerKind) {
        return pod(name)
                .uid(uid)
                .cpu(cpu)
                .controller(controllerKind, "controller", "controller")
                .onNode("a")
                .build();
    }

    @Test
    void drainedPodsOfControllersMoveAndDaemonsStay() {
        PodInfo daemon = onA("daemon", "d", "100m", "DaemonSet");
        PodInfo old = onA("old", "o", "1", "ReplicaSet");
        ClusterTrace trace = trace(
                List.of(node("a").cpu("4").build(), node("b").cpu("4").build()),
                List.of(daemon, old),
                100,
                work(95, pod("late").cpu("4").build(), 50));
        assertEquals(
                List.of(
                        "old 0.0 0.0 21.0 a Evicted",
                        "daemon 0.0 0.0 - a Running",
                        "old-r1 22.0 22.05 - b Running",
                        "late 95.0 - -  Pending"),
                run(trace, with(new Outage("a", nanos(20), ClusterTrace.NONE, true))));
    }

    private static double drawn(SplittableRandom draws, double mean) {
        return -StrictMath.log1p(-draws.nextDouble()) * mean;
    }

    /** Records when a node is there, in seconds: comes, goes, comes, and so on. */
    private static class Presence implements TraceRun.Listener {
        private final String node;
        private final List<Double> times = new ArrayList<>();
        private List<Node> last = List.of();

        Presence(String node) {
            this.node = node;
        }

        @Override
        public void stepped(TraceRun run) {
            last = run.nodes();
            boolean isThere = last.stream().anyMatch(one -> one.name().equals(node));
            if (isThere == (times.size() % 2 == 0)) {
                times.add(run.nanos() / 1e9);
            }
        }
    }

    private static Presence presence(String node, ClusterTrace trace, TieBreak tieBreak, RunSettings settings) {
        Presence presence = new Presence(node);
        TraceRun.of(trace, MODERN, tieBreak, settings, presence).orElseThrow().run();
        return presence;
    }

    private static List<Double> times(String node, ClusterTrace trace, RunSettings settings) {
        return presence(node, trace, TieBreak.first(), settings).times;
    }

    /** The times of a node are drawn one after another: up, down, up, and so on; other nodes, pods, and decisions do not change them. */
    @Test
    void nodesFailAtTheirOwnRandomTimesWhateverIsDecided() {
        Hazard hazard =
                new Hazard("h", node -> node.labels().has("zone", "b"), Duration.ofHours(2), Duration.ofMinutes(20));
        SplittableRandom draws = LoadScenario.random(5, Purpose.FAILURE, "h/n1");
        List<Double> expected = new ArrayList<>(List.of(0.0));
        for (double at = drawn(draws, 7200); at < 100_000; at += drawn(draws, expected.size() % 2 == 1 ? 7200 : 1200)) {
            expected.add(at);
        }
        assertTrue(expected.size() > 10, expected.toString());
        Node n1 = node("n1").cpu("4").label("zone", "b").build();
        ClusterTrace alone = trace(List.of(n1), List.of(), 100_000);
        ClusterTrace trace = trace(
                List.of(
                        node("n0").cpu("4").build(),
                        n1,
                        node("n2").cpu("4").label("zone", "b").build()),
                List.of(),
                100_000,
                slot(0, "web"),
                slot(7, "api"));
        RunSettings settings = with(List.of(hazard), 5);
        for (List<Double> times : List.of(
                times("n1", alone, settings),
                times("n1", trace, settings),
                presence("n1", trace, TieBreak.random(new SplittableRandom(3)), settings).times)) {
            assertEquals(expected.size(), times.size(), times.toString());
            for (int i = 0; i < times.size(); i++) {
                assertEquals(expected.get(i), times.get(i), 1e-6);
            }
        }
        assertEquals(List.of(0.0), times("n0", trace, settings));
        assertNotEquals(times("n2", trace, settings), times("n1", trace, settings));
        assertNotEquals(times("n1", trace, settings.withSeed(6)), times("n1", trace, settings));
    }

    /** The node is cordoned at the drawn time and removed 2 min later, with its DaemonSet; its pods move at once. */
    @Test
    void aSpotNodeIsReclaimedAfterItsNotice() {
        Hazard hazard = new Hazard("spot", node -> node.name().equals("a"), Duration.ofHours(1), null);
        double at = drawn(LoadScenario.random(3, Purpose.RECLAIM, "spot/a"), 3600);
        PodInfo daemon = onA("daemon", "d", "100m", "DaemonSet");
        PodInfo web = onA("web", "w", "3", "ReplicaSet");
        ClusterTrace trace = new ClusterTrace(
                new ClusterSnapshot(
                        List.of(node("a").cpu("4").build(), node("b").cpu("4").build()),
                        List.of(),
                        List.of(daemon, web),
                        List.of()),
                START,
                List.of(),
                nanos(20_000),
                // An update of the node does not end its notice.
                List.of(new ClusterTrace.Change(
                        Math.round((at + 60) * 1e9),
                        new ClusterChange.NodeUpserted(node("a").cpu("8").build()))),
                List.of(),
                List.of(),
                Map.of(),
                Map.of());
        RunSettings settings = with(List.of(hazard), 3, new Outage("a", Math.round((at - 1) * 1e9), nanos(30), true));
        List<String> lives = new ArrayList<>();
        Presence presence = new Presence("a") {
            @Override
            public void ended(PodLife life) {
                lives.add(life.pod().name() + " " + Math.round((life.ended() / 1e9 - at) * 1000) + " " + life.node()
                        + " " + life.end());
            }
        };
        TraceRun.Result result = TraceRun.of(trace, MODERN, TieBreak.first(), with(List.of(hazard), 3), presence)
                .orElseThrow()
                .run();
        assertEquals(List.of("web 1000 a Evicted", "daemon 120000 a Deleted"), lives.subList(0, 2));
        assertTrue(lives.get(2).endsWith(" b Running"), lives.get(2));
        assertEquals(2, presence.times.size());
        assertEquals(at + 120, presence.times.get(1), 1e-6);
        assertEquals(0, value(result.metrics(), "disruption.nodeLost"));
        // The end of a drain does not end the notice either.
        assertEquals(at + 120, times("a", trace, settings).get(1), 1e-6);
    }

    /** A node is there for 6 of 7 parts of the time: 2 h of 2 h 20 min. */
    @Test
    void nodesAreThereAsLongAsTheirMeanTimesSay() {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            nodes.add(node("n" + i).cpu("4").build());
        }
        Hazard hazard = new Hazard("h", node -> true, Duration.ofHours(2), Duration.ofMinutes(20));
        TraceRun.Result result = TraceRun.of(
                        trace(nodes, List.of(), 200_000),
                        MODERN,
                        TieBreak.first(),
                        with(List.of(hazard), 1),
                        TraceRun.Listener.NONE)
                .orElseThrow()
                .run();
        assertEquals(200 * 6 / 7.0, value(result.metrics(), "nodes.mean"), 1.5);
    }

    /** The trace and drains change a node that is away: it returns later, as they have left it, or not at all. */
    @Test
    void aNodeThatIsAwayFollowsTheTrace() {
        ClusterTrace trace = new ClusterTrace(
                new ClusterSnapshot(
                        List.of(
                                node("a").cpu("4").build(),
                                node("b").cpu("4").build(),
                                node("c").cpu("4").build()),
                        List.of(),
                        List.of(),
                        List.of()),
                START,
                List.of(),
                nanos(100),
                List.of(
                        new ClusterTrace.Change(
                                nanos(20),
                                new ClusterChange.NodeUpserted(
                                        node("a").cpu("2").build())),
                        new ClusterTrace.Change(nanos(21), new ClusterChange.NodeDeleted("b"))),
                List.of(),
                List.of(),
                Map.of(),
                Map.of());
        RunSettings settings = with(
                new Outage("a", nanos(10), nanos(40), false),
                new Outage("b", nanos(10), nanos(40), false),
                new Outage("c", nanos(5), nanos(20), true),
                new Outage("c", nanos(10), nanos(40), false));
        assertEquals(List.of(0.0, 10.0, 50.0), times("a", trace, settings));
        assertEquals(List.of(0.0, 10.0), times("b", trace, settings));
        Presence ofDrained = presence("c", trace, TieBreak.first(), settings);
        assertEquals(List.of(0.0, 10.0, 50.0), ofDrained.times);
        assertEquals(
                Set.of("a 2000 false", "c 4000 false"),
                ofDrained.last.stream()
                        .map(node -> node.name() + " " + node.allocatable().milliCpu() + " " + node.unschedulable())
                        .collect(Collectors.toSet()));
    }

    private static double value(Map<String, Double> metrics, String name) {
        return Objects.requireNonNull(metrics.get(name), name);
    }

    @Test
    void metricsOfOutagesAndOfBlocks() {
        ClusterTrace trace =
                trace(List.of(node("a").cpu("4").build(), node("b").cpu("4").build()), List.of(), 100, slot(0, "web"));
        TraceRun.Result result = TraceRun.of(
                        trace,
                        MODERN,
                        TieBreak.first(),
                        with(new Outage("a", nanos(25), nanos(50), false)),
                        TraceRun.Listener.NONE)
                .orElseThrow()
                .run();
        Map<String, Double> all = result.metrics();
        assertEquals(1.5, all.get("nodes.mean"));
        assertEquals(1.0, all.get("disruption.nodeLost"));
        assertEquals(1.0, all.get("disruption.restarted"));
        assertEquals(0.0, all.get("disruption.lost"));
        // 25 s of 3 cores, from 1.05 s on
        assertEquals(3 * 23.95 / 3600, value(all, "disruption.workLost.cpu.hours"), 1e-12);
        assertEquals(2, result.blocks().size());
        // Both blocks have the two nodes half of the time.
        assertEquals(1.5, result.blocks().get(0).get("nodes.mean"));
        assertEquals(2.0, result.blocks().get(0).get("pods.placed"));
        assertEquals(0.0, result.blocks().get(1).get("pods.placed"));
        double hours = 0;
        for (Map<String, Double> block : result.blocks()) {
            hours += value(block, "pending.cpu.hours");
        }
        assertEquals(value(all, "pending.cpu.hours"), hours, 1e-12);
    }

    /** Asserts that no node is overcommitted, that no pod is on two nodes, and that the scheduler is consistent. */
    static void assertPlacedOnce(TraceRun run) {
        Set<String> seen = new HashSet<>();
        run.scheduler().cluster().forEachNode((NodeInfo node) -> {
            assertTrue(node.requestedMilliCpu() <= node.allocatableMilliCpu(), node.name() + " is overcommitted");
            assertTrue(node.podCount() <= node.allocatable().pods(), node.name() + " has too many pods");
            node.pods().forEach(pod -> assertTrue(seen.add(pod.uid()), pod.key() + " is on two nodes"));
        });
        assertEquals(List.of(), SchedulerAudit.violations(run.scheduler()));
    }

    /** Looks after every event at what must always hold. */
    private static final class Invariants implements TraceRun.Listener {
        private final Map<String, Integer> ended = new HashMap<>();
        private final StringBuilder log = new StringBuilder();
        private long last;

        @Override
        public void stepped(TraceRun run) {
            assertTrue(run.nanos() >= last, "the clock goes back");
            last = run.nanos();
            assertPlacedOnce(run);
        }

        @Override
        public void ended(PodLife life) {
            ended.merge(life.pod().name(), 1, Integer::sum);
            log.append(life).append('\n');
        }
    }

    private static ClusterTrace random(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(5); i++) {
            nodes.add(node("n" + i)
                    .cpu(String.valueOf(1 + random.nextInt(4)))
                    .pods(3 + random.nextInt(5))
                    .label("kubernetes.io/hostname", "n" + i)
                    .build());
        }
        List<Arrival> arrivals = new ArrayList<>();
        long at = 0;
        for (int i = 0; i < 30; i++) {
            at += random.nextInt(3) == 0 ? 0 : random.nextInt(20_000);
            PodInfo pod = pod("p" + i)
                    .cpu((1 + random.nextInt(30)) * 100 + "m")
                    .priority(random.nextInt(3))
                    .build();
            boolean isWork = random.nextBoolean();
            arrivals.add(new Arrival(
                    at * 1_000_000,
                    "default",
                    "p" + i,
                    pod,
                    isWork ? nanos(random.nextInt(200)) : ClusterTrace.NONE,
                    isWork || random.nextInt(3) == 0 ? ClusterTrace.NONE : at * 1_000_000 + nanos(random.nextInt(200)),
                    random.nextBoolean()));
        }
        return trace(nodes, List.of(), 600, arrivals.toArray(Arrival[]::new));
    }

    @Test
    void invariantsHoldInRandomTracesAndRunsAreRepeatable() {
        int preempted = 0;
        for (long seed = 0; seed < TRACES; seed++) {
            SplittableRandom times = new SplittableRandom(seed);
            LoadScenario scenario = new LoadScenario(
                    0.5 + times.nextInt(4) * 0.5,
                    Duration.ofSeconds(times.nextInt(2) * times.nextInt(300)),
                    times.nextBoolean() ? Duration.ofSeconds(300) : null);
            ClusterTrace trace = scenario.apply(random(seed), seed).trace();
            Hazard failures = new Hazard(
                    "failures", node -> !node.name().equals("n2"), Duration.ofSeconds(200), Duration.ofSeconds(40));
            Hazard reclaims = new Hazard("reclaims", node -> node.name().equals("n3"), Duration.ofSeconds(300), null);
            RunSettings outages = with(
                    times.nextBoolean() ? List.of(failures, reclaims) : List.of(),
                    seed,
                    new Outage("n0", nanos(times.nextInt(300)), nanos(times.nextInt(300)), false),
                    new Outage("n1", nanos(times.nextInt(300)), nanos(1 + times.nextInt(300)), true));
            Invariants first = new Invariants();
            TraceRun.Result result = TraceRun.of(
                            trace, MODERN, TieBreak.random(new SplittableRandom(seed)), outages, first)
                    .orElseThrow()
                    .run();
            for (Arrival arrival : trace.arrivals()) {
                assertEquals(1, first.ended.get(arrival.name()), "seed " + seed + ": " + arrival.name());
            }
            Invariants second = new Invariants();
            TraceRun.Result again = TraceRun.of(
                            trace, MODERN, TieBreak.random(new SplittableRandom(seed)), outages, second)
                    .orElseThrow()
                    .run();
            assertEquals(result, again, "seed " + seed);
            assertEquals(first.log.toString(), second.log.toString(), "seed " + seed);
            Double count = result.metrics().get("disruption.preempted");
            preempted += count == null ? 0 : count.intValue();
        }
        assertTrue(preempted > TRACES / 10, preempted + " preemptions");
    }
}
