package io.policyscheduler.framework.insight.lab;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.framework.insight.lab.RunMetrics.Count;
import io.policyscheduler.framework.insight.lab.RunMetrics.RequestClass;
import io.policyscheduler.framework.insight.lab.RunMetrics.WaitCurve;
import io.policyscheduler.framework.insight.lab.RunMetrics.WaitShare;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunMetricsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long HOUR = 3600 * SECOND;
    private static final String GPU = "example.com/gpu";

    private static PodInfo bound(PodInfo pod, String node) {
        return pod.withNodeName(node);
    }

    private static double value(Map<String, Double> values, String name) {
        Double value = values.get(name);
        assertNotNull(value, name);
        return value == null ? Double.NaN : value;
    }

    /**
     * Two nodes of 4 cores for 10 hours. A pod of 2 cores runs from hour 1 to 6, one of 6 cores waits from hour 2 on, and the second node
     * is cordoned at hour 8.
     */
    private static Map<String, Double> twoNodes(long from) {
        Node second = node("b").cpu("4").memory("8Gi").scalar(GPU, 2).build();
        List<Node> nodes = List.of(node("a").cpu("4").memory("8Gi").build(), second);
        RunMetrics metrics = new RunMetrics(
                RunMetrics.resourcesOf(nodes),
                from,
                10 * HOUR,
                node -> node.name().equals("a") ? 1 : 3);
        nodes.forEach(metrics::node);
        PodInfo small = pod("small").requests("2", "4Gi").scalar(GPU, 1).build();
        PodInfo huge = pod("huge").namespace("other").requests("6", "1Gi").build();
        metrics.advanceTo(HOUR);
        metrics.arrived(small);
        metrics.advanceTo(HOUR + 30 * SECOND);
        metrics.bound(small, "b", HOUR);
        metrics.advanceTo(2 * HOUR);
        metrics.arrived(huge);
        metrics.advanceTo(6 * HOUR + 30 * SECOND);
        metrics.ended(bound(small, "b"), "b");
        metrics.count(Count.FINISHED);
        metrics.finishedWork(HOUR, 5 * HOUR);
        metrics.advanceTo(8 * HOUR);
        metrics.node(
                node("b").cpu("4").memory("8Gi").scalar(GPU, 2).unschedulable().build());
        metrics.advanceTo(10 * HOUR);
        metrics.endedPending(huge, 2 * HOUR);
        return metrics.values();
    }

    @ParameterizedTest
    @CsvSource({
        // 2 cores for 5 h of 8 cores for 8 h and 4 cores for 2 h
        "allocation.cpu.mean, 0.138888888888889",
        "allocation.cpu.max, 0.25",
        "allocation.cpu.end, 0",
        "allocation.cpu.above90, 0",
        // 4 GiB for 5 h of 16 GiB for 8 h and 8 GiB for 2 h
        "allocation.memory.mean, 0.138888888888889",
        // one of 2 GPUs for 5 of 8 h
        "allocation.example.com/gpu.mean, 0.3125",
        "allocation.example.com/gpu.max, 0.5",
        // 2 cores for 30 s and 6 cores for 8 h
        "pending.cpu.hours, 48.0166666666667",
        "pending.memory.hours, 8.03333333333333",
        // 30 s, and one that still waits after 8 h
        "wait.mean, 14415",
        "wait.p50, 30",
        "wait.max, 28800",
        "pods.arrived, 2",
        "pods.placed, 1",
        "pods.finished, 1",
        "unplaced.pods, 1",
        "unplaced.cpu, 6",
        "unplaced.memory, 1",
        // 5 h 30 s for 5 h
        "slowdown.mean, 1.00166666666667",
        // node a for 10 h at 1, node b for 10 h at 3
        "cost.total, 40",
        "cost.perCoreHour, 4",
        // node a all the time, node b for 5 h
        "cost.emptyNodes, 25",
        "nodes.mean, 1.8",
        "nodes.peak, 2",
        "nodes.hours, 18",
        // ratios 0 and 0.5 for 5 h of 10
        "balance.cpu, 0.125",
        // 10 of 10.0166 core-hours and 0 of 48
        "fairness.namespaces, 0.5",
    })
    void handComputed(String name, double expected) {
        assertEquals(expected, value(twoNodes(0), name), Math.abs(expected) * 1e-12, name);
    }

    @Test
    void whatDoesNotExistHasNoValue() {
        Map<String, Double> values = new RunMetrics(List.of("cpu", "memory"), 0, 0, null).values();
        assertNull(values.get("allocation.cpu.mean"));
        assertNull(values.get("wait.p50"));
        assertNull(values.get("cost.total"));
        assertNull(twoNodes(0).get("wait.p95"));
    }

    @Test
    void theWindowLeavesOutTheWarmUp() {
        Map<String, Double> values = twoNodes(5 * HOUR);
        // 2 cores for 1 h 30 s of 8 cores for 3 h and 4 cores for 2 h; both pods arrived before
        assertEquals(2 * 3630 / (8.0 * 10_800 + 4.0 * 7200), value(values, "allocation.cpu.mean"), 1e-12);
        assertEquals(30, value(values, "pending.cpu.hours"), 1e-12);
        assertEquals(0, value(values, "pods.arrived"));
        assertNull(values.get("wait.mean"));
        assertEquals(1, value(values, "pods.finished"));
        assertEquals(20, value(values, "cost.total"), 1e-12);
    }

    @Test
    void timeDoesNotGoBack() {
        RunMetrics metrics = new RunMetrics(List.of("cpu", "memory"), 0, HOUR, null);
        metrics.advanceTo(2);
        assertThrows(IllegalArgumentException.class, () -> metrics.advanceTo(1));
    }

    /** Remission times of 6-MP in Freireich et al. (1963), the textbook example of the estimate; + is censored. */
    @Test
    void censoredWaitsAreEstimated() {
        RunMetrics.Waits waits = new RunMetrics.Waits();
        for (long time : new long[] {6, 6, 6, 7, 10, 13, 16, 22, 23}) {
            waits.bound(time * SECOND);
        }
        for (long time : new long[] {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35}) {
            waits.censored(time * SECOND);
        }
        Map<String, Double> values = new HashMap<>();
        waits.addTo(values, "w");
        // The published median is 23 weeks, the mean restricted to 35 weeks 23.3.
        assertEquals(23, value(values, "w.p50"));
        assertEquals(23.29, value(values, "w.mean"), 0.01);
        assertEquals(35, value(values, "w.max"));
        assertNull(values.get("w.p95"));
        // The published shares are those that wait longer: 0.857 after 6 weeks, 0.807 after 7, 0.753, 0.690, 0.627,
        // 0.538, and 0.448.
        assertEquals(
                "5.0 0.000, 6.3 0.143, 8.0 0.193, 10.0 0.247, 12.5 0.247, 16.0 0.373, 20.0 0.373, 25.0 0.552, 31.5 0.552,"
                        + " 40.0 0.552; 9 bound, 12 open",
                text(waits.curve()));
    }

    private static String text(WaitCurve curve) {
        return curve.points().stream()
                        .map(point -> String.format(Locale.ROOT, "%s %.3f", point.nanos() / 1e9, point.share()))
                        .collect(Collectors.joining(", "))
                + "; " + curve.bound() + " bound, " + curve.open() + " open";
    }

    @Test
    void aCurveEndsWhereNoPodWaitsLonger() {
        RunMetrics.Waits waits = new RunMetrics.Waits();
        assertEquals(WaitCurve.NONE, waits.curve());
        waits.censored(3 * SECOND);
        assertEquals("3.15 0.000; 0 bound, 1 open", text(waits.curve()));
        // The shortest time of a curve is 1 ms. A pod without a node does not change the share of those before it.
        waits.bound(0);
        waits.bound(1_200_000);
        waits.bound(2_000_000);
        assertEquals(
                "0.001 0.250, 0.00125 0.500, 0.0016 0.500, 0.002 0.750, 0.0025 0.750",
                text(waits.curve()).substring(0, 67));
        waits.bound(4 * SECOND);
        WaitCurve whole = waits.curve();
        assertEquals(
                new WaitShare(4 * SECOND, 1), whole.points().get(whole.points().size() - 1));
    }

    @Test
    void integralsAreExactBeyond64Bits() {
        SplittableRandom random = new SplittableRandom(5);
        RunMetrics.Amount amount = new RunMetrics.Amount();
        BigInteger expected = BigInteger.ZERO;
        for (int i = 0; i < 10_000; i++) {
            long value = random.nextLong(1L << 52);
            long nanos = random.nextLong(1L << 52);
            amount.set(value);
            amount.pass(nanos);
            expected = expected.add(BigInteger.valueOf(value).multiply(BigInteger.valueOf(nanos)));
        }
        assertEquals(expected, amount.integral());
    }

    /** One fact of a random trace, as the recount sees it. */
    private record Span(long start, long end, long milliCpu, String node) {}

    /** Counts every second of small random traces again, from lists of who was where and when. */
    @Test
    void integralsEqualARecountSecondBySecond() {
        for (int seed = 0; seed < 1000; seed++) {
            recount(seed);
        }
    }

    private static void recount(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int seconds = 60;
        long from = random.nextInt(20);
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            nodes.add(node("n" + i).cpu(String.valueOf(1 + random.nextInt(8))).build());
        }
        RunMetrics metrics = new RunMetrics(RunMetrics.resourcesOf(nodes), from * SECOND, seconds * SECOND, n -> 3600);
        nodes.forEach(metrics::node);
        List<Span> bound = new ArrayList<>();
        List<Span> waiting = new ArrayList<>();
        record Live(PodInfo pod, long arrived, String node, long since) {}
        List<Live> live = new ArrayList<>();
        int made = 0;
        for (long second = 0; second < seconds; second++) {
            metrics.advanceTo(second * SECOND);
            for (int events = random.nextInt(3); events > 0; events--) {
                if (live.isEmpty() || random.nextInt(3) == 0) {
                    PodInfo pod =
                            pod("p" + made++).cpu(random.nextInt(500) + "m").build();
                    metrics.arrived(pod);
                    live.add(new Live(pod, second, "", second));
                    continue;
                }
                Live one = live.remove(random.nextInt(live.size()));
                long cpu = one.pod().resources().request().milliCpu();
                if (one.node().isEmpty()) {
                    String node = nodes.get(random.nextInt(nodes.size())).name();
                    metrics.bound(one.pod(), node, one.arrived() * SECOND);
                    waiting.add(new Span(one.since(), second, cpu, ""));
                    live.add(new Live(one.pod().withNodeName(node), one.arrived(), node, second));
                } else {
                    metrics.ended(one.pod(), one.node());
                    bound.add(new Span(one.since(), second, cpu, one.node()));
                }
            }
        }
        for (Live one : live) {
            long cpu = one.pod().resources().request().milliCpu();
            (one.node().isEmpty() ? waiting : bound).add(new Span(one.since(), seconds, cpu, one.node()));
        }
        metrics.advanceTo(seconds * SECOND);
        Map<String, Double> values = metrics.values();
        double used = 0;
        double wanted = 0;
        double highest = 0;
        double deviation = 0;
        double empty = 0;
        double all = nodes.stream().mapToLong(n -> n.allocatable().milliCpu()).sum();
        for (long second = from; second < seconds; second++) {
            long at = second;
            double now = sum(bound, at, "");
            used += now;
            wanted += sum(waiting, at, "");
            highest = Math.max(highest, now / all);
            double[] ratios = nodes.stream()
                    .mapToDouble(n -> sum(bound, at, n.name()) / n.allocatable().milliCpu())
                    .toArray();
            double mean = 0;
            for (double ratio : ratios) {
                mean += ratio / ratios.length;
            }
            double variance = 0;
            for (double ratio : ratios) {
                variance += (ratio - mean) * (ratio - mean) / ratios.length;
            }
            deviation += Math.sqrt(variance);
            empty += nodes.stream()
                    .filter(n -> bound.stream()
                            .noneMatch(span -> isAt(span, at) && span.node().equals(n.name())))
                    .count();
        }
        double span = seconds - from;
        String where = "seed " + seed;
        assertEquals(used / (all * span), value(values, "allocation.cpu.mean"), 1e-9, where);
        assertEquals(highest, value(values, "allocation.cpu.max"), 1e-9, where);
        assertEquals(wanted / 1000 / 3600, value(values, "pending.cpu.hours"), 1e-9, where);
        // A square root makes rounding errors of 1e-16 errors of 1e-8.
        assertEquals(deviation / span, value(values, "balance.cpu"), 1e-6, where);
        assertEquals(nodes.size() * span, value(values, "cost.total"), 1e-6, where);
        assertEquals(empty, value(values, "cost.emptyNodes"), 1e-6, where);
    }

    private static boolean isAt(Span span, long second) {
        return span.start() <= second && second < span.end();
    }

    private static double sum(List<Span> spans, long second, String node) {
        return spans.stream()
                .filter(span ->
                        isAt(span, second) && (node.isEmpty() || span.node().equals(node)))
                .mapToLong(Span::milliCpu)
                .sum();
    }

    private static RequestClass request(long milliCpu, long gibibytes, double share) {
        return new RequestClass(List.of(milliCpu, gibibytes << 30), share);
    }

    /** 4 cores and 8 GiB; half of the pods request 1 core, half 3 cores, each 1 GiB. After 5 of 10 hours, a pod takes 2 cores. */
    @Test
    void fragmentationIsWhatExpectedPodsLeave() {
        List<Node> nodes = List.of(node("a").cpu("4").memory("8Gi").pods(100).build());
        RunMetrics metrics = new RunMetrics(
                RunMetrics.resourcesOf(nodes),
                0,
                10 * HOUR,
                null,
                List.of(request(1000, 1, 0.5), request(3000, 1, 0.5)),
                null);
        nodes.forEach(metrics::node);
        PodInfo pod = pod("p").cpu("2").build();
        metrics.advanceTo(5 * HOUR);
        metrics.arrived(pod);
        metrics.bound(pod, "a", 5 * HOUR);
        metrics.advanceTo(10 * HOUR);
        Map<String, Double> values = metrics.values();
        // Of 4 cores, 0 or 1 are left over; of 2 cores, 0 or 2.
        assertEquals((0.5 + 1) / (4 + 2), value(values, "frag.cpu"), 1e-12);
        // Of 8 GiB, 4 or 7 are left over; then 6 or 8.
        assertEquals((5.5 + 7) / (8 + 8), value(values, "frag.memory"), 1e-12);
    }

    @Test
    void classesAreTheMostFrequentRequests() {
        List<PodInfo> pods = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            pods.add(pod("p" + i).cpu(i < 60 ? "1" : i < 96 ? "2" : i + "").build());
        }
        assertEquals(
                List.of(
                        new RequestClass(List.of(1000L, 0L), 60.0 / 96),
                        new RequestClass(List.of(2000L, 0L), 36.0 / 96)),
                RequestClass.of(List.of("cpu", "memory"), pods));
        assertEquals(List.of(), RequestClass.of(List.of("cpu", "memory"), List.of()));
    }

    private static PodInfo replica(String name, String owner) {
        return pod(name).cpu("1").controller("ReplicaSet", owner, owner).build();
    }

    private static Node inZone(String name, String zone) {
        return node(name).cpu("8").label("topology.kubernetes.io/zone", zone).build();
    }

    /** Two replicas on one node for 10 hours, a third in another zone after 5; an owner of one pod does not count. */
    @Test
    void spreadIsHowLongReplicasShareANodeOrAZone() {
        List<Node> nodes = List.of(inZone("a", "x"), inZone("b", "y"));
        RunMetrics metrics = new RunMetrics(RunMetrics.resourcesOf(nodes), 0, 10 * HOUR, null);
        nodes.forEach(metrics::node);
        metrics.running(bound(replica("1", "web"), "a"));
        metrics.running(bound(replica("2", "web"), "a"));
        metrics.running(bound(replica("alone", "db"), "a"));
        metrics.advanceTo(5 * HOUR);
        PodInfo third = replica("3", "web");
        metrics.arrived(third);
        metrics.bound(third, "b", 5 * HOUR);
        metrics.advanceTo(10 * HOUR);
        Map<String, Double> values = metrics.values();
        assertEquals(0.5, value(values, "spread.oneNode"), 1e-12);
        assertEquals(0.5, value(values, "spread.oneZone"), 1e-12);
        assertEquals((1 * 5 + 2.0 / 3 * 5) / 10, value(values, "spread.largestZone"), 1e-12);
    }

    @Test
    void agreementIsTheShareOnTheRecordedNode() {
        RunMetrics metrics = new RunMetrics(List.of("cpu", "memory"), HOUR, 10 * HOUR, null);
        metrics.compared(false);
        metrics.advanceTo(HOUR);
        metrics.compared(true);
        metrics.compared(false);
        metrics.compared(true);
        metrics.compared(true);
        metrics.advanceTo(10 * HOUR);
        metrics.compared(false);
        assertEquals(0.75, value(metrics.values(), "agreement.node"));
        assertNull(
                new RunMetrics(List.of("cpu", "memory"), 0, HOUR, null).values().get("agreement.node"));
    }

    /** The rest of the integrals, added up second by second from the pods and nodes that are there. */
    @Test
    void otherIntegralsEqualARecountSecondBySecond() {
        for (int seed = 0; seed < 1000; seed++) {
            recountOthers(seed);
        }
    }

    private static void recountOthers(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int seconds = 40;
        long from = random.nextInt(15);
        Map<String, Node> nodes = new HashMap<>();
        for (int i = 0; i < 2 + random.nextInt(3); i++) {
            nodes.put("n" + i, someNode(random, i));
        }
        List<RequestClass> classes = List.of(request(300, 0, 0.25), request(700, 1, 0.5), request(1500, 2, 0.25));
        RunMetrics metrics = new RunMetrics(
                RunMetrics.resourcesOf(List.copyOf(nodes.values())),
                from * SECOND,
                seconds * SECOND,
                null,
                classes,
                null);
        nodes.values().forEach(metrics::node);
        List<PodInfo> live = new ArrayList<>();
        double memory = 0;
        double allMemory = 0;
        double above90 = 0;
        double peak = 0;
        double nodeSeconds = 0;
        double frag = 0;
        double free = 0;
        double[] spread = new double[4];
        Map<String, double[]> wanted = new HashMap<>();
        for (long second = 0; second < seconds; second++) {
            metrics.advanceTo(second * SECOND);
            for (int events = random.nextInt(4); events > 0; events--) {
                int which = random.nextInt(10);
                if (which == 0) {
                    int number = random.nextInt(nodes.size());
                    Node node = someNode(random, number);
                    nodes.put("n" + number, node);
                    metrics.node(node);
                } else if (live.isEmpty() || which < 5) {
                    PodInfo pod = pod("p" + second + "-" + events)
                            .namespace("ns" + random.nextInt(3))
                            .requests(random.nextInt(900) + "m", random.nextInt(3) + "Gi")
                            .controller("ReplicaSet", "rs", "rs" + random.nextInt(2))
                            .build();
                    metrics.arrived(pod);
                    live.add(pod);
                } else {
                    PodInfo pod = live.remove(random.nextInt(live.size()));
                    if (pod.nodeName().isEmpty()) {
                        String node = "n" + random.nextInt(nodes.size());
                        metrics.bound(pod, node, 0);
                        live.add(pod.withNodeName(node));
                    } else {
                        metrics.ended(pod, pod.nodeName());
                    }
                }
            }
            if (second < from) {
                continue;
            }
            List<PodInfo> bound =
                    live.stream().filter(pod -> !pod.nodeName().isEmpty()).toList();
            List<Node> serving = nodes.values().stream()
                    .filter(node -> !node.unschedulable())
                    .toList();
            double usedMemory =
                    bound.stream().mapToDouble(RunMetricsTest::memory).sum();
            double usedCpu = bound.stream().mapToDouble(RunMetricsTest::cpu).sum();
            double cpu = serving.stream()
                    .mapToDouble(node -> node.allocatable().milliCpu())
                    .sum();
            memory += usedMemory;
            allMemory += serving.stream()
                    .mapToDouble(node -> node.allocatable().memory())
                    .sum();
            above90 += cpu > 0 && usedCpu / cpu > 0.9 ? 1 : 0;
            peak = Math.max(peak, serving.size());
            nodeSeconds += serving.size();
            for (Node node : serving) {
                List<PodInfo> there = bound.stream()
                        .filter(pod -> pod.nodeName().equals(node.name()))
                        .toList();
                double freeCpu = Math.max(
                        0,
                        node.allocatable().milliCpu()
                                - there.stream()
                                        .mapToDouble(RunMetricsTest::cpu)
                                        .sum());
                double freeMemory = Math.max(
                        0,
                        node.allocatable().memory()
                                - there.stream()
                                        .mapToDouble(RunMetricsTest::memory)
                                        .sum());
                free += freeCpu;
                for (RequestClass one : classes) {
                    int copies = 0;
                    while ((copies + 1) * one.requests().get(0) <= freeCpu
                            && (copies + 1.0) * one.requests().get(1) <= freeMemory
                            && there.size() + copies < node.allocatable().pods()) {
                        copies++;
                    }
                    frag += one.share() * (freeCpu - copies * one.requests().get(0));
                }
            }
            recountSpread(bound, spread);
            for (PodInfo pod : live) {
                double[] sums = wanted.computeIfAbsent(pod.namespace(), any -> new double[2]);
                sums[0] += pod.nodeName().isEmpty() ? 0 : cpu(pod);
                sums[1] += cpu(pod);
            }
        }
        metrics.advanceTo(seconds * SECOND);
        Map<String, Double> values = metrics.values();
        String where = "seed " + seed;
        equal(allMemory == 0 ? null : (Double) (memory / allMemory), values.get("allocation.memory.mean"), where);
        assertEquals(above90 / (seconds - from), value(values, "allocation.cpu.above90"), 1e-9, where);
        assertEquals(peak, value(values, "nodes.peak"), where);
        assertEquals(nodeSeconds / 3600, value(values, "nodes.hours"), 1e-9, where);
        equal(free == 0 ? null : (Double) (frag / free), values.get("frag.cpu"), where);
        boolean any = spread[0] > 0;
        equal(any ? (Double) (spread[1] / spread[0]) : null, values.get("spread.oneNode"), where);
        equal(any ? (Double) (spread[2] / spread[0]) : null, values.get("spread.oneZone"), where);
        equal(any ? (Double) (spread[3] / spread[0]) : null, values.get("spread.largestZone"), where);
        double sum = 0;
        double squares = 0;
        int count = 0;
        for (double[] sums : wanted.values()) {
            if (sums[1] > 0) {
                sum += sums[0] / sums[1];
                squares += sums[0] / sums[1] * (sums[0] / sums[1]);
                count++;
            }
        }
        equal(
                count == 0 ? null : squares == 0 ? (Double) 1.0 : (Double) (sum * sum / (count * squares)),
                values.get("fairness.namespaces"),
                where);
    }

    private static Node someNode(SplittableRandom random, int number) {
        NodeBuilder node = node("n" + number)
                .cpu(String.valueOf(1 + random.nextInt(4)))
                .memory(1 + random.nextInt(8) + "Gi")
                .pods(1 + random.nextInt(6))
                .label("topology.kubernetes.io/zone", number % 2 == 0 ? "even" : "odd");
        return random.nextInt(5) == 0 ? node.unschedulable().build() : node.build();
    }

    private static void recountSpread(List<PodInfo> bound, double[] spread) {
        Map<String, List<PodInfo>> owners = new HashMap<>();
        bound.forEach(pod -> owners.computeIfAbsent(
                        pod.namespace()
                                + Objects.requireNonNull(pod.controller()).uid(),
                        any -> new ArrayList<>())
                .add(pod));
        for (List<PodInfo> replicas : owners.values()) {
            if (replicas.size() < 2) {
                continue;
            }
            Map<String, Integer> zones = new HashMap<>();
            replicas.forEach(pod -> zones.merge(
                    Integer.parseInt(pod.nodeName().substring(1)) % 2 == 0 ? "even" : "odd", 1, Integer::sum));
            spread[0]++;
            spread[1] += replicas.stream().map(PodInfo::nodeName).distinct().count() == 1 ? 1 : 0;
            spread[2] += zones.size() == 1 ? 1 : 0;
            spread[3] += (double) Collections.max(zones.values()) / replicas.size();
        }
    }

    private static double cpu(PodInfo pod) {
        return pod.resources().request().milliCpu();
    }

    private static double memory(PodInfo pod) {
        return pod.resources().request().memory();
    }

    private static void equal(@Nullable Double expected, @Nullable Double actual, String where) {
        if (expected == null || actual == null) {
            assertEquals(expected, actual, where);
        } else {
            assertEquals(expected, actual, 1e-9, where);
        }
    }
}
