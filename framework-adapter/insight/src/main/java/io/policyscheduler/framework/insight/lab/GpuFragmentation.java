package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The GPU fragmentation of a cluster, as Weng et al. (<i>Beware of Fragmentation</i>, ATC 2023) define it: the free thousandths of devices
 * that an average pod of the expected workload cannot use. For a class of pods that a node cannot run, or that requests no GPU, these are
 * all free thousandths of the node. For another class, they are those of the devices that have less left than the class needs.
 *
 * <p>The sums are exact and change with each event. Pods do not name their devices: a share gets the fullest device that has enough left,
 * and whole devices are the first unused ones. Not thread-safe.
 */
public final class GpuFragmentation {
    /** Thousandths of a device. */
    private static final int WHOLE = 1000;
    /** Ends of the names of extended resources: thousandths of devices that pods share, and whole devices. */
    private static final String SHARED = "/gpu-milli";

    private static final String UNSHARED = "/gpu";
    private static final int MOST_CLASSES = 100;
    private static final double COVERED = 0.95;

    private final String resource;
    private final boolean byMemory;
    private final List<PodClass> classes;
    private final long weights;
    private final Map<String, GpuNode> nodes = new HashMap<>();
    private long fragmented;
    private long free;
    private long total;

    /**
     * The pods that are expected.
     *
     * @param pods null for the pods that arrive in the window of the metrics
     * @param byMemory whether a node must have enough memory for a class, instead of enough CPU
     */
    public record Expected(@Nullable List<PodInfo> pods, boolean byMemory) {
        /** The arrivals of the trace, with their CPU. */
        public static final Expected ARRIVALS = new Expected(null, false);

        public Expected {
            pods = pods == null ? null : ImmutableList.copyOf(pods);
        }
    }

    /** What distinguishes classes of pods; the requirements for nodes include that for a model of GPU. */
    private record Demand(
            long amount,
            long gpu,
            Labels selector,
            @Nullable List<NodeSelectorTerm> required) {}

    /**
     * A class of pods.
     *
     * @param amount CPU or memory
     * @param each thousandths of each of the devices
     * @param weight number of pods
     */
    private record PodClass(long amount, long each, int devices, NodeConstraints constraints, long weight) {}

    /** The pods of a class, while they are counted. */
    private static final class Counted {
        private final PodInfo first;
        private long pods;

        Counted(PodInfo first) {
            this.first = first;
        }
    }

    private static final class GpuNode {
        /** Used thousandths by device; more than exist if a node has lost devices. */
        private long[] used;

        private int devices;
        private boolean serves;
        private long allocatable;
        /** Allocatable CPU or memory that no pod requests. */
        private long left;

        private boolean[] accepts = new boolean[0];
        /** The devices of pods by UID. */
        private final Map<String, int[]> ofPods = new HashMap<>();

        private long fragmented;
        private long free;

        GpuNode(int devices) {
            this.used = new long[devices];
        }

        long free(int device) {
            return Math.max(0, WHOLE - used[device]);
        }
    }

    private GpuFragmentation(String resource, boolean byMemory, List<PodClass> classes) {
        this.resource = resource;
        this.byMemory = byMemory;
        this.classes = ImmutableList.copyOf(classes);
        this.weights = classes.stream().mapToLong(PodClass::weight).sum();
    }

    /**
     * Creates the fragmentation of an empty cluster for the most frequent classes of pods, which cover 95 % of them; at most 100.
     *
     * @param resources of the nodes
     * @return null if there are no GPUs, or no pods
     */
    static @Nullable GpuFragmentation of(List<String> resources, Iterable<PodInfo> pods, boolean byMemory) {
        String resource = named(resources, SHARED);
        resource = resource == null ? named(resources, UNSHARED) : resource;
        if (resource == null) {
            return null;
        }
        GpuFragmentation empty = new GpuFragmentation(resource, byMemory, List.of());
        Map<Demand, Counted> counts = new LinkedHashMap<>();
        int all = 0;
        for (PodInfo pod : pods) {
            Demand demand = new Demand(
                    empty.amount(pod),
                    empty.gpu(pod),
                    pod.spec().nodeSelector(),
                    pod.affinity().requiredNode());
            counts.computeIfAbsent(demand, any -> new Counted(pod)).pods++;
            all++;
        }
        List<Counted> sorted = new ArrayList<>(counts.values());
        // Equally frequent classes stay in the order of their first pods.
        sorted.sort((a, b) -> Long.compare(b.pods, a.pods));
        List<PodClass> classes = new ArrayList<>();
        long covered = 0;
        for (Counted one : sorted) {
            if (covered >= COVERED * all || classes.size() == MOST_CLASSES) {
                break;
            }
            covered += one.pods;
            long gpu = empty.gpu(one.first);
            classes.add(new PodClass(
                    empty.amount(one.first),
                    Math.min(gpu, WHOLE),
                    devices(gpu),
                    NodeConstraints.ofCurrent(one.first),
                    one.pods));
        }
        return classes.isEmpty() ? null : new GpuFragmentation(resource, byMemory, classes);
    }

