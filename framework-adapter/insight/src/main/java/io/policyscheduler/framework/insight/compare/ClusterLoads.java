package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary.Spread;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tracks the requests of pods on each node. */
public final class ClusterLoads {
    private static final String ZONE_SEPARATOR = ":\0:";

    private final ClusterSnapshot snapshot;
    private final Map<String, Integer> places;
    private final long[] cpu;
    private final long[] memory;
    private final long[] pods;
    /** The number of pods that would have to move to empty a node. */
    private final int[] movable;

    /** Starts with the running pods of a snapshot. */
    ClusterLoads(ClusterSnapshot snapshot) {
        this.snapshot = snapshot;
        int size = snapshot.nodes().size();
        places = new HashMap<>();
        for (int i = 0; i < size; i++) {
            places.put(snapshot.nodes().get(i).name(), i);
        }
        cpu = new long[size];
        memory = new long[size];
        pods = new long[size];
        movable = new int[size];
        snapshot.running().forEach(pod -> add(pod, pod.nodeName()));
    }

    /** True for pods that are tied to their node: those of DaemonSets, and static pods. */
    static boolean staysWithNode(PodInfo pod) {
        OwnerReference owner = pod.controller();
        return owner != null && (owner.kind().equals("DaemonSet") || isStatic(pod));
    }

    /** True for static pods, which no scheduler schedules. */
    static boolean isStatic(PodInfo pod) {
        OwnerReference owner = pod.controller();
        return owner != null && owner.kind().equals("Node");
    }

    void add(PodInfo pod, String node) {
        change(pod, node, 1);
    }

    void remove(PodInfo pod, String node) {
        change(pod, node, -1);
    }

    private void change(PodInfo pod, String node, int sign) {
        Integer place = places.get(node);
        if (place != null) {
            cpu[place] = changed(cpu[place], pod.resources().current().placed().milliCpu(), sign);
            memory[place] =
                    changed(memory[place], pod.resources().current().placed().memory(), sign);
            pods[place] += sign;
            movable[place] += staysWithNode(pod) ? 0 : sign;
        }
    }

    private static long changed(long sum, long amount, int sign) {
        return sign > 0 ? Arithmetic.SATURATING.add(sum, amount) : Arithmetic.SATURATING.subtract(sum, amount);
    }

    NodeLoads.Load load() {
        return new NodeLoads.Load(
                ImmutableLongArray.copyOf(cpu), ImmutableLongArray.copyOf(memory), ImmutableLongArray.copyOf(pods));
    }

    /** The loads of all nodes before and after. */
    NodeLoads loads(List<ClusterLoads> after) {
        List<Node> nodes = snapshot.nodes();
        return new NodeLoads(
                nodes.stream().map(Node::name).toList(),
                nodes.stream().map(node -> zone(node.zoneKey())).toList(),
                new NodeLoads.Load(
                        ImmutableLongArray.copyOf(nodes.stream()
                                .mapToLong(node -> node.allocatable().milliCpu())),
                        ImmutableLongArray.copyOf(nodes.stream()
                                .mapToLong(node -> node.allocatable().memory())),
                        ImmutableLongArray.copyOf(nodes.stream()
                                .mapToLong(node -> node.allocatable().pods()))),
                load(),
                after.stream().map(ClusterLoads::load).toList());
    }

    private static String zone(String zoneKey) {
        String text = zoneKey.replace(ZONE_SEPARATOR, "/");
        return text.startsWith("/") ? text.substring(1) : text;
    }

    /** The summary of this state, compared with the one before. */
    ClusterSummary summary(String name, int placed, int unplaced, ClusterLoads before) {
        List<String> emptied = new ArrayList<>();
        for (int i = 0; i < pods.length; i++) {
            if (movable[i] == 0 && before.movable[i] > 0) {
                emptied.add(snapshot.nodes().get(i).name());
            }
        }
        List<Sum> zones = new ArrayList<>(zones().values());
        return new ClusterSummary(
                name,
                placed,
                unplaced,
                balance(nodes()),
                balance(zones),
                zones.stream().map(Sum::zoneLoad).toList(),
                emptied);
    }

    private List<Sum> nodes() {
        List<Sum> sums = new ArrayList<>();
        for (int i = 0; i < pods.length; i++) {
            Sum sum = new Sum("");
            sum.add(i);
            sums.add(sum);
        }
        return sums;
    }

    private SortedMap<String, Sum> zones() {
        SortedMap<String, Sum> sums = new TreeMap<>();
        for (int i = 0; i < pods.length; i++) {
            sums.computeIfAbsent(zone(snapshot.nodes().get(i).zoneKey()), Sum::new)
                    .add(i);
        }
        return sums;
    }

