package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of one run over a window of time. Integrals over time are exact: the products of amounts and nanoseconds are added event
 * by event in 128 bits. Only the node balance is a sum of floating-point numbers.
 *
 * <p>{@code C}: allocatable resources of the nodes that are ready and not cordoned. {@code A}: requests of the pods that are bound and
 * have not ended.
 */
public final class RunMetrics {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_HOUR = 3600e9;
    private static final double MILLIS_PER_CORE = 1000;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double BYTES_PER_GIB = 1L << 30;
    private static final double MOST = 0.9;
    /** Jobs shorter than this count as this long in the bounded slowdown. */
    private static final long SHORT_JOB_NANOS = 10_000_000_000L;

    /** The times of a {@link WaitCurve}: these multiples, from 1 ms on, which divide a decade evenly on a logarithmic scale. */
    private static final int[] STEPS = {100, 125, 160, 200, 250, 315, 400, 500, 630, 800};

    private static final long FIRST_DECADE = 10_000;

    private static final int CPU = 0;
    private static final int MEMORY = 1;

    private final List<String> resources;
    private final long from;
    private final long to;
    private final ToDoubleFunction<Node> prices;
    private long now;

    private final Amount[] capacity;
    private final Amount[] allocated;
    private final Amount[] pending;
    private final Amount nodeCount = new Amount();
    /** Measured use in nanocores and bytes. */
    private final Amount[] used = amounts(2);

    private final Amount boundPods = new Amount();
    private final Amount measuredPods = new Amount();
    private final long[] above90;
    private final double[] highest;
    private long mostNodes;
    private long pendingPods;
    private @Nullable AtEnd atEnd;

    private final Map<String, NodeUse> nodes = new HashMap<>();
    private final double[] ratioSum = new double[2];
    private final double[] squareSum = new double[2];
    private final double[] deviation = new double[2];
    private double cost;
    private double emptyCost;
    private boolean priced;

    private final Map<String, Share> namespaces = new TreeMap<>();
    private final Waits waits = new Waits();
    private final Map<Integer, Waits> waitsByPriority = new TreeMap<>();
    private final Series slowdowns = new Series();
    private final Map<Count, Long> counts = new LinkedHashMap<>();
    private final Amount lostCpu = new Amount();
    private long comparedPods;
    private long sameNodes;
    private final Map<String, Replicas> owners = new HashMap<>();
    private final ReplicaTimes replicaTimes = new ReplicaTimes();
    private final List<RequestClass> classes;
    private final double[] wasted;
    private final double[] wastedIntegral;
    private final Amount[] free;
    /** Null without GPUs. */
    private final @Nullable GpuFragmentation gpus;

    private final boolean ownsGpus;
    private final Amount gpuFragmented = new Amount();
    private final Amount gpuFree = new Amount();
    private final Amount gpuTotal = new Amount();

    /** What is counted. */
    public enum Count {
        ARRIVED("pods.arrived"),
        PLACED("pods.placed"),
        FINISHED("pods.finished"),
        /** Pods that ended or were removed before they had a node. */
        GONE_PENDING("pods.removedPending"),
        PREEMPTED("disruption.preempted"),
        EVICTED("disruption.evicted"),
        NODE_LOST("disruption.nodeLost"),
        RESTARTED("disruption.restarted"),
        /** Pods that were preempted, evicted, or lost, and that no controller replaces. */
        LOST("disruption.lost"),
        NODES_STARTED("nodes.started"),
        NODES_STOPPED("nodes.stopped"),
        ATTEMPTS("attempts.all"),
        UNSCHEDULABLE("attempts.unschedulable");

        private final String key;

        Count(String key) {
            this.key = key;
        }

        /** Returns the name of its metric. */
        String key() {
            return key;
        }
    }

    /** An amount over time, and its exact integral. */
    static final class Amount {
        private long value;
        private long high;
        private long low;

        void set(long amount) {
            value = amount;
        }

        void add(long difference) {
            value += difference;
        }

        long value() {
            return value;
        }

        void pass(long nanos) {
            addProduct(value, nanos);
        }

        void addProduct(long amount, long nanos) {
            long lower = amount * nanos;
            long sum = low + lower;
            high += Math.multiplyHigh(amount, nanos) + (Long.compareUnsigned(sum, low) < 0 ? 1 : 0);
            low = sum;
        }

