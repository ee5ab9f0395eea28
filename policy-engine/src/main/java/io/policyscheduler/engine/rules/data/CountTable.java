package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.rules.data.ClusterCounts.NodeTally;
import io.policyscheduler.engine.rules.data.ClusterCounts.Place;
import io.policyscheduler.engine.rules.data.ClusterCounts.Trait;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the pods and nodes of a cluster, kept from attempt to attempt: an attempt that asks first counts the nodes that
 * have changed since the last one, and only those where the cluster knows which. Used by one thread.
 */
public final class CountTable {
    private final ClusterView cluster;
    private final Thread owner = Thread.currentThread();
    private final CountedNodes bySlot = new CountedNodes();
    private long seen;
    /** What is counted while the order of nodes names one twice or leaves one out, and the list that it is made of. */
    private CountedNodes walked = new CountedNodes();

    private @Nullable List<NodeInfo> list;
    private long[] generations = new long[0];
    /** What this attempt looks at, null until it asks. */
    private @Nullable CountedNodes current;

    public CountTable(ClusterView cluster) {
        this.cluster = cluster;
    }

    ClusterView cluster() {
        return cluster;
    }

    /** True when the caller may use this table for an attempt on {@code view}. */
    public boolean serves(ClusterView view) {
        return view == cluster && owner == Thread.currentThread();
    }

    /** Starts an attempt: the cluster may have changed since the one before. */
    public void startAttempt() {
        current = null;
        bySlot.forget();
        walked.forget();
    }

    /** The counts as they are in this attempt. */
    CountedNodes counted() {
        CountedNodes known = current;
        if (known == null) {
            ClusterIndex index = cluster.index();
            known = index == null ? walked() : indexed(index);
            current = known;
        }
        return known;
    }

    private CountedNodes indexed(ClusterIndex index) {
        index.changedSince(seen, slot -> bySlot.set(slot, index.at(slot)));
        seen = index.generation();
        return bySlot;
    }

    private CountedNodes walked() {
        List<NodeInfo> nodes = cluster.nodes();
        if (list != nodes) {
            list = nodes;
            walked = new CountedNodes();
            generations = new long[nodes.size()];
        }
        for (int i = 0; i < generations.length; i++) {
            NodeInfo node = nodes.get(i);
            // Generations start at 1.
            if (generations[i] != node.generation()) {
                generations[i] = node.generation();
                walked.set(i, node);
            }
        }
        return walked;
    }

    /**
     * Tallies over nodes that stand at numbered positions, and what they were made of, so that a node that has changed is counted
     * again by its differences. There is one tally for each trait and kind of place that is asked about, whatever the values.
     * Mutable, used by one thread.
     */
    static final class CountedNodes {
        private static final PodInfo[] NO_PODS = new PodInfo[0];
        private static final String CLUSTER = "";

        /** More tallies than this are only kept when the last attempt asked for them: keys may come from pods, without end. */
        private static final int MAX_TALLIES = 32;

        private record Pods(Place kind, String topologyKey, Trait trait, PodTally tally) {
            boolean is(Place otherKind, String otherKey, Trait otherTrait) {
                return kind == otherKind && same(topologyKey, otherKey) && same(trait, otherTrait);
            }
        }

        private record Nodes(String key, NodeTally tally) {}

        private @Nullable Labels[] labels = new Labels[0];
        private PodInfo[][] pods = new PodInfo[0][];
        private final List<Pods> podTallies = new ArrayList<>(2);
        private final List<Nodes> nodeTallies = new ArrayList<>(2);
        private final List<Object> asked = new ArrayList<>();
        private long visited;

        /** Labels in rules are mostly constants, so that it is mostly the same object. */
        @SuppressWarnings("ReferenceEquality") // followed by equals
        private static boolean same(Object one, Object other) {
            return one == other || one.equals(other);
        }

        /** Pods and nodes looked at so far; for tests. */
        long visited() {
            return visited;
        }

        /** Tallies that are kept; for tests. */
        int tallies() {
            return podTallies.size() + nodeTallies.size();
        }

        /** Values at places that are held; for tests. */
        long cells() {
            return podTallies.stream().mapToLong(pods -> pods.tally().cells()).sum();
        }

        /** Starts an attempt. */
        void forget() {
            if (tallies() > MAX_TALLIES) {
                podTallies.removeIf(pods -> !asked.contains(pods.tally()));
                nodeTallies.removeIf(nodes -> !asked.contains(nodes.tally()));
            }
            asked.clear();
        }

        /** Notes what is on the node at a position now; null for no node. */
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

