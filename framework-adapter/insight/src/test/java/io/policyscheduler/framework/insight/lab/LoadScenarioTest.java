package io.policyscheduler.framework.insight.lab;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Departure;
import io.policyscheduler.framework.insight.lab.LoadScenario.Load;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LoadScenarioTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final long SECOND = 1_000_000_000;

    private static Arrival arrival(String name, PodInfo template, long seconds) {
        return new Arrival(
                seconds * 1_000_000_000, "default", name, template, 60_000_000_000L, ClusterTrace.NONE, false);
    }

    private static PodInfo of(String owner, String cpu) {
        return pod("template")
                .cpu(cpu)
                .memory("1Gi")
                .controller("ReplicaSet", owner, "uid-" + owner)
                .build();
    }

    private static ClusterTrace trace(List<PodInfo> running, List<Departure> departures, Arrival... arrivals) {
        return new ClusterTrace(
                new ClusterSnapshot(List.of(node("n").cpu("64").build()), List.of(), running, List.of()),
                START,
                List.of(arrivals),
                3_600_000_000_000L,
                List.of(),
                departures,
                List.of(),
                Map.of(),
                Map.of());
    }

    private static List<String> names(Load load) {
        return load.trace().arrivals().stream().map(Arrival::name).toList();
    }

    private static LoadScenario scaled(double factor) {
        return new LoadScenario(factor, Duration.ZERO, null);
    }

    private static double mean(Load load) {
        return load.ratios().values().stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElseThrow();
    }

    @Test
    void clonesHaveTheLabelsOfTheirWorkloadAndAnotherController() {
        PodInfo web = pod("template")
                .cpu("1")
                .label("app", "web")
                .controller("ReplicaSet", "web", "u")
                .build();
        ClusterTrace trace = trace(List.of(), List.of(), arrival("web-1", web, 1), arrival("bare", of("b", "1"), 2));
        Load load = scaled(3).apply(trace, 1);
        assertEquals(List.of("web-1", "web-1-x2", "web-1-x3", "bare", "bare-x2", "bare-x3"), names(load));
        assertEquals(Map.of("pods", 3.0, "cpu", 3.0, "memory", 3.0), load.ratios());
        Arrival second = load.trace().arrivals().get(1);
        assertEquals(1_000_000_000L, second.atNanos());
        PodInfo created = second.pod(second.name(), "lab-1", START);
        assertEquals(new PodInfo.OwnerReference("apps/v1", "ReplicaSet", "web-x2", "u-x2"), created.controller());
        assertEquals(web.labels(), created.labels());
        assertSame(web.spec(), created.spec());
    }

    /** The pods of a workload are kept or omitted together: here, those of one of three controllers. */
    @Test
    void workloadsAreWholeAndADeploymentIsOne() {
        PodInfo old = pod("template")
                .cpu("1")
                .label("pod-template-hash", "abc")
                .controller("ReplicaSet", "shop-abc", "u1")
                .build();
        PodInfo updated = pod("template")
                .cpu("1")
                .label("pod-template-hash", "def")
                .controller("ReplicaSet", "shop-def", "u2")
                .build();
        PodInfo job = pod("template").cpu("1").controller("Job", "job", "u3").build();
        ClusterTrace trace = trace(
                List.of(),
                List.of(),
                arrival("shop-abc-1", old, 1),
                arrival("job-1", job, 2),
                arrival("job-2", job, 3),
                arrival("shop-def-1", updated, 4));
        Set<List<String>> seen = new HashSet<>();
        for (long seed = 0; seed < 20; seed++) {
            Load load = scaled(0.5).apply(trace, seed);
            assertEquals(0.5, load.ratios().get("pods"));
            seen.add(names(load));
        }
        assertEquals(Set.of(List.of("shop-abc-1", "shop-def-1"), List.of("job-1", "job-2")), seen);
    }

    @Test
    void podsOfTheSnapshotAreClonedAsPodsThatArriveAtTheStart() {
        PodInfo served = pod("web-1")
                .uid("u1")
                .cpu("1")
                .controller("ReplicaSet", "web", "o")
                .onNode("n")
                .build();
        PodInfo finished = pod("work").uid("u2").cpu("2").onNode("n").build();
        PodInfo daemon = pod("daemon")
                .uid("u3")
                .cpu("1")
                .controller("DaemonSet", "ds", "d")
                .onNode("n")
                .build();
        ClusterTrace trace = trace(
                List.of(served, finished, daemon),
                List.of(
                        new Departure("u1", 70, TraceRun.End.DELETED),
                        new Departure("u2", 50, TraceRun.End.SUCCEEDED)));
        Load load = scaled(2).apply(trace, 1);
        assertEquals(List.of(served, finished, daemon), load.trace().cluster().running());
        List<String> clones = load.trace().arrivals().stream()
                .map(one -> one.name() + " " + one.atNanos() + " " + one.durationNanos() + " " + one.endNanos() + " "
                        + one.restarts())
                .toList();
        assertEquals(List.of("web-1-x2 0 -1 70 true", "work-x2 0 50 -1 false"), clones);
    }

    @Test
    void namesOfClonesAreUnique() {
        PodInfo any = pod("template").cpu("1").build();
        Load load = scaled(2)
                .apply(
                        trace(
                                List.of(pod("c-xx2")
                                        .uid("u")
                                        .cpu("1")
                                        .onNode("n")
                                        .build()),
                                List.of(),
                                arrival("a", any, 1),
                                arrival("a-x2", any, 2)),
                        1);
        assertEquals(List.of("c-xx2-xxx2", "a", "a-xxx2", "a-x2", "a-x2-xxx2"), names(load));
    }

    /** The mean of the ratios differs from the factor by at most half of the smallest workload that could be added. */
    @Test
    void theLoadIsCloseToTheFactor() {
        for (long seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Arrival> arrivals = new ArrayList<>();
            Map<String, Integer> sizes = new TreeMap<>();
            int pods = 20 + random.nextInt(60);
            for (int i = 0; i < pods; i++) {
                String owner = "o" + random.nextInt(1 + random.nextInt(30));
                arrivals.add(arrival("p" + i, of(owner, "2"), i));
                sizes.merge(owner, 1, Integer::sum);
            }
            ClusterTrace trace = trace(List.of(), List.of(), arrivals.toArray(Arrival[]::new));
            double factor = 0.1 + random.nextDouble() * 2.5;
            Load load = scaled(factor).apply(trace, seed);
            Map<String, Set<Integer>> copies = new TreeMap<>();
            Map<String, Integer> ofPod = new TreeMap<>();
            load.trace()
                    .arrivals()
                    .forEach(one -> ofPod.merge(one.name().replaceAll("-x[0-9]+$", ""), 1, Integer::sum));
            for (Arrival one : arrivals) {
                String owner =
                        Objects.requireNonNull(one.template().controller()).name();
                copies.computeIfAbsent(owner, any -> new HashSet<>()).add(ofPod.getOrDefault(one.name(), 0));
            }
            int floor = (int) factor;
            double smallest = 0;
            for (Map.Entry<String, Set<Integer>> one : copies.entrySet()) {
                assertEquals(1, one.getValue().size(), "seed " + seed + ": " + one);
                int count = one.getValue().iterator().next();
                assertTrue(count == floor || count == floor + 1, "seed " + seed + ": " + one);
                double share = (double) Objects.requireNonNull(sizes.get(one.getKey())) / pods;
                if (count == floor && (smallest == 0 || share < smallest)) {
                    smallest = share;
                }
            }
            double difference = Math.abs(mean(load) - factor);
            // All pods are equal, so that a workload has the same share in the pods and in each resource.
            assertTrue(smallest == 0 || difference <= smallest / 2 + 1e-6, "seed " + seed + ": " + difference);
            assertEquals(load, scaled(factor).apply(trace, seed));
        }
    }

    /** The arrivals at 1,000 s are spread evenly over 20 s, those at the start and at the end over 10 s in the trace. */
    @Test
    void shiftsAreUniformAndStayInTheTrace() {
        PodInfo any = pod("template").cpu("1").build();
        List<Arrival> arrivals = new ArrayList<>();
        for (long at : new long[] {0, 1000, 3600}) {
            for (int i = 0; i < 4000; i++) {
                String name = "p" + i;
                arrivals.add(new Arrival(at * SECOND, "ns" + at, name, any, ClusterTrace.NONE, at * SECOND + i, true));
            }
        }
        LoadScenario scenario = LoadScenario.jitter(Duration.ofSeconds(10));
        ClusterTrace shifted = scenario.apply(trace(List.of(), List.of(), arrivals.toArray(Arrival[]::new)), 7)
                .trace();
        Map<String, int[]> counts = new TreeMap<>();
        for (Arrival one : shifted.arrivals()) {
            long original = Long.parseLong(one.namespace().substring(2));
            int bin = (int) Math.floorDiv(one.atNanos() - (original - 10) * SECOND, 5 * SECOND);
            counts.computeIfAbsent(one.namespace(), any2 -> new int[5])[bin]++;
            assertEquals(Integer.parseInt(one.name().substring(1)), one.endNanos() - one.atNanos());
        }
        // Four standard deviations of a bin are 110 and 126.
        assertBins(counts, "ns0", 0, 0, 2000, 2000);
        assertBins(counts, "ns1000", 1000, 1000, 1000, 1000);
        assertBins(counts, "ns3600", 2000, 2000, 0, 0);
    }

    private static void assertBins(Map<String, int[]> counts, String name, int... expected) {
        int[] bins = Objects.requireNonNull(counts.get(name));
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], bins[i], 126, name + " bin " + i);
        }
    }

    /** Draws of one purpose, or for one pod, do not depend on others. */
    @Test
    void otherPodsDoNotChangeAShift() {
        PodInfo any = pod("template").cpu("1").build();
        ClusterTrace trace = trace(List.of(), List.of(), arrival("a", any, 100), arrival("b", any, 200));
        Duration shift = Duration.ofSeconds(30);
        Map<String, Long> alone = times(LoadScenario.jitter(shift).apply(trace, 5));
        Map<String, Long> withClones = times(new LoadScenario(2, shift, null).apply(trace, 5));
        assertEquals(alone.get("a"), withClones.get("a"));
        assertEquals(alone.get("b"), withClones.get("b"));
        assertNotEquals(alone.get("a"), withClones.get("a-x2"));
        assertNotEquals(alone, times(LoadScenario.jitter(shift).apply(trace, 6)));
        assertNotEquals(
                alone.get("a"),
                trace.jittered(5, LoadScenario.Purpose.NOISE, shift)
                        .arrivals()
                        .get(0)
                        .atNanos());
    }

    private static Arrival lived(String name, PodInfo template, long seconds, boolean isWork) {
        long at = 3600 - seconds;
        return new Arrival(
                at * SECOND,
                "default",
                name,
                template,
                isWork ? seconds * SECOND : ClusterTrace.NONE,
                isWork ? ClusterTrace.NONE : 3600 * SECOND,
                true);
    }

    /** Observed for 1 h: lifetimes of 10, 20, and 40 s, and a pod of 15 s. The curve is 3/4, 3/8, and 0. */
    @Test
    void podsWithoutAnEndGetOneFromTheCurveOfTheirTemplate() {
        PodInfo any = pod("template").cpu("1").build();
        PodInfo other = pod("template").cpu("2").build();
        Arrival open = new Arrival(3585 * SECOND, "default", "open", any, ClusterTrace.NONE, ClusterTrace.NONE, true);
        Arrival longest =
                new Arrival(3400 * SECOND, "default", "old", other, ClusterTrace.NONE, ClusterTrace.NONE, true);
        ClusterTrace trace = trace(
                List.of(),
                List.of(),
                longest,
                lived("c", any, 40, true),
                lived("b", any, 20, false),
                lived("d", other, 16, true),
                open,
                lived("a", any, 10, true));
        LoadScenario scenario = new LoadScenario(1, Duration.ZERO, Duration.ofHours(1));
        Map<Long, Integer> ends = new TreeMap<>();
        for (long seed = 0; seed < 2000; seed++) {
            List<Arrival> arrivals = scenario.apply(trace, seed).trace().arrivals();
            ends.merge(arrivals.get(4).endNanos() / SECOND - 3585, 1, Integer::sum);
            // It lived longer than all pods with its spec.
            assertEquals(longest, arrivals.get(0));
            assertEquals(trace.arrivals().get(1), arrivals.get(1));
        }
        // Of the pods that live longer than 15 s, half live 20 s; four standard deviations are 90.
        assertEquals(Set.of(20L, 40L), ends.keySet());
        assertEquals(1000, Objects.requireNonNull(ends.get(20L)), 90);
    }

    /** Many pods with few different lifetimes: each drawn end is that of the Kaplan-Meier estimate, step by step. */
    @Test
    void drawnEndsEqualAScanOfTheCurve() {
        PodInfo any = pod("template").cpu("1").build();
        SplittableRandom random = new SplittableRandom(1);
        List<Arrival> arrivals = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            long seconds = random.nextLong(1, 30);
            arrivals.add(
                    i % 4 == 0
                            ? new Arrival(
                                    (3600 - seconds) * SECOND,
                                    "default",
                                    "open-" + i,
                                    any,
                                    ClusterTrace.NONE,
                                    ClusterTrace.NONE,
                                    true)
                            : lived("ended-" + i, any, seconds, i % 2 == 0));
        }
        arrivals.sort(Comparator.comparingLong(Arrival::atNanos));
        ClusterTrace trace = trace(List.of(), List.of(), arrivals.toArray(Arrival[]::new));
        LoadScenario scenario = new LoadScenario(1, Duration.ZERO, Duration.ofHours(1));
        List<Arrival> extended = scenario.apply(trace, 7).trace().arrivals();
        int drawn = 0;
        for (int i = 0; i < arrivals.size(); i++) {
            Arrival open = arrivals.get(i);
            if (open.name().startsWith("open")) {
                assertEquals(scanned(arrivals, open, 7), extended.get(i).endNanos(), open.name());
                drawn++;
            }
        }
        assertEquals(100, drawn);
    }

    private static long scanned(List<Arrival> arrivals, Arrival open, long seed) {
        // A pod that ends after a time is older at that time than one that does not end.
        List<Arrival> byAge = new ArrayList<>(arrivals);
        byAge.sort(Comparator.comparingLong((Arrival one) -> 3600 * SECOND - one.atNanos())
                .thenComparing(one -> one.name().startsWith("open")));
        long age = 3600 * SECOND - open.atNanos();
        double left = 1;
        double drawn = Double.NaN;
        for (int i = 0; i < byAge.size(); i++) {
            long lifetime = 3600 * SECOND - byAge.get(i).atNanos();
            if (lifetime > age && Double.isNaN(drawn)) {
                drawn = left
                        * LoadScenario.random(seed, LoadScenario.Purpose.LIFETIME, open.key())
                                .nextDouble();
            }
            if (byAge.get(i).name().startsWith("ended")) {
                left = left * (byAge.size() - i - 1) / (byAge.size() - i);
                if (left <= drawn) {
                    return open.atNanos() + lifetime;
                }
            }
        }
        return ClusterTrace.NONE;
    }

    private static Map<String, Long> times(Load load) {
        Map<String, Long> times = new TreeMap<>();
        load.trace().arrivals().forEach(one -> times.put(one.name(), one.atNanos()));
        return times;
    }
}