    private static @Nullable String named(List<String> resources, String end) {
        return resources.stream().filter(name -> name.endsWith(end)).findFirst().orElse(null);
    }

    private static int devices(long gpu) {
        return (int) (gpu <= WHOLE ? Math.min(gpu, 1) : gpu / WHOLE);
    }

    private long thousandths(long amount) {
        return resource.endsWith(SHARED) ? amount : amount * WHOLE;
    }

    private long gpu(PodInfo pod) {
        return thousandths(pod.resources().current().placed().scalar(resource));
    }

    private long amount(PodInfo pod) {
        return byMemory
                ? pod.resources().current().placed().memory()
                : pod.resources().current().placed().milliCpu();
    }

    /** Adds or updates a node; an updated one keeps its pods. */
    void node(Node node, boolean serves) {
        int devices = (int) (thousandths(node.allocatable().scalar(resource)) / WHOLE);
        GpuNode known = nodes.computeIfAbsent(node.name(), name -> new GpuNode(devices));
        count(known, -1);
        if (devices > known.used.length) {
            known.used = Arrays.copyOf(known.used, devices);
        }
        known.devices = devices;
        known.serves = serves && devices > 0;
        known.left += allocatable(node) - known.allocatable;
        known.allocatable = allocatable(node);
        known.accepts = new boolean[classes.size()];
        for (int m = 0; m < classes.size(); m++) {
            known.accepts[m] = classes.get(m).constraints().accept(node);
        }
        measure(known);
        count(known, 1);
    }

    private long allocatable(Node node) {
        return byMemory ? node.allocatable().memory() : node.allocatable().milliCpu();
    }

    /** Removes a node, whose pods have ended before. */
    void removed(String name) {
        GpuNode known = nodes.remove(name);
        if (known != null) {
            count(known, -1);
        }
    }

    /** Adds or removes what counts of a node. */
    private void count(GpuNode node, int sign) {
        if (node.serves) {
            fragmented += sign * node.fragmented;
            free += sign * node.free;
            total += (long) sign * node.devices * WHOLE;
        }
    }

    /** A pod is bound (1) or ends (-1). */
    void pod(PodInfo pod, String name, int sign) {
        GpuNode node = nodes.get(name);
        if (node == null) {
            return;
        }
        count(node, -1);
        node.left -= sign * amount(pod);
        long gpu = gpu(pod);
        if (gpu > 0) {
            int[] devices = sign > 0 ? assigned(node, gpu) : node.ofPods.remove(pod.uid());
            if (devices != null) {
                for (int device : devices) {
                    node.used[device] += sign * Math.min(gpu, WHOLE);
                }
                if (sign > 0) {
                    node.ofPods.put(pod.uid(), devices);
                }
            }
        }
        measure(node);
        count(node, 1);
    }

    /**
     * Returns the devices of a pod that is bound. The scheduler may have assigned others, on which it fits, so that none has enough
     * left here; then those with most left.
     */
    private static int[] assigned(GpuNode node, long gpu) {
        boolean[] taken = new boolean[node.devices];
        int[] devices = new int[Math.min(devices(gpu), node.devices)];
        for (int i = 0; i < devices.length; i++) {
            int best = -1;
            for (int device = 0; device < node.devices; device++) {
                if (!taken[device]
                        && (best < 0 || isBetter(node.free(device), node.free(best), Math.min(gpu, WHOLE)))) {
                    best = device;
                }
            }
            taken[best] = true;
            devices[i] = best;
        }
        return devices;
    }

    private static boolean isBetter(long free, long best, long needed) {
        return free >= needed ? best < needed || free < best : best < needed && free > best;
    }

    private void measure(GpuNode node) {
        node.free = 0;
        for (int device = 0; device < node.devices; device++) {
            node.free += node.free(device);
        }
        node.fragmented = 0;
        for (int m = 0; node.serves && m < classes.size(); m++) {
            PodClass one = classes.get(m);
            node.fragmented += one.weight() * unusable(node, one, node.accepts[m]);
        }
    }

    private static long unusable(GpuNode node, PodClass one, boolean accepted) {
        if (one.devices() == 0 || !accepted || one.amount() > node.left) {
            return node.free;
        }
        int enough = 0;
        long small = 0;
        for (int device = 0; device < node.devices; device++) {
            long left = node.free(device);
            if (left >= one.each()) {
                enough++;
            } else {
                small += left;
            }
        }
        return enough >= one.devices() ? small : node.free;
    }

    /** Returns the fragmentation of all nodes that are ready and not cordoned, in thousandths multiplied by {@link #weights()}. */
    long fragmented() {
        return fragmented;
    }

    /** Returns the number of pods of all classes. */
    long weights() {
        return weights;
    }

    /** Returns the free thousandths of the same nodes. */
    long free() {
        return free;
    }

    /** Returns the thousandths of all devices of the same nodes. */
    long total() {
        return total;
    }
}
