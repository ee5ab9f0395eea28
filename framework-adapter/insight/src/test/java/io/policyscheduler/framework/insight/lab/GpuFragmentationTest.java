package io.policyscheduler.framework.insight.lab;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GpuFragmentationTest {
    private static final long HOUR = 3_600_000_000_000L;
    private static final String SHARED = "example.com/gpu-milli";
    private static final String MODEL = "example.com/gpu-model";

    private static PodInfo share(String name, String cpu, long gpu) {
        return pod(name).cpu(cpu).scalar(SHARED, gpu).build();
    }

    private static RunMetrics metrics(List<Node> nodes, List<PodInfo> expected, boolean byMemory) {
        List<String> resources = RunMetrics.resourcesOf(nodes);
        RunMetrics metrics = new RunMetrics(
                resources, 0, 10 * HOUR, null, List.of(), GpuFragmentation.of(resources, expected, byMemory));
        nodes.forEach(metrics::node);
        return metrics;
    }

    private static double value(Map<String, Double> values, String name) {
        return Objects.requireNonNull(values.get(name), name);
    }

    /**
     * Two devices and 8 cores. Half of the pods request 0.6 of a device and 4 cores, a quarter two devices, and a quarter no device. Free
     * thousandths that such pods cannot use: of the empty node 0, 0, and 2000. After a pod of 0.5 and one of 0.3 on the same device, 200 and
     * 1000 are left: 200, 1200, and 1200. At the end, 3 cores are left, so that the first class does not fit either.
     */
    @Test
    void handComputed() {
        List<PodInfo> expected = List.of(
                share("a", "4", 600),
                share("b", "4", 600),
                share("c", "1", 2000),
                pod("d").cpu("1").build());
        RunMetrics metrics =
                metrics(List.of(node("n").cpu("8").scalar(SHARED, 2000).build()), expected, false);
        metrics.advanceTo(2 * HOUR);
        metrics.running(share("one", "1", 500).withNodeName("n"));
        metrics.running(share("two", "1", 300).withNodeName("n"));
        metrics.advanceTo(6 * HOUR);
        metrics.running(pod("cpu").cpu("3").build().withNodeName("n"));
        metrics.advanceTo(10 * HOUR);
        Map<String, Double> values = metrics.values();
        double empty = 2000 / 4.0;
        double shared = 200 / 2.0 + 1200 / 4.0 + 1200 / 4.0;
        double full = 1200;
        double all = 2 * empty + 4 * shared + 4 * full;
        assertEquals(all / (10 * 2000), value(values, "frag.fgd"), 1e-12);
        assertEquals(all / (2 * 2000 + 8 * 1200), value(values, "frag.fgd.ofFree"), 1e-12);
        assertEquals(full / 2000, value(values, "frag.fgd.end"), 1e-12);
    }

    /** Whole devices, memory instead of CPU, and the model of a device. */
    @Test
    void otherResourcesAndModels() {
        String whole = "nvidia.com/gpu";
        List<Node> nodes = List.of(
                node("a")
                        .cpu("1")
                        .memory("8Gi")
                        .scalar(whole, 4)
                        .label(MODEL, "A")
                        .build(),
                node("b")
                        .cpu("1")
                        .memory("8Gi")
                        .scalar(whole, 2)
                        .label(MODEL, "B")
                        .build(),
                node("cpu").cpu("64").build());
        PodInfo expected = pod("p").cpu("4")
                .memory("4Gi")
                .scalar(whole, 2)
                .nodeSelector(MODEL, "A")
                .build();
        RunMetrics byMemory = metrics(nodes, List.of(expected), true);
        byMemory.advanceTo(10 * HOUR);
        assertEquals(2 / 6.0, value(byMemory.values(), "frag.fgd"), 1e-12, "no pod can use b");
        RunMetrics byCpu = metrics(nodes, List.of(expected), false);
        byCpu.advanceTo(10 * HOUR);
        assertEquals(1.0, value(byCpu.values(), "frag.fgd"), 1e-12);
        List<Node> withoutGpus = List.of(node("cpu").cpu("64").build());
        assertNull(GpuFragmentation.of(RunMetrics.resourcesOf(withoutGpus), List.of(expected), false));
        RunMetrics none = metrics(withoutGpus, List.of(expected), false);
        none.advanceTo(10 * HOUR);
        assertFalse(none.values().containsKey("frag.fgd"));
    }

    /** The state of a node, as the recount sees it. */
    private static final class Recounted {
        private Node node;
        private final List<Integer> free;
        private long cpu;

        Recounted(Node node, int devices) {
            this.node = node;
            this.free = new ArrayList<>(Collections.nCopies(devices, 1000));
            this.cpu = node.allocatable().milliCpu();
        }

        double fragmentation(List<PodInfo> expected) {
            double all = free.stream().mapToInt(each -> each).sum();
            double sum = 0;
            for (PodInfo one : expected) {
                long gpu = one.resources().request().scalar(SHARED);
                int each = (int) Math.min(1000, gpu);
                long devices = gpu <= 1000 ? Math.min(1, gpu) : gpu / 1000;
                String model = one.spec().nodeSelector().getOrEmpty(MODEL);
                boolean canRun = gpu > 0
                        && (model.isEmpty() || node.labels().has(MODEL, model))
                        && one.resources().request().milliCpu() <= cpu
                        && free.stream().filter(left -> left >= each).count() >= devices;
                sum += canRun
                        ? free.stream()
                                .filter(left -> left < each)
                                .mapToInt(left -> left)
                                .sum()
                        : all;
            }
            return sum / expected.size();
        }
    }

    private record Placed(PodInfo pod, Recounted on, int[] devices) {}

    /** Computes all nodes of random clusters again after each event. */
    @Test
    void theSumsEqualARecount() {
        for (int seed = 0; seed < 300; seed++) {
            recount(seed);
        }
    }

    private static void recount(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Recounted> nodes = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            int devices = random.nextInt(5);
            nodes.add(new Recounted(
                    node("n" + i)
                            .cpu(String.valueOf(4 + random.nextInt(8)))
                            .scalar(SHARED, 1000L * devices)
                            .label(MODEL, random.nextBoolean() ? "A" : "B")
                            .build(),
                    devices));
        }
        nodes.add(new Recounted(node("last").cpu("4").scalar(SHARED, 2000).build(), 2));
        // At most 20 classes of equally many pods, which are all measured.
        List<PodInfo> expected = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(8); i++) {
            PodBuilder one = pod("e" + i)
                    .cpu((1 + random.nextInt(4)) + "." + i)
                    .scalar(SHARED, random.nextInt(4) == 0 ? 1000L * random.nextInt(4) : 50 * random.nextInt(20));
            expected.add((random.nextBoolean() ? one : one.nodeSelector(MODEL, "A")).build());
        }
        RunMetrics metrics = metrics(nodes.stream().map(one -> one.node).toList(), expected, false);
        Map<String, Placed> placed = new HashMap<>();
        Map<Recounted, Boolean> cordoned = new HashMap<>();
        double fragmented = 0;
        double free = 0;
        double total = 0;
        for (int minute = 0; minute < 600; minute += 20) {
            metrics.advanceTo(minute * HOUR / 60);
            Recounted on = nodes.get(random.nextInt(nodes.size()));
            int event = random.nextInt(5);
            if (event < 3) {
                place(random, "p" + minute, on, placed, metrics);
            } else if (event == 3 && !placed.isEmpty()) {
                Placed gone = Objects.requireNonNull(placed.remove(
                        placed.keySet().stream().sorted().findFirst().orElseThrow()));
                long gpu = gone.pod().resources().request().scalar(SHARED);
                for (int device : gone.devices()) {
                    gone.on().free.set(device, gone.on().free.get(device) + (int) Math.min(1000, gpu));
                }
                gone.on().cpu += gone.pod().resources().request().milliCpu();
                metrics.ended(gone.pod(), gone.on().node.name());
            } else {
                boolean now = !cordoned.getOrDefault(on, false);
                cordoned.put(on, now);
                on.node = on.node.withUnschedulable(now);
                metrics.node(on.node);
            }
            for (Recounted one : nodes) {
                if (!cordoned.getOrDefault(one, false)) {
                    fragmented += one.fragmentation(expected);
                    free += one.free.stream().mapToInt(each -> each).sum();
                    total += one.free.size() * 1000;
                }
            }
        }
        metrics.advanceTo(10 * HOUR);
        Map<String, Double> values = metrics.values();
        assertEquals(fragmented / total, value(values, "frag.fgd"), 1e-9, "seed " + seed);
        if (free > 0) {
            assertEquals(fragmented / free, value(values, "frag.fgd.ofFree"), 1e-9, "seed " + seed);
        }
    }

    /** Places a pod as the plugin GpuShare does: a share on the fullest device with enough left, others on the first unused ones. */
    private static void place(
            SplittableRandom random, String name, Recounted on, Map<String, Placed> placed, RunMetrics metrics) {
        long gpu = random.nextInt(3) == 0 ? 0 : random.nextInt(3) == 0 ? 2000 : 50 * random.nextInt(21);
        int each = (int) Math.min(1000, gpu);
        int count = (int) (gpu <= 1000 ? Math.min(1, gpu) : gpu / 1000);
        int[] devices = new int[count];
        int found = 0;
        for (int wanted = each; wanted <= 1000 && found < count; wanted++) {
            for (int device = 0; device < on.free.size() && found < count; device++) {
                if (on.free.get(device) == wanted) {
                    devices[found++] = device;
                }
            }
        }
        if (found < count) {
            return;
        }
        for (int device : devices) {
            on.free.set(device, on.free.get(device) - each);
        }
        PodInfo pod = share(name, "500m", gpu).withNodeName(on.node.name());
        on.cpu -= 500;
        placed.put(name, new Placed(pod, on, Arrays.copyOf(devices, count)));
        metrics.running(pod);
    }
}
