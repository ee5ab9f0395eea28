package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.rules.data.ClusterCounts.CountDomain;
import io.policyscheduler.engine.rules.data.ClusterCounts.NodeCounter;
import io.policyscheduler.engine.rules.data.ClusterCounts.PodProperty;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the pods and nodes of a cluster, cached between attempts: the first query of an attempt counts the nodes that have
 * changed since the last one. Used by one thread.
 */
public final class CountTable {
    private final ClusterView cluster;
    private final Thread owner = Thread.currentThread();
    private final CountedNodes bySlot = new CountedNodes();
    private long seen;
    /** The counts while the node order repeats or omits a node, and their list of nodes. */
    private CountedNodes countsOfIncompleteOrder = new CountedNodes();

    private @Nullable List<NodeInfo> list;
    private long[] generations = new long[0];
    /** The counts of this attempt, null until the first query. */
    private @Nullable CountedNodes current;
    /** The number of pods and nodes in this attempt, negative until the first query. */
    private long size = -1;

    public CountTable(ClusterView cluster) {
        this.cluster = cluster;
    }

    ClusterView cluster() {
        return cluster;
    }

    /** True if this table can be used for an attempt on {@code view}. */
    public boolean serves(ClusterView view) {
        return view == cluster && owner == Thread.currentThread();
    }

    /** Starts an attempt: the cluster may have changed. */
    public void startAttempt() {
        current = null;
        size = -1;
        bySlot.startAttempt();
        countsOfIncompleteOrder.startAttempt();
    }

    /** The number of pods and nodes in this attempt: the charge for a count by a key that differs from node to node. */
    long size() {
        if (size < 0) {
            long sum = 0;
            for (NodeInfo node : cluster.nodes()) {
                sum += 1L + node.podCount();
            }
            size = sum;
        }
        return size;
    }

    /** The counts of this attempt. */
    CountedNodes counted() {
        CountedNodes known = current;
        if (known == null) {
            ClusterIndex index = cluster.index();
            known = index == null ? countsOfIncompleteOrder() : indexed(index);
            current = known;
        }
        return known;
    }

    private CountedNodes indexed(ClusterIndex index) {
        index.changedSince(seen, slot -> bySlot.set(slot, index.at(slot)));
        seen = index.generation();
        return bySlot;
    }

    private CountedNodes countsOfIncompleteOrder() {
        List<NodeInfo> nodes = cluster.nodes();
        if (list != nodes) {
            list = nodes;
            countsOfIncompleteOrder = new CountedNodes();
            generations = new long[nodes.size()];
        }
        for (int i = 0; i < generations.length; i++) {
            NodeInfo node = nodes.get(i);
            // Generations start at 1.
            if (generations[i] != node.generation()) {
                generations[i] = node.generation();
                countsOfIncompleteOrder.set(i, node);
            }
        }
        return countsOfIncompleteOrder;
    }

    /**
     * Counters over numbered nodes, updated by the differences of changed nodes. There is one counter for each property and domain,
     * with all values.
     *
     * <p>Keys can come from pods, so their number is unbounded. A key that only one attempt uses has no counter: it is counted from
     * {@link LabelPods}, an index of all keys. Mutable, used by one thread.
     */
    static final class CountedNodes {
        private static final PodInfo[] NO_PODS = new PodInfo[0];
        private static final String CLUSTER = "";

        /** Counters that are created on first use: more than the keys in a rule. */
        private static final int FIRST_COUNTERS = 8;
        /** The maximum for pods, and likewise for nodes. Each costs a step for each change of a pod or node. */
        private static final int MAX_COUNTERS = 32;
        /** The number of attempts after which an unused counter is dropped. */
        private static final int UNUSED = 64;
        /** The maximum number of remembered keys without a counter; the second attempt with the same key creates one. */
        private static final int MAX_SEEN = 64;
        /** The maximum number of cells in the counters of one attempt. */
        private static final long MAX_CELLS = 1_000_000;

        private static final int MAX_OF_ATTEMPT = 4_096;

