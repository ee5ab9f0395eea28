package io.policyscheduler.framework.insight.lab;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.lab.RunMetrics.Count;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
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
}
