package example.gpushare;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * GPUs that pods share. A node has {@code allocatable / 1000} devices of 1000 thousandths each. A pod requests up to 1000 thousandths of
 * one device, or several whole devices. The filter checks that single devices, and not only their sum, have enough left. The plugin
 * assigns the devices when a node is selected. It keeps the assignments in memory; those of pods that it has not placed itself are
 * derived from the order of the pods on the node.
 */
public final class GpuShare
        implements CacheableFilter, EnqueueExtensions, PreScorePlugin, CacheableScore, ReservePlugin {
    static final String NAME = "GpuShare";

    /** Thousandths of a device. */
    static final int WHOLE = 1000;

    private static final Set<String> ARGUMENTS = Set.of("resource", "modelLabel", "score", "seed", "workload");
    private static final Status NO_DEVICE = Status.unschedulable("node(s) had no GPU with enough free thousandths");

    private final ClusterView cluster;
    private final String resource;
    private final String modelLabel;
    private final GpuScore score;
    private final long seed;
    private final Fragmentation fragmentation;
    private final StateKey<String> drawn;
    /** Devices of pods by UID. */
    private final Map<String, int[]> assigned = new HashMap<>();

    /** By the slot of the node, which another node can get later; null for a slot that nobody asked about. */
    private Devices[] bySlot = new Devices[0];

    private int sweepAt = 1000;

    /** What a score rests on besides the node. */
    private record Demand(long milliCpu, int gpu) {}

    private GpuShare(PluginHandle handle, JsonNode args) {
        this.cluster = handle.cluster();
        this.resource = text(args, "resource", "example.com/gpu-milli");
        this.modelLabel = text(args, "modelLabel", "example.com/gpu-model");
        this.score = score(text(args, "score", "BestFit"));
        this.seed = args.path("seed").asLong(0);
        this.fragmentation = Fragmentation.of(args.path("workload"));
        this.drawn = handle.stateKeys().create(NAME, name -> name);
        if (score == GpuScore.FGD && fragmentation.isEmpty()) {
            throw new PluginException(
                    "score FGD requires the argument \"workload\": a list of {cpu, gpu, models, share}");
        }
    }

    /** Called once for each profile that enables the plugin. */
    static GpuShare create(PluginHandle handle) {
        JsonNode args = handle.args();
        for (Iterator<String> names = args.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!ARGUMENTS.contains(name)) {
                throw new PluginException(
                        "unknown argument \"" + name + "\"; there are resource, modelLabel, score, seed, and workload");
            }
        }
        return new GpuShare(handle, args);
    }

    private static String text(JsonNode args, String name, String whenMissing) {
        JsonNode argument = args.path(name);
        if (argument.isMissingNode() || argument.isNull()) {
            return whenMissing;
        }
        if (!argument.isTextual() || argument.asText().isEmpty()) {
            throw new PluginException("argument \"" + name + "\" must be a text, not " + argument);
        }
        return argument.asText();
    }

    private static GpuScore score(String name) {
        for (GpuScore value : GpuScore.values()) {
            if (value.toString().equals(name)) {
                return value;
            }
        }
        throw new PluginException(
                "argument \"score\": there is no \"" + name + "\"; there are " + List.of(GpuScore.values()));
    }

    /** The devices of a node and the pods on them, as of a generation of the node. */
    static final class Devices {
        private final NodeInfo node;
        private final long generation;
        private final int pods;
        final int[] free;
        /** Free thousandths of all devices. */
        final int freeSum;
        /** Pods by class of demand: a share of one device, or the number of devices. */
        final int[] classes = new int[10];

        final long freeMilliCpu;
        final String model;
        private double fragmented = Double.NaN;

        private Devices(NodeInfo node, int[] free, String model) {
            this.node = node;
            this.generation = node.generation();
            this.pods = node.podCount();
            this.free = free;
            this.model = model;
            this.freeMilliCpu = node.allocatableMilliCpu() - node.requestedMilliCpu();
            int sum = 0;
            for (int each : free) {
                sum += each;
            }
            this.freeSum = sum;
        }

        private boolean isOf(NodeInfo other) {
            return node == other && generation == other.generation() && pods == other.podCount();
        }

        double fragmented(Fragmentation fragmentation) {
            if (Double.isNaN(fragmented)) {
                fragmented = fragmentation.of(free, freeMilliCpu, model);
            }
            return fragmented;
        }

        boolean takes(int gpu) {
            if (gpu <= WHOLE) {
                for (int each : free) {
                    if (each >= gpu) {
                        return true;
                    }
                }
                return gpu == 0;
            }
            int whole = 0;
            for (int each : free) {
                whole += each == WHOLE ? 1 : 0;
            }
            return whole >= gpu / WHOLE;
        }
    }

    /** The class of a demand: 0 for a share of a device, else the number of devices. */
    static int classOf(int gpu) {
        return gpu < WHOLE ? 0 : Math.min(9, gpu / WHOLE);
    }

    private int gpuOf(PodInfo pod) {
        return (int) pod.resources().request().scalar(resource);
    }

    private Devices devicesOf(NodeInfo node) {
        int slot = node.slot();
        if (slot < 0) {
            // A node of a what-if.
            return devicesWithout(node, "");
        }
        if (slot >= bySlot.length) {
            bySlot = Arrays.copyOf(bySlot, slot + slot / 2 + 16);
        }
        Devices known = bySlot[slot];
        if (known != null && known.isOf(node)) {
            return known;
        }
        Devices devices = devicesWithout(node, "");
        bySlot[slot] = devices;
        return devices;
    }

    /** The devices of a node without one of its pods. */
    private Devices devicesWithout(NodeInfo node, String uid) {
        int count = (int) (node.allocatable().scalar(resource) / WHOLE);
        int[] free = new int[count];
        Arrays.fill(free, WHOLE);
        int[] classes = new int[10];
        boolean open = false;
        for (int i = 0; i < node.podCount(); i++) {
            PodInfo pod = node.pod(i);
            int gpu = gpuOf(pod);
            if (gpu == 0 || pod.uid().equals(uid)) {
                continue;
            }
            classes[classOf(gpu)]++;
            int[] own = assigned.get(pod.uid());
            if (own == null) {
                open = true;
            } else {
                take(free, own, gpu);
            }
        }
        for (int i = 0; open && i < node.podCount(); i++) {
            PodInfo pod = node.pod(i);
            int gpu = gpuOf(pod);
            if (gpu > 0 && !pod.uid().equals(uid) && !assigned.containsKey(pod.uid())) {
                take(free, tightest(free, gpu), gpu);
            }
        }
        Devices devices = new Devices(node, free, node.node().labels().getOrEmpty(modelLabel));
        System.arraycopy(classes, 0, devices.classes, 0, classes.length);
        return devices;
    }

    private static void take(int[] free, int[] devices, int gpu) {
        int each = gpu <= WHOLE ? gpu : WHOLE;
        for (int device : devices) {
            if (device < free.length) {
                free[device] = Math.max(0, free[device] - each);
            }
        }
    }

    /** The fullest device that takes a share, or the first devices that are free; fewer if there are not enough. */
    private static int[] tightest(int[] free, int gpu) {
        if (gpu < WHOLE) {
            int best = -1;
            for (int i = 0; i < free.length; i++) {
                if (free[i] >= gpu && (best < 0 || free[i] < free[best])) {
                    best = i;
                }
            }
            return best < 0 ? new int[0] : new int[] {best};
        }
        int[] devices = new int[gpu / WHOLE];
        int found = 0;
        for (int i = 0; i < free.length && found < devices.length; i++) {
            if (free[i] == WHOLE) {
                devices[found++] = i;
            }
        }
        return Arrays.copyOf(devices, found);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        int gpu = gpuOf(pod);
        return gpu == 0 || devicesOf(node).takes(gpu) ? Status.SUCCESS : NO_DEVICE;
    }

    @Override
    public FilterReads filterReads(CycleState state, PodInfo pod) {
        return FilterReads.of(gpuOf(pod));
    }

    /** Devices become free when a pod ends, and appear with nodes. */
    @Override
    public List<EventHint> eventsToRegister() {
        return List.of(
                EventHint.of(EventHint.Hint.ALWAYS, EventResource.ASSIGNED_POD, EventAction.DELETE),
                EventHint.of(
                        (pod, event) -> true,
                        EventResource.NODE,
                        EventAction.ADD,
                        EventAction.UPDATE_NODE_ALLOCATABLE));
    }

    /** Draws a node for {@link GpuScore#RANDOM}: by the pod, so that the same pod gets the same answer. */
    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        if (score == GpuScore.RANDOM) {
            int index = (int) Long.remainderUnsigned(mixed(context.pod()), feasible.size());
            state.write(drawn, feasible.get(index).name());
        }
        return Status.SUCCESS;
    }

    private long mixed(PodInfo pod) {
        long z = seed * 0x9e3779b97f4a7c15L + pod.uid().hashCode();
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        if (score == GpuScore.RANDOM) {
            return node.name().equals(state.read(drawn)) ? MAX_SCORE : MIN_SCORE;
        }
        return score.of(devicesOf(node), pod.resources().request().milliCpu(), gpuOf(pod), fragmentation);
    }

    @Override
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        Demand key = score == GpuScore.RANDOM
                ? null
                : new Demand(pod.resources().request().milliCpu(), gpuOf(pod));
        return ScoreReads.of(key, Reduction.NONE, null);
    }

    @Override
    public Status reserve(CycleState state, PodInfo pod, String nodeName) {
        int gpu = gpuOf(pod);
        NodeInfo node = cluster.node(nodeName);
        if (gpu == 0 || node == null) {
            return Status.SUCCESS;
        }
        sweep();
        Devices devices = devicesWithout(node, pod.uid());
        int[] own = score == GpuScore.FGD && gpu < WHOLE
                ? new int[] {fragmentation.bestDevice(devices.free, gpu, devices.freeMilliCpu, devices.model)}
                : score == GpuScore.RANDOM && gpu < WHOLE ? any(devices.free, gpu, pod) : tightest(devices.free, gpu);
        if (own.length == 0 || own[0] < 0) {
            return NO_DEVICE;
        }
        assigned.put(pod.uid(), own);
        return Status.SUCCESS;
    }

    private int[] any(int[] free, int gpu, PodInfo pod) {
        int count = 0;
        for (int each : free) {
            count += each >= gpu ? 1 : 0;
        }
        if (count == 0) {
            return new int[0];
        }
        int left = (int) Long.remainderUnsigned(mixed(pod) >>> 7, count);
        for (int i = 0; i < free.length; i++) {
            if (free[i] >= gpu && left-- == 0) {
                return new int[] {i};
            }
        }
        return new int[0];
    }

    @Override
    public void unreserve(CycleState state, PodInfo pod, String nodeName) {
        assigned.remove(pod.uid());
    }

    /** Drops the assignments of pods that are gone, each time that their number has doubled. */
    private void sweep() {
        if (assigned.size() < sweepAt) {
            return;
        }
        Set<String> there = new HashSet<>();
        cluster.nodes().forEach(node -> node.pods().forEach(pod -> there.add(pod.uid())));
        assigned.keySet().retainAll(there);
        sweepAt = Math.max(1000, 2 * assigned.size());
    }
}