        private record PodsKey(CountDomain kind, String topologyKey, PodProperty property) {
            boolean is(CountDomain otherKind, String otherKey, PodProperty otherProperty) {
                return kind == otherKind && same(topologyKey, otherKey) && same(property, otherProperty);
            }
        }

        private static final class Pods {
            final PodsKey key;
            final PodCounter counter = new PodCounter();
            long queries;

            Pods(PodsKey key) {
                this.key = key;
            }
        }

        private static final class Nodes {
            final String key;
            final NodeCounter counter = new NodeCounter();
            long queries;

            Nodes(String key) {
                this.key = key;
            }
        }

        private @Nullable Labels[] labels = new Labels[0];
        private PodInfo[][] pods = new PodInfo[0][];
        private final List<Pods> podCounters = new ArrayList<>(2);
        private final List<Nodes> nodeCounters = new ArrayList<>(2);
        private final Map<Object, Long> seen = new LinkedHashMap<>();
        private long attempt;
        private long visited;
        /** All keys of pods and of nodes, null until first used. */
        private @Nullable LabelPods podKeys;

        private @Nullable Map<String, NodeCounter> nodeKeys;
        /** Counters of keys without a permanent one, until a pod or node changes. */
        private final Map<PodsKey, PodCounter> ofAttempt = new HashMap<>();

        private long cellsOfAttempt;
        private final PodCounter noPods = new PodCounter();
        private final NodeCounter noNodes = new NodeCounter();

        /** Compared by identity first, because labels in rules are mostly constants. */
        @SuppressWarnings("ReferenceEquality") // followed by equals
        private static boolean same(Object one, Object other) {
            return one == other || one.equals(other);
        }

        /** The number of visited pods and nodes; for tests. */
        long visited() {
            return visited;
        }

        /** The number of cached counters; for tests. */
        int counters() {
            return podCounters.size() + nodeCounters.size();
        }

        /** The number of cells; for tests. */
        long cells() {
            return podCounters.stream().mapToLong(pods -> pods.counter.cells()).sum();
        }

        /** Starts an attempt. */
        void startAttempt() {
            attempt++;
            podCounters.removeIf(pods -> pods.queries < attempt - UNUSED);
            nodeCounters.removeIf(nodes -> nodes.queries < attempt - UNUSED);
        }

        /** Whether a key gets a counter now. */
        private boolean isAdmitted(int counters, Object key) {
            if (counters < FIRST_COUNTERS) {
                return true;
            }
            Long before = seen.get(key);
            if (before != null && before < attempt) {
                return counters < MAX_COUNTERS;
            }
            if (before == null) {
                if (seen.size() >= MAX_SEEN) {
                    seen.remove(seen.keySet().iterator().next());
                }
                seen.put(key, attempt);
            }
            return false;
        }

        /** Updates the node at a position; null for no node. */
        void set(int position, @Nullable NodeInfo node) {
            grow(position + 1);
            Labels before = labels[position];
            Labels now = node == null ? null : node.node().labels();
            if (before == null && now == null) {
                return;
            }
            boolean unmoved = before != null && now != null && before.equals(now);
            if (!unmoved) {
                if (before != null) {
                    each(pods[position], pod -> count(position, before, pod, -1));
                    pods[position] = NO_PODS;
                    count(before, -1);
                }
                labels[position] = now;
                if (now == null) {
                    return;
                }
                count(now, 1);
            }
            if (node != null && now != null) {
                pods(position, now, node);
            }
        }

        private void grow(int size) {
            if (labels.length < size) {
                int old = labels.length;
                int length = Math.max(size, old * 2);
                labels = Arrays.copyOf(labels, length);
                pods = Arrays.copyOf(pods, length);
                Arrays.fill(pods, old, length, NO_PODS);
            }
        }