        /** A pod that comes or goes leaves nearly all others at their index. */
        @SuppressWarnings("ReferenceEquality") // a pod that changes is another object
        private void pods(int position, Labels of, NodeInfo node) {
            PodInfo[] before = pods[position];
            PodInfo[] now = new PodInfo[node.podCount()];
            for (int i = 0; i < Math.max(before.length, now.length); i++) {
                PodInfo gone = i < before.length ? before[i] : null;
                PodInfo come = i < now.length ? node.pod(i) : null;
                if (come != null) {
                    now[i] = come;
                }
                if (gone != come) {
                    if (gone != null) {
                        count(position, of, gone, -1);
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
            for (int i = 0; i < nodeTallies.size(); i++) {
                count(nodeTallies.get(i), of, sign);
            }
        }

        private void count(Nodes nodes, Labels of, int sign) {
            visited++;
            String value = of.get(nodes.key());
            if (value != null) {
                nodes.tally().add(value, sign);
            }
        }

        private void count(int position, Labels of, PodInfo pod, int sign) {
            for (int i = 0; i < podTallies.size(); i++) {
                count(podTallies.get(i), position, of, pod, sign);
            }
        }

        private void count(Pods asking, int position, Labels of, PodInfo pod, int sign) {
            visited++;
            String value = asking.trait().of(pod);
            Object place = value == null ? null : place(asking, position, of);
            if (value != null && place != null) {
                asking.tally().add(place, value, sign);
            }
        }

        private static @Nullable Object place(Pods asking, int position, Labels of) {
            return switch (asking.kind()) {
                case CLUSTER -> CLUSTER;
                case NODE -> position;
                case TOPOLOGY -> of.get(asking.topologyKey());
            };
        }

        /**
         * The tally of a trait.
         *
         * @param topologyKey what a topology is told by, empty for other kinds of place
         */
        PodTally pods(Place kind, String topologyKey, Trait trait) {
            for (int i = 0; i < podTallies.size(); i++) {
                Pods known = podTallies.get(i);
                if (known.is(kind, topologyKey, trait)) {
                    return note(known.tally());
                }
            }
            Pods made = new Pods(kind, topologyKey, trait, new PodTally());
            for (int position = 0; position < labels.length; position++) {
                Labels of = labels[position];
                for (int i = 0; of != null && i < pods[position].length; i++) {
                    count(made, position, of, pods[position][i], 1);
                }
            }
            podTallies.add(made);
            return note(made.tally());
        }

        /** The tally of a node label. */
        NodeTally nodes(String key) {
            for (int i = 0; i < nodeTallies.size(); i++) {
                Nodes known = nodeTallies.get(i);
                if (same(known.key(), key)) {
                    return note(known.tally());
                }
            }
            Nodes made = new Nodes(key, new NodeTally());
            for (Labels of : labels) {
                if (of != null) {
                    count(made, of, 1);
                }
            }
            nodeTallies.add(made);
            return note(made.tally());
        }

        private <T> T note(T tally) {
            if (tallies() > MAX_TALLIES && !asked.contains(tally)) {
                asked.add(tally);
            }
            return tally;
        }
    }

    /**
     * The number of pods for each value of one trait and each place: one answers every question about that trait and kind of place.
     * Holds as many cells as there are different values at different places, so never more than pods. Mutable, used by one thread.
     */
    static final class PodTally {
        private static final long[] UNSORTED = new long[0];

        private static final class Cell {
            long pods;
        }

        /** The pods with one value, by place. */
        private static final class OfValue {
            final Map<Object, Cell> byPlace = new HashMap<>();
            long pods;
            /** The numbers in ascending order, made when they are asked for. */
            long[] sorted = UNSORTED;
        }

        private final Map<String, OfValue> byValue = new HashMap<>();
        private long all;

        /**
         * Counts pods in, or out with a negative number.
         *
         * @param place name of the topology value, number of the node, or anything for the whole cluster
         */
        void add(Object place, String value, long pods) {
            OfValue of = byValue.computeIfAbsent(value, unused -> new OfValue());
            Cell cell = of.byPlace.computeIfAbsent(place, unused -> new Cell());
            cell.pods += pods;
            of.pods += pods;
            all += pods;
            of.sorted = UNSORTED;
            if (cell.pods == 0) {
                of.byPlace.remove(place);
                if (of.byPlace.isEmpty()) {
                    byValue.remove(value);
                }
            }
        }

        /** Pods with a value at all places; a null value stands for any. */
        long pods(@Nullable String value) {
            if (value == null) {
                return all;
            }
            OfValue of = byValue.get(value);
            return of == null ? 0 : of.pods;
        }

        /** Pods with a value at one place. */
        long at(Object place, String value) {
            OfValue of = byValue.get(value);
            Cell cell = of == null ? null : of.byPlace.get(place);
            return cell == null ? 0 : cell.pods;
        }

        /** Number of values and places that are held; for tests. */
        long cells() {
            return byValue.values().stream().mapToLong(of -> of.byPlace.size()).sum();
        }

        /**
         * The smallest number of pods with a value at one of so many places, and the greatest; with some places counted otherwise.
         *
         * @param changed numbers to add at some places, all of which are among the places
         */
        long extreme(boolean smallest, String value, long places, Map<String, Long> changed) {
            OfValue of = byValue.get(value);
            long[] known = of == null ? UNSORTED : sorted(of);
            if (changed.isEmpty()) {
                return unchanged(smallest, known, UNSORTED, places > known.length);
            }
            long[] left = changed.keySet().stream()
                    .mapToLong(place -> at(place, value))
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

        /** The same over the places that are not changed; the numbers of the others stand in {@code left}. */
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
                of.sorted = of.byPlace.values().stream()
                        .mapToLong(cell -> cell.pods)
                        .sorted()
                        .toArray();
            }
            return of.sorted;
        }
    }
}