        /** Returns the integral, in units and nanoseconds. */
        BigInteger integral() {
            return BigInteger.valueOf(high).shiftLeft(Long.SIZE).add(new BigInteger(Long.toUnsignedString(low)));
        }

        double total() {
            return integral().doubleValue();
        }
    }

    /** A list of numbers. */
    static final class Series {
        private double[] values = new double[64];
        private int size;

        void add(double value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, size * 2);
            }
            values[size++] = value;
        }

        @Nullable
        Double mean() {
            double sum = 0;
            for (int i = 0; i < size; i++) {
                sum += values[i];
            }
            return size == 0 ? null : sum / size;
        }

        @Nullable
        Double quantile(double q) {
            if (size == 0) {
                return null;
            }
            double[] sorted = Arrays.copyOf(values, size);
            Arrays.sort(sorted);
            return sorted[(int) Math.max(0, Math.ceil(q * size) - 1)];
        }
    }

    /**
     * Times until pods are bound. Pods that are not bound are censored: the statistics are those of the Kaplan-Meier estimate, which
     * for a list without censored times are those of the list.
     */
    static final class Waits {
        private long[] bound = new long[64];
        private int boundCount;
        private long[] censored = new long[8];
        private int censoredCount;

        void bound(long nanos) {
            if (boundCount == bound.length) {
                bound = Arrays.copyOf(bound, boundCount * 2);
            }
            bound[boundCount++] = nanos;
        }

        void censored(long nanos) {
            if (censoredCount == censored.length) {
                censored = Arrays.copyOf(censored, censoredCount * 2);
            }
            censored[censoredCount++] = nanos;
        }

        /** The Kaplan-Meier estimate: the times at which pods were bound, one after the other. Not to be used while pods are added. */
        private final class Estimate {
            private int next;
            private int deleted;
            /** The current time. */
            private long nanos;
            /** The share of the pods that wait longer. */
            private double waiting = 1;

            Estimate() {
                Arrays.sort(bound, 0, boundCount);
                Arrays.sort(censored, 0, censoredCount);
            }

            /** Moves to the next time; returns false after the last one. */
            boolean advance() {
                if (next == boundCount) {
                    return false;
                }
                int first = next;
                nanos = bound[first];
                while (next < boundCount && bound[next] == nanos) {
                    next++;
                }
                while (deleted < censoredCount && censored[deleted] < nanos) {
                    deleted++;
                }
                // An estimate multiplies shares; without censored times the counts alone are exact.
                waiting = deleted == 0
                        ? (double) (boundCount + censoredCount - next) / (boundCount + censoredCount)
                        : waiting * (1 - (double) (next - first) / (boundCount - first + censoredCount - deleted));
                return true;
            }

            /** Returns the longest time of all pods; 0 without pods. */
            long longest() {
                return Math.max(
                        boundCount == 0 ? 0 : bound[boundCount - 1],
                        censoredCount == 0 ? 0 : censored[censoredCount - 1]);
            }
        }

        /** Adds mean and quantiles in seconds; null where the estimate never reaches the quantile. */
        void addTo(Map<String, @Nullable Double> values, String prefix) {
            double[] quantiles = {0.5, 0.95, 0.99};
            @Nullable Double[] found = new Double[quantiles.length];
            Estimate estimate = new Estimate();
            double area = 0;
            double before = 1;
            long last = 0;
            while (estimate.advance()) {
                area += before * (estimate.nanos - last);
                last = estimate.nanos;
                before = estimate.waiting;
                for (int q = 0; q < quantiles.length; q++) {
                    if (found[q] == null && 1 - before >= quantiles[q] - 1e-12) {
                        found[q] = last / NANOS_PER_SECOND;
                    }
                }
            }
            area += before * (estimate.longest() - last);
            boolean any = boundCount + censoredCount > 0;
            values.put(prefix + ".mean", any ? (Double) (area / NANOS_PER_SECOND) : null);
            values.put(prefix + ".p50", found[0]);
            values.put(prefix + ".p95", found[1]);
            values.put(prefix + ".p99", found[2]);
            values.put(prefix + ".max", any ? (Double) (estimate.longest() / NANOS_PER_SECOND) : null);
        }

        /** Returns the share of the pods that have a node after each of ten times per decade. */
        WaitCurve curve() {
            List<WaitShare> points = new ArrayList<>();
            Estimate estimate = new Estimate();
            boolean isBefore = estimate.advance();
            double share = 0;
            for (long decade = FIRST_DECADE; boundCount + censoredCount > 0; decade *= 10) {
                for (int step : STEPS) {
                    long nanos = decade * step;
                    while (isBefore && estimate.nanos <= nanos) {
                        share = 1 - estimate.waiting;
                        isBefore = estimate.advance();
                    }
                    if (share == 0) {
                        points.clear();
                    }
                    points.add(new WaitShare(nanos, share));
                    if (nanos >= estimate.longest()) {
                        return new WaitCurve(points, boundCount, censoredCount);
                    }
                }
            }
            return WaitCurve.NONE;
        }
    }

    /** The share of the pods, 0 to 1, that are bound at most {@code nanos} after their arrival. */
    public record WaitShare(long nanos, double share) {}

    /**
     * The cumulative distribution of the waits of the pods that arrive in the window. It is the Kaplan-Meier estimate whose quantiles are
     * the metrics {@code wait.p50} and so on: a pod without a node counts as one whose wait is longer than what was observed. Therefore, the
     * last share is less than 1 if pods without a node waited longest.
     *
     * @param points at ten times per decade in ascending order, from the last time with the share 0 to a time that no wait exceeds; empty
     *     without pods
     * @param bound pods that are bound in the window
     * @param open pods that are not
     */
    public record WaitCurve(List<WaitShare> points, int bound, int open) {
        static final WaitCurve NONE = new WaitCurve(List.of(), 0, 0);

        public WaitCurve {
            points = ImmutableList.copyOf(points);
        }
    }

    private static final class NodeUse {
        private final long[] capacity;
        private final long maxPods;
        private final String zone;
        private final long[] allocated;
        private final double price;
        private final boolean serves;
        /** See {@link #wasted(NodeUse, int)}, by resource. */
        private final double[] wasted;

        private int pods;
        private long since;

        NodeUse(long[] capacity, long maxPods, String zone, double price, boolean serves, long since) {
            this.capacity = capacity;
            this.maxPods = maxPods;
            this.zone = zone;
            this.allocated = new long[capacity.length];
            this.wasted = new double[capacity.length];
            this.price = price;
            this.serves = serves;
            this.since = since;
        }

        long free(int resource) {
            return Math.max(0, capacity[resource] - allocated[resource]);
        }

        double ratio(int resource) {
            return capacity[resource] == 0 ? 0 : (double) allocated[resource] / capacity[resource];
        }
    }

    /**
     * Pods with the same requests.
     *
     * @param requests in the order of {@link #resources()}
     * @param share fraction of the pods of all measured classes; the shares add up to 1
     */
    public record RequestClass(List<Long> requests, double share) {
        /** Classes beyond this number are rare, and each costs time at every event. */
        private static final int MOST = 100;

        private static final double COVERED = 0.95;

        public RequestClass {
            requests = ImmutableList.copyOf(requests);
        }

        /** Returns the most frequent classes, until they cover 95 % of the pods, at most 100; their shares add up to 1. */
        public static List<RequestClass> of(List<String> resources, Iterable<PodInfo> pods) {
            Map<List<Long>, Integer> counts = new HashMap<>();
            int all = 0;
            for (PodInfo pod : pods) {
                long[] amounts = amountsOf(resources, pod.resources().current().placed());
                counts.merge(Arrays.stream(amounts).boxed().toList(), 1, Integer::sum);
                all++;
            }
            List<Map.Entry<List<Long>, Integer>> sorted = new ArrayList<>(counts.entrySet());
            sorted.sort((a, b) -> {
                int order = Integer.compare(b.getValue(), a.getValue());
                for (int r = 0; order == 0 && r < resources.size(); r++) {
                    order = Long.compare(a.getKey().get(r), b.getKey().get(r));
                }
                return order;
            });
            int covered = 0;
            int used = 0;
            while (used < sorted.size() && used < MOST && covered < COVERED * all) {
                covered += sorted.get(used++).getValue();
            }
            List<RequestClass> classes = new ArrayList<>();
            for (Map.Entry<List<Long>, Integer> entry : sorted.subList(0, used)) {
                classes.add(new RequestClass(entry.getKey(), (double) entry.getValue() / covered));
            }
            return classes;
        }
    }

    /** The bound pods of one owner by node and zone. */
    private static final class Replicas {
        private final Map<String, Integer> byNode = new HashMap<>();
        private final Map<String, Integer> byZone = new HashMap<>();
        private int count;
        private long since;

        int most(Map<String, Integer> counts) {
            int most = 0;
            for (int each : counts.values()) {
                most = Math.max(most, each);
            }
            return most;
        }
    }

    /** Times of owners with two or more bound pods, in nanoseconds, added up over the owners. */
    private static final class ReplicaTimes {
        private final Amount all = new Amount();
        private final Amount inOneNode = new Amount();
        private final Amount inOneZone = new Amount();
        private double largestZone;
    }

    /** The state at the end of the window. */
    private record AtEnd(
            double[] shares,
            long pods,
            long[] pending,
            @Nullable Double gpuFragmented) {}

    private static final class Share {
        private final Amount allocated = new Amount();
        private final Amount pending = new Amount();
        private long since;
    }

    /**
     * Metrics over {@code [from, to)}, nanoseconds since the start.
     *
     * @param resources names of the resources, as of {@link #resourcesOf}
     * @param prices price of a node per hour; null if prices are unknown
     */
    public RunMetrics(List<String> resources, long from, long to, @Nullable ToDoubleFunction<Node> prices) {
        this(resources, from, to, prices, List.of(), null);
    }

    /**
     * The same with fragmentation.
     *
     * @param classes of the pods that are expected
     * @param gpus of an empty cluster; these metrics then keep it up to date. Null for none
     */
    RunMetrics(
            List<String> resources,
            long from,
            long to,
            @Nullable ToDoubleFunction<Node> prices,
            List<RequestClass> classes,
            @Nullable GpuFragmentation gpus) {
        this(resources, from, to, prices, classes, gpus, true);
    }

    /** Returns metrics of the same resources over another window; this object keeps the GPUs of both up to date. */
    RunMetrics over(long otherFrom, long otherTo) {
        return new RunMetrics(resources, otherFrom, otherTo, priced ? prices : null, classes, gpus, false);
    }

    private RunMetrics(
            List<String> resources,
            long from,
            long to,
            @Nullable ToDoubleFunction<Node> prices,
            List<RequestClass> classes,
            @Nullable GpuFragmentation gpus,
            boolean ownsGpus) {
        if (to < from) {
            throw new IllegalArgumentException("the window ends before it begins");
        }
        this.resources = ImmutableList.copyOf(resources);
        this.from = from;
        this.to = to;
        this.priced = prices != null;
        this.prices = prices == null ? node -> 0 : prices;
        int count = resources.size();
        this.capacity = amounts(count);
        this.allocated = amounts(count);
        this.pending = amounts(count);
        this.above90 = new long[count];
        this.highest = new double[count];
        this.classes = ImmutableList.copyOf(classes);
        this.wasted = new double[count];
        this.wastedIntegral = new double[count];
        this.free = amounts(count);
        this.gpus = gpus;
        this.ownsGpus = ownsGpus;
        for (Count each : Count.values()) {
            counts.put(each, 0L);
        }
    }

    private static Amount[] amounts(int count) {
        Amount[] amounts = new Amount[count];
        Arrays.setAll(amounts, i -> new Amount());
        return amounts;
    }

    /** Returns cpu, memory, and the extended resources of the nodes by name. */
    public static List<String> resourcesOf(List<Node> nodes) {
        SortedSet<String> scalars = new TreeSet<>();
        for (Node node : nodes) {
            for (int i = 0; i < node.allocatable().scalarCount(); i++) {
                String name = node.allocatable().scalarName(i);
                if (ResourceNames.isExtended(name)) {
                    scalars.add(name);
                }
            }
        }
        return ImmutableList.<String>builder()
                .add(ResourceNames.CPU, ResourceNames.MEMORY)
                .addAll(scalars)
                .build();
    }

    /** Returns the resources that are measured: cpu in millicores, memory in bytes, then others in units. */
    public List<String> resources() {
        return resources;
    }

    private long[] amountsOf(ResourceVector vector) {
        return amountsOf(resources, vector);
    }

    /** Returns the amounts of resources, cpu and memory first. */
    static long[] amountsOf(List<String> resources, ResourceVector vector) {
        long[] amounts = new long[resources.size()];
        amounts[CPU] = vector.milliCpu();
        amounts[MEMORY] = vector.memory();
        for (int i = 2; i < amounts.length; i++) {
            amounts[i] = vector.scalar(resources.get(i));
        }
        return amounts;
    }

    /** Returns the requests of a pod, in the order of {@link #resources()}. */
    long[] requestsOf(PodInfo pod) {
        return amountsOf(pod.resources().current().placed());
    }

    private boolean inWindow() {
        return now >= from && now < to;
    }

    private long clip(long nanos) {
        return Math.min(Math.max(nanos, from), to);
    }

    /** Lets time pass; what follows happens at this time. */
    public void advanceTo(long nanos) {
        if (nanos < now) {
            throw new IllegalArgumentException("time goes back from " + now + " to " + nanos);
        }
        long passed = clip(nanos) - clip(now);
        boolean ends = atEnd == null && nanos >= to;
        if (passed > 0) {
            for (int r = 0; r < resources.size(); r++) {
                double share = share(r);
                highest[r] = Math.max(highest[r], share);
                if (share > MOST) {
                    above90[r] += passed;
                }
                capacity[r].pass(passed);
                allocated[r].pass(passed);
                pending[r].pass(passed);
                free[r].pass(passed);
                wastedIntegral[r] += wasted[r] * passed;
            }
            for (Amount each : used) {
                each.pass(passed);
            }
            if (gpus != null) {
                gpuFragmented.addProduct(gpus.fragmented(), passed);
                gpuFree.addProduct(gpus.free(), passed);
                gpuTotal.addProduct(gpus.total(), passed);
            }
            boundPods.pass(passed);
            measuredPods.pass(passed);
            nodeCount.pass(passed);
            mostNodes = Math.max(mostNodes, nodeCount.value());
            for (int r = 0; r < 2; r++) {
                long serving = nodeCount.value();
                if (serving > 0) {
                    double mean = ratioSum[r] / serving;
                    deviation[r] += Math.sqrt(Math.max(0, squareSum[r] / serving - mean * mean)) * passed;
                }
            }
        }
        if (ends) {
            atEnd = state();
        }
        now = nanos;
    }

    private AtEnd state() {
        double[] shares = new double[resources.size()];
        Arrays.setAll(shares, this::share);
        return new AtEnd(
                shares,
                pendingPods,
                pendingNow(),
                gpus == null || gpus.total() == 0
                        ? null
                        : (Double) ((double) gpus.fragmented() / gpus.weights() / gpus.total()));
    }

    private double share(int resource) {
        long all = capacity[resource].value();
        return all == 0 ? 0 : (double) allocated[resource].value() / all;
    }

    /** Returns how much of each resource is allocated now. */
    public long[] allocatedNow() {
        return Arrays.stream(allocated).mapToLong(Amount::value).toArray();
    }

    /** Returns how much of each resource waits for a node now. */
    public long[] pendingNow() {
        return Arrays.stream(pending).mapToLong(Amount::value).toArray();
    }

    /** Adds or updates a node. */
    public void node(Node node) {
        NodeUse before = removeUse(node.name());
        boolean serves =
                !node.unschedulable() && !"False".equals(node.conditions().get("Ready"));
        NodeUse use = new NodeUse(
                amountsOf(node.allocatable()),
                node.allocatable().pods(),
                zone(node),
                prices.applyAsDouble(node),
                serves,
                now);
        nodes.put(node.name(), use);
        if (gpus != null && ownsGpus) {
            gpus.node(node, serves);
        }
        if (before != null) {
            System.arraycopy(before.allocated, 0, use.allocated, 0, use.allocated.length);
            use.pods = before.pods;
        }
        if (serves) {
            nodeCount.add(1);
            for (int r = 0; r < resources.size(); r++) {
                capacity[r].add(use.capacity[r]);
            }
            addRatios(use, 1);
            addFree(use, 1);
        }
    }

    /** Removes a node, whose pods have ended before. */
    public void nodeRemoved(String name) {
        removeUse(name);
        if (gpus != null && ownsGpus) {
            gpus.removed(name);
        }
    }

    private @Nullable NodeUse removeUse(String name) {
        NodeUse use = nodes.remove(name);
        if (use != null) {
            settle(use);
            if (use.serves) {
                nodeCount.add(-1);
                for (int r = 0; r < resources.size(); r++) {
                    capacity[r].add(-use.capacity[r]);
                }
                addRatios(use, -1);
                addFree(use, -1);
            }
        }
        return use;
    }

    private static String zone(Node node) {
        String zone = node.labels().getOrEmpty("topology.kubernetes.io/zone");
        return zone.isEmpty() ? node.labels().getOrEmpty("failure-domain.beta.kubernetes.io/zone") : zone;
    }

    /** Adds or removes what is free on a node, and how much of it an expected pod cannot use. */
    private void addFree(NodeUse use, int sign) {
        if (classes.isEmpty()) {
            return;
        }
        for (int r = 0; r < resources.size(); r++) {
            free[r].add(sign * use.free(r));
            if (sign > 0) {
                use.wasted[r] = wasted(use, r);
            }
            wasted[r] += sign * use.wasted[r];
        }
    }

    /**
     * Returns how much of a resource is left on a node when it is filled with pods of one class, as the mean over the classes that request
     * the resource; 0 if there is none.
     */
    private double wasted(NodeUse use, int resource) {
        double sum = 0;
        double shares = 0;
        for (int c = 0; c < classes.size(); c++) {
            List<Long> requests = classes.get(c).requests();
            long own = requests.get(resource);
            if (own == 0) {
                continue;
            }
            long copies = use.maxPods == 0 ? Long.MAX_VALUE : Math.max(0, use.maxPods - use.pods);
            for (int r = 0; r < requests.size(); r++) {
                if (requests.get(r) > 0) {
                    copies = Math.min(copies, use.free(r) / requests.get(r));
                }
            }
            sum += classes.get(c).share() * (use.free(resource) - copies * own);
            shares += classes.get(c).share();
        }
        return shares == 0 ? 0 : sum / shares;
    }

    private void addReplica(PodInfo pod, String node, @Nullable NodeUse use, int sign) {
        PodInfo.OwnerReference owner = pod.controller();
        if (owner == null) {
            return;
        }
        String key = pod.namespace() + "/" + owner.uid();
        Replicas replicas = owners.computeIfAbsent(key, any -> new Replicas());
        settle(replicas);
        replicas.count += sign;
        replicas.byNode.merge(node, sign, (a, b) -> a + b == 0 ? null : a + b);
        replicas.byZone.merge(use == null ? "" : use.zone, sign, (a, b) -> a + b == 0 ? null : a + b);
        if (replicas.count == 0) {
            owners.remove(key);
        }
    }

    private void settle(Replicas replicas) {
        long passed = clip(now) - clip(replicas.since);
        replicas.since = now;
        if (passed > 0 && replicas.count >= 2) {
            replicaTimes.all.addProduct(1, passed);
            int zone = replicas.most(replicas.byZone);
            if (replicas.most(replicas.byNode) == replicas.count) {
                replicaTimes.inOneNode.addProduct(1, passed);
            }
            if (zone == replicas.count) {
                replicaTimes.inOneZone.addProduct(1, passed);
            }
            replicaTimes.largestZone += (double) zone / replicas.count * passed;
        }
    }

    private void addRatios(NodeUse use, int sign) {
        for (int r = 0; r < 2; r++) {
            double ratio = use.ratio(r);
            ratioSum[r] += sign * ratio;
            squareSum[r] += sign * ratio * ratio;
        }
    }

    /** Adds the cost of a node since it was last added. */
    private void settle(NodeUse use) {
        double hours = (clip(now) - clip(use.since)) / NANOS_PER_HOUR;
        cost += use.price * hours;
        if (use.pods == 0) {
            emptyCost += use.price * hours;
        }
        use.since = now;
    }

    private Share share(String namespace) {
        Share share = namespaces.computeIfAbsent(namespace, key -> new Share());
        long passed = clip(now) - clip(share.since);
        share.allocated.pass(passed);
        share.pending.pass(passed);
        share.since = now;
        return share;
    }

    /** Counts something that happens now. */
    public void count(Count what) {
        if (inWindow()) {
            counts.merge(what, 1L, Long::sum);
        }
    }

    /** A pod arrives. */
    public void arrived(PodInfo pod) {
        count(Count.ARRIVED);
        addPending(pod, 1);
    }

    private void addPending(PodInfo pod, int sign) {
        pendingPods += sign;
        long[] requests = requestsOf(pod);
        for (int r = 0; r < requests.length; r++) {
            pending[r].add(sign * requests[r]);
        }
        share(pod.namespace()).pending.add(sign * requests[CPU]);
    }

    private void addAllocated(PodInfo pod, String node, int sign) {
        long[] requests = requestsOf(pod);
        NodeUse use = nodes.get(node);
        if (use != null) {
            settle(use);
            if (use.serves) {
                addRatios(use, -1);
                addFree(use, -1);
            }
        }
        if (gpus != null && ownsGpus) {
            gpus.pod(pod, node, sign);
        }
        boundPods.add(sign);
        addReplica(pod, node, use, sign);
        for (int r = 0; r < requests.length; r++) {
            allocated[r].add(sign * requests[r]);
            if (use != null) {
                use.allocated[r] += sign * requests[r];
            }
        }
        if (use != null) {
            use.pods += sign;
            if (use.serves) {
                addRatios(use, 1);
                addFree(use, 1);
            }
        }
        share(pod.namespace()).allocated.add(sign * requests[CPU]);
    }

    /** A pod waits already when the window begins. */
    public void waiting(PodInfo pod) {
        addPending(pod, 1);
    }

    /** A pod runs already when the run begins. */
    public void running(PodInfo pod) {
        addAllocated(pod, pod.nodeName(), 1);
    }

    /**
     * A pod is bound.
     *
     * @param arrived when it arrived, nanoseconds since the start
     */
    public void bound(PodInfo pod, String node, long arrived) {
        addPending(pod, -1);
        addAllocated(pod, node, 1);
        count(Count.PLACED);
        if (arrived >= from && arrived < to) {
            if (now < to) {
                waits.bound(now - arrived);
                byPriority(pod).bound(now - arrived);
            } else {
                waits.censored(to - arrived);
                byPriority(pod).censored(to - arrived);
            }
        }
    }

    private Waits byPriority(PodInfo pod) {
        return waitsByPriority.computeIfAbsent(pod.priority(), key -> new Waits());
    }

    /**
     * The measured use of bound pods changes by these differences.
     *
     * @param pods number of pods with a valid sample
     */
    public void used(long nanoCores, long bytes, int pods) {
        used[CPU].add(nanoCores);
        used[MEMORY].add(bytes);
        measuredPods.add(pods);
    }

    /** A pod is bound that ran somewhere in the recorded cluster. */
    public void compared(boolean sameNode) {
        if (inWindow()) {
            comparedPods++;
            sameNodes += sameNode ? 1 : 0;
        }
    }

    /** A pod without a node ends, is removed, or waits at the end of the run. */
    public void endedPending(PodInfo pod, long arrived) {
        addPending(pod, -1);
        if (arrived >= from && arrived < to) {
            waits.censored(clip(now) - arrived);
            byPriority(pod).censored(clip(now) - arrived);
        }
    }

    /** The requests of a pod, bound or not, are others. */
    public void updated(PodInfo before, PodInfo now) {
        if (now.nodeName().isEmpty()) {
            addPending(before, -1);
            addPending(now, 1);
        } else {
            addAllocated(before, now.nodeName(), -1);
            addAllocated(now, now.nodeName(), 1);
        }
    }

    /** A bound pod ends. */
    public void ended(PodInfo pod, String node) {
        addAllocated(pod, node, -1);
    }

    /** A pod of fixed work is finished. */
    public void finishedWork(long arrived, long runtime) {
        if (inWindow()) {
            slowdowns.add(Math.max(1, (double) (now - arrived) / Math.max(runtime, SHORT_JOB_NANOS)));
        }
    }

    /** A pod is stopped before its work is finished. */
    public void workLost(PodInfo pod, long started) {
        if (inWindow()) {
            lostCpu.addProduct(requestsOf(pod)[CPU], now - started);
        }
    }

    /**
     * Returns all metrics by name in a fixed order; null for a metric without a value. Must be called once, after the clock has passed
     * the end of the window and the pods that wait were reported by {@link #endedPending}.
     */
    public Map<String, @Nullable Double> values() {
        AtEnd last = atEnd == null ? state() : atEnd;
        Map<String, @Nullable Double> values = new LinkedHashMap<>();
        double span = to - from;
        for (int r = 0; r < resources.size(); r++) {
            String name = "allocation." + resources.get(r);
            double all = capacity[r].total();
            values.put(name + ".mean", all == 0 ? null : (Double) (allocated[r].total() / all));
            values.put(name + ".max", highest[r]);
            values.put(name + ".above90", span == 0 ? null : (Double) (above90[r] / span));
            values.put(name + ".end", last.shares()[r]);
        }
        for (int r = 0; r < used.length; r++) {
            double all = capacity[r].total() * (r == CPU ? NANOS_PER_MILLI : 1);
            boolean known = measuredPods.total() > 0 && all > 0;
            values.put("utilisation." + resources.get(r), known ? (Double) (used[r].total() / all) : null);
        }
        double bound = boundPods.total();
        values.put(
                "utilisation.measuredPods", measuredPods.total() > 0 ? (Double) (measuredPods.total() / bound) : null);
        waits.addTo(values, "wait");
        if (waitsByPriority.size() > 1) {
            waitsByPriority.forEach((priority, each) -> each.addTo(values, "wait.priority." + priority));
        }
        for (int r = 0; r < resources.size(); r++) {
            values.put("pending." + resources.get(r) + ".hours", hours(pending[r], r));
        }
        counts.forEach((count, number) -> {
            if (count.key.startsWith("pods.")) {
                values.put(count.key, (double) number);
            }
        });
        values.put("unplaced.pods", (double) last.pods());
        for (int r = 0; r < resources.size(); r++) {
            values.put("unplaced." + resources.get(r), last.pending()[r] / unit(r));
        }
        values.put("slowdown.mean", slowdowns.mean());
        values.put("slowdown.p95", slowdowns.quantile(0.95));
        nodes.values().forEach(this::settle);
        values.put("cost.total", priced ? (Double) cost : null);
        double coreHours = hours(allocated[CPU], CPU);
        values.put("cost.perCoreHour", priced && coreHours > 0 ? (Double) (cost / coreHours) : null);
        values.put("cost.emptyNodes", priced ? (Double) emptyCost : null);
        values.put("nodes.mean", span == 0 ? null : (Double) (nodeCount.total() / span));
        values.put("nodes.peak", (double) mostNodes);
        values.put("nodes.hours", nodeCount.total() / NANOS_PER_HOUR);
        counts.forEach((count, number) -> {
            if (!count.key.startsWith("pods.")) {
                values.put(count.key, (double) number);
            }
        });
        values.put("disruption.workLost.cpu.hours", hours(lostCpu, CPU));
        values.put("balance.cpu", span == 0 ? null : (Double) (deviation[CPU] / span));
        values.put("balance.memory", span == 0 ? null : (Double) (deviation[MEMORY] / span));
        values.put("fairness.namespaces", fairness());
        if (!classes.isEmpty()) {
            for (int r = 0; r < resources.size(); r++) {
                double all = free[r].total();
                values.put("frag." + resources.get(r), all == 0 ? null : (Double) (wastedIntegral[r] / all));
            }
        }
        if (gpus != null) {
            double weighted = gpuFragmented.total() / gpus.weights();
            values.put("frag.fgd", ratio(weighted, gpuTotal.total()));
            values.put("frag.fgd.ofFree", ratio(weighted, gpuFree.total()));
            values.put("frag.fgd.end", last.gpuFragmented());
        }
        owners.values().forEach(this::settle);
        double replicated = replicaTimes.all.total();
        boolean any = replicated > 0;
        values.put("spread.oneNode", any ? (Double) (replicaTimes.inOneNode.total() / replicated) : null);
        values.put("spread.oneZone", any ? (Double) (replicaTimes.inOneZone.total() / replicated) : null);
        values.put("spread.largestZone", any ? (Double) (replicaTimes.largestZone / replicated) : null);
        values.put("agreement.node", comparedPods == 0 ? null : (Double) ((double) sameNodes / comparedPods));
        return Collections.unmodifiableMap(values);
    }

    /** Returns the distribution of the waits, as {@link #values} does the other results. */
    WaitCurve waits() {
        return waits.curve();
    }

    private static @Nullable Double ratio(double part, double all) {
        return all == 0 ? null : (Double) (part / all);
    }

    private static double unit(int resource) {
        return resource == CPU ? MILLIS_PER_CORE : resource == MEMORY ? BYTES_PER_GIB : 1;
    }

    /** Core-hours, GiB-hours, or hours of units. */
    private static double hours(Amount amount, int resource) {
        return amount.total() / unit(resource) / NANOS_PER_HOUR;
    }

    /** Jain's index of the share of its requested CPU time that each namespace got; null without namespaces that request CPU. */
    private @Nullable Double fairness() {
        double sum = 0;
        double squares = 0;
        int count = 0;
        for (String namespace : namespaces.keySet()) {
            Share share = share(namespace);
            double requested = share.allocated.total() + share.pending.total();
            if (requested > 0) {
                double got = share.allocated.total() / requested;
                sum += got;
                squares += got * got;
                count++;
            }
        }
        return count == 0 ? null : squares == 0 ? (Double) 1.0 : (Double) (sum * sum / (count * squares));
    }
}