        /** When a pod is added or removed, nearly all others keep their index. */
        @SuppressWarnings("ReferenceEquality") // a changed pod is another object
        private void pods(int position, Labels of, NodeInfo node) {
            PodInfo[] before = pods[position];
            PodInfo[] now = new PodInfo[node.podCount()];
            for (int i = 0; i < Math.max(before.length, now.length); i++) {
                PodInfo removed = i < before.length ? before[i] : null;
                PodInfo come = i < now.length ? node.pod(i) : null;
                if (come != null) {
                    now[i] = come;
                }
                if (removed != come) {
                    if (removed != null) {
                        count(position, of, removed, -1);
                    }
                    if (come != null) {
                        count(position, of, come, 1);
                    }
                }
            }
            pods[position] = now;
        }

        private static void each(PodInfo[] pods, Consumer<PodInfo> action) {
            for (PodInfo pod : pods) {
                action.accept(pod);
            }
        }

        private void count(Labels of, int sign) {
            dropCountersOfAttempt();
            if (nodeKeys != null) {
                count(nodeKeys, of, sign);
            }
            for (int i = 0; i < nodeCounters.size(); i++) {
                count(nodeCounters.get(i), of, sign);
            }
        }

        private void count(Nodes nodes, Labels of, int sign) {
            visited++;
            String value = of.get(nodes.key);
            if (value != null) {
                nodes.counter.add(value, sign);
            }
        }

        private void count(Map<String, NodeCounter> all, Labels of, int sign) {
            for (int i = 0; i < of.size(); i++) {
                visited++;
                NodeCounter counter = all.computeIfAbsent(of.key(i), unused -> new NodeCounter());
                counter.add(of.value(i), sign);
                if (counter.all() == 0) {
                    all.remove(of.key(i));
                }
            }
        }

        private void dropCountersOfAttempt() {
            ofAttempt.clear();
            cellsOfAttempt = 0;
        }

        private void count(int position, Labels of, PodInfo pod, int sign) {
            dropCountersOfAttempt();
            if (podKeys != null) {
                visited += podKeys.count(position, pod, sign);
            }
            for (int i = 0; i < podCounters.size(); i++) {
                count(podCounters.get(i), position, of, pod, sign);
            }
        }

        private void count(Pods asking, int position, Labels of, PodInfo pod, int sign) {
            count(asking.key, asking.counter, position, of, pod, sign);
        }

        private void count(PodsKey key, PodCounter counter, int position, Labels of, PodInfo pod, int sign) {
            visited++;
            String value = key.property().of(pod);
            Object domain = value == null ? null : domain(key, position, of);
            if (value != null && domain != null) {
                counter.add(domain, value, sign);
            }
        }

        private static @Nullable Object domain(PodsKey asking, int position, Labels of) {
            return switch (asking.kind()) {
                case CLUSTER -> CLUSTER;
                case NODE -> position;
                case TOPOLOGY -> of.get(asking.topologyKey());
            };
        }

        /**
         * The counter of a property.
         *
         * @param topologyKey of topology domains, empty for other domains
         */
        PodCounter pods(CountDomain kind, String topologyKey, PodProperty property) {
            for (int i = 0; i < podCounters.size(); i++) {
                Pods known = podCounters.get(i);
                if (known.key.is(kind, topologyKey, property)) {
                    known.queries = attempt;
                    return known.counter;
                }
            }
            PodsKey key = new PodsKey(kind, topologyKey, property);
            if (!isAdmitted(podCounters.size(), key)) {
                return podsOfAnyKey(kind, topologyKey, property);
            }
            Pods made = new Pods(key);
            countAll(key, made.counter);
            podCounters.add(made);
            made.queries = attempt;
            return made.counter;
        }

        private void countAll(PodsKey key, PodCounter into) {
            for (int position = 0; position < labels.length; position++) {
                Labels of = labels[position];
                for (int i = 0; of != null && i < pods[position].length; i++) {
                    count(key, into, position, of, pods[position][i], 1);
                }
            }
        }