    private static ClusterSummary.Balance balance(List<Sum> sums) {
        return new ClusterSummary.Balance(
                Spread.of(sums.stream()
                        .filter(sum -> sum.allocatableCpu > 0)
                        .mapToDouble(Sum::cpuShare)
                        .toArray()),
                Spread.of(sums.stream()
                        .filter(sum -> sum.allocatableMemory > 0)
                        .mapToDouble(Sum::memoryShare)
                        .toArray()),
                Spread.of(sums.stream().mapToDouble(sum -> sum.podCount).toArray()));
    }

    /** The sum of some nodes. */
    private final class Sum {
        private final String zone;
        private int nodes;
        private long requestedCpu;
        private long requestedMemory;
        private long allocatableCpu;
        private long allocatableMemory;
        private long podCount;

        Sum(String zone) {
            this.zone = zone;
        }

        void add(int place) {
            Node node = snapshot.nodes().get(place);
            nodes++;
            requestedCpu = Arithmetic.SATURATING.add(requestedCpu, cpu[place]);
            requestedMemory = Arithmetic.SATURATING.add(requestedMemory, memory[place]);
            podCount += pods[place];
            allocatableCpu =
                    Arithmetic.SATURATING.add(allocatableCpu, node.allocatable().milliCpu());
            allocatableMemory = Arithmetic.SATURATING.add(
                    allocatableMemory, node.allocatable().memory());
        }

        double cpuShare() {
            return allocatableCpu == 0 ? 0 : (double) requestedCpu / allocatableCpu;
        }

        double memoryShare() {
            return allocatableMemory == 0 ? 0 : (double) requestedMemory / allocatableMemory;
        }

        ClusterSummary.ZoneLoad zoneLoad() {
            return new ClusterSummary.ZoneLoad(zone, nodes, cpuShare(), memoryShare(), podCount);
        }
    }

    /**
     * The requests on each node, before and after. All lists and arrays have the order of {@code nodes}. CPU in milli-CPU, memory
     * in bytes.
     *
     * @param nodes names, in the order of the cluster
     * @param zones region and zone of each node, empty if it has none
     * @param allocatable of the nodes
     * @param before requests of pods at the beginning
     * @param after requests of pods at the end, for each scheduler
     */
    public record NodeLoads(List<String> nodes, List<String> zones, Load allocatable, Load before, List<Load> after) {
        public NodeLoads {
            nodes = ImmutableList.copyOf(nodes);
            zones = ImmutableList.copyOf(zones);
            after = ImmutableList.copyOf(after);
        }

        /** Amounts for each node; {@code pods} is the number of pods. */
        public record Load(ImmutableLongArray cpu, ImmutableLongArray memory, ImmutableLongArray pods) {}
    }

    /**
     * A cluster after a scheduler has placed its pods. Utilization is the ratio of requested to allocatable, from 0 to 1; nodes
     * without allocatable resources are ignored.
     *
     * @param name of the scheduler, or {@link #BEFORE}
     * @param placed pods that it placed
     * @param unplaced pods that it could not place
     * @param nodes over all nodes
     * @param zones over all zones, each as the sum of its nodes
     * @param zoneLoads each zone, by name
     * @param emptied nodes with only DaemonSet pods left that had others before
     */
    public record ClusterSummary(
            String name,
            int placed,
            int unplaced,
            Balance nodes,
            Balance zones,
            List<ZoneLoad> zoneLoads,
            List<String> emptied) {
        /** The name of the initial state. */
        public static final String BEFORE = "before";

        public ClusterSummary {
            zoneLoads = ImmutableList.copyOf(zoneLoads);
            emptied = ImmutableList.copyOf(emptied);
        }

        /** The distribution of utilization. */
        public record Balance(Spread cpu, Spread memory, Spread pods) {}

        /**
         * A zone.
         *
         * @param zone region and zone, empty for nodes without
         * @param cpu utilisation
         * @param memory utilisation
         */
        public record ZoneLoad(String zone, int nodes, double cpu, double memory, long pods) {}

        /**
         * The statistics of a list of values.
         *
         * @param mean 0 without values, like the others
         * @param deviation population standard deviation
         */
        public record Spread(double mean, double deviation, double min, double max) {
            /** The statistics of some values. */
            public static Spread of(double[] values) {
                if (values.length == 0) {
                    return new Spread(0, 0, 0, 0);
                }
                double sum = 0;
                double min = Double.POSITIVE_INFINITY;
                double max = Double.NEGATIVE_INFINITY;
                for (double value : values) {
                    sum += value;
                    min = Math.min(min, value);
                    max = Math.max(max, value);
                }
                double mean = sum / values.length;
                double squares = 0;
                for (double value : values) {
                    squares += (value - mean) * (value - mean);
                }
                return new Spread(mean, Math.sqrt(squares / values.length), min, max);
            }
        }
    }
}