        /** The same for a key that differs between nodes, elements, or pods; it gets no counter. */
        PodCounter podsOfAnyKey(CountDomain kind, String topologyKey, PodProperty property) {
            visited++;
            if (kind == CountDomain.TOPOLOGY && nodesOfAnyKey(topologyKey).all() == 0) {
                return noPods;
            }
            PodsKey key = new PodsKey(kind, topologyKey, property);
            PodCounter known = ofAttempt.get(key);
            if (known != null) {
                return known;
            }
            PodCounter made = new PodCounter();
            if (property.kind() == PodProperty.Kind.LABEL) {
                LabelPods.KeyPods found = podKeys().of(property.label());
                if (found == null) {
                    return noPods;
                }
                for (int i = 0; i < found.size; i++) {
                    int position = found.positions[i];
                    Labels of = labels[position];
                    if (of != null) {
                        count(key, made, position, of, found.pods[i], 1);
                    }
                }
            } else {
                countAll(key, made);
            }
            long cells = made.cells();
            if (cellsOfAttempt + cells > MAX_CELLS || ofAttempt.size() >= MAX_OF_ATTEMPT) {
                dropCountersOfAttempt();
            }
            cellsOfAttempt += cells;
            ofAttempt.put(key, made);
            return made;
        }

        private LabelPods podKeys() {
            LabelPods known = podKeys;
            if (known == null) {
                known = new LabelPods();
                for (int position = 0; position < labels.length; position++) {
                    for (int i = 0; labels[position] != null && i < pods[position].length; i++) {
                        visited += known.count(position, pods[position][i], 1);
                    }
                }
                podKeys = known;
            }
            return known;
        }

        /** The counter of a node label. */
        NodeCounter nodes(String key) {
            for (int i = 0; i < nodeCounters.size(); i++) {
                Nodes known = nodeCounters.get(i);
                if (same(known.key, key)) {
                    known.queries = attempt;
                    return known.counter;
                }
            }
            if (!isAdmitted(nodeCounters.size(), key)) {
                return nodesOfAnyKey(key);
            }
            Nodes made = new Nodes(key);
            for (Labels of : labels) {
                if (of != null) {
                    count(made, of, 1);
                }
            }
            nodeCounters.add(made);
            made.queries = attempt;
            return made.counter;
        }

        /** The same for a key that differs between nodes, elements, or pods; it gets no counter. */
        NodeCounter nodesOfAnyKey(String key) {
            visited++;
            Map<String, NodeCounter> known = nodeKeys;
            if (known == null) {
                known = new HashMap<>();
                for (Labels of : labels) {
                    if (of != null) {
                        count(known, of, 1);
                    }
                }
                nodeKeys = known;
            }
            return known.getOrDefault(key, noNodes);
        }
    }

    /** The pods by label key, with one entry for each label of a pod. Mutable, used by one thread. */
    private static final class LabelPods {
        /** The pods with a key, unordered. */
        static final class KeyPods {
            PodInfo[] pods = new PodInfo[1];
            int[] positions = new int[1];
            int size;

            void add(int position, PodInfo pod) {
                if (size == positions.length) {
                    pods = Arrays.copyOf(pods, 2 * size);
                    positions = Arrays.copyOf(positions, 2 * size);
                }
                pods[size] = pod;
                positions[size] = position;
                size++;
            }

            @SuppressWarnings("ReferenceEquality") // a changed pod is another object
            void remove(int position, PodInfo pod) {
                for (int i = size - 1; i >= 0; i--) {
                    if (pods[i] == pod && positions[i] == position) {
                        size--;
                        pods[i] = pods[size];
                        positions[i] = positions[size];
                        return;
                    }
                }
            }
        }

        private final Map<String, KeyPods> byKey = new HashMap<>();

        /** Adds the labels of a pod, or subtracts them with a negative sign. Returns their number. */
        int count(int position, PodInfo pod, int sign) {
            Labels of = pod.labels();
            for (int i = 0; i < of.size(); i++) {
                KeyPods found = byKey.computeIfAbsent(of.key(i), unused -> new KeyPods());
                if (sign > 0) {
                    found.add(position, pod);
                } else {
                    found.remove(position, pod);
                    if (found.size == 0) {
                        byKey.remove(of.key(i));
                    }
                }
            }
            return of.size();
        }

        @Nullable
        KeyPods of(String key) {
            return byKey.get(key);
        }
    }

    /**
     * The number of pods by value of one property and domain. Has as many cells as distinct values in distinct domains, so at most
     * the number of pods. Mutable, used by one thread.
     */
    static final class PodCounter {
        private static final long[] UNSORTED = new long[0];

        private static final class Cell {
            long pods;
        }

        /** The pods with one value, by domain. */
        private static final class OfValue {
            final Map<Object, Cell> byDomain = new HashMap<>();
            long pods;
            /** The numbers in ascending order, computed lazily. */
            long[] sorted = UNSORTED;
        }

        private final Map<String, OfValue> byValue = new HashMap<>();
        private long all;

        /**
         * Adds pods, or subtracts them with a negative number.
         *
         * @param domain the topology value, number of the node, or any object for the whole cluster
         */
        void add(Object domain, String value, long pods) {
            OfValue of = byValue.computeIfAbsent(value, unused -> new OfValue());
            Cell cell = of.byDomain.computeIfAbsent(domain, unused -> new Cell());
            cell.pods += pods;
            of.pods += pods;
            all += pods;
            of.sorted = UNSORTED;
            if (cell.pods == 0) {
                of.byDomain.remove(domain);
                if (of.byDomain.isEmpty()) {
                    byValue.remove(value);
                }
            }
        }

        /** The number of pods with a value in all domains; a null value matches any. */
        long pods(@Nullable String value) {
            if (value == null) {
                return all;
            }
            OfValue of = byValue.get(value);
            return of == null ? 0 : of.pods;
        }

        /** The number of pods with a value in one domain. */
        long at(Object domain, String value) {
            OfValue of = byValue.get(value);
            Cell cell = of == null ? null : of.byDomain.get(domain);
            return cell == null ? 0 : cell.pods;
        }

        /** The number of cells; for tests. */
        long cells() {
            return byValue.values().stream().mapToLong(of -> of.byDomain.size()).sum();
        }

        /**
         * The smallest or greatest number of pods with a value in a domain, with changes in some domains.
         *
         * @param changed numbers to add in some domains, all of which are included in {@code places}
         */
        long extreme(boolean smallest, String value, long places, Map<String, Long> changed) {
            OfValue of = byValue.get(value);
            long[] known = of == null ? UNSORTED : sorted(of);
            if (changed.isEmpty()) {
                return unchanged(smallest, known, UNSORTED, places > known.length);
            }
            long[] left = changed.keySet().stream()
                    .mapToLong(domain -> at(domain, value))
                    .toArray();
            long without = places
                    - known.length
                    - Arrays.stream(left).filter(pods -> pods == 0).count();
            long best = unchanged(smallest, known, left, without > 0);
            for (Map.Entry<String, Long> change : changed.entrySet()) {
                long pods = at(change.getKey(), value) + change.getValue();
                best = smallest ? Math.min(best, pods) : Math.max(best, pods);
            }
            return best;
        }

        /** The same for the unchanged domains; {@code left} contains the numbers of the others. */
        private static long unchanged(boolean smallest, long[] known, long[] left, boolean emptyPlace) {
            if (smallest && emptyPlace) {
                return 0;
            }
            List<Long> out = new ArrayList<>(left.length);
            for (long pods : left) {
                out.add(pods);
            }
            for (int i = 0; i < known.length; i++) {
                long pods = smallest ? known[i] : known[known.length - 1 - i];
                if (!out.remove((Long) pods)) {
                    return pods;
                }
            }
            return smallest ? Long.MAX_VALUE : 0;
        }

        private static long[] sorted(OfValue of) {
            if (of.sorted.length == 0) {
                of.sorted = of.byDomain.values().stream()
                        .mapToLong(cell -> cell.pods)
                        .sorted()
                        .toArray();
            }
            return of.sorted;
        }
    }
}
