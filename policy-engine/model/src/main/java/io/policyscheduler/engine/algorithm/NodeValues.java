package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A map from node names to values, sorted by name. Immutable. Based on arrays, to save the objects of a tree map. */
public final class NodeValues extends AbstractMap<String, Long> {
    /** Sorts values of the same nodes, repeatedly. */
    public static final class Order {
        /** If at least one of this many nodes of the cluster is sorted, iterating over all ranks is faster than sorting. */
        private static final int SPARSE = 8;

        private final String[] names;
        /** By sorted name, the index in the list of nodes. */
        private final int[] places;

        /**
         * An order for values of these nodes, whose names differ.
         *
         * @param index of the cluster of the nodes, which has the order of names; null to sort the names
         */
        public Order(List<NodeInfo> nodes, @Nullable ClusterIndex index) {
            names = new String[nodes.size()];
            int[] known = index == null ? null : placesByRank(nodes, index);
            places = known == null ? placesByName(nodes) : known;
            for (int i = 0; i < places.length; i++) {
                names[i] = nodes.get(places[i]).name();
            }
        }

        /** The sorted names. */
        List<String> names() {
            return List.of(names);
        }

        private static int[] placesByName(List<NodeInfo> nodes) {
            Integer[] sorted = new Integer[nodes.size()];
            Arrays.setAll(sorted, i -> i);
            Arrays.sort(sorted, Comparator.comparing(i -> nodes.get(i).name()));
            return Arrays.stream(sorted).mapToInt(Integer::intValue).toArray();
        }

        /** Sorts by ranks instead of names, because this runs for every reported pod. Null if a node is not in the index. */
        private static int @Nullable [] placesByRank(List<NodeInfo> nodes, ClusterIndex index) {
            int[] ranks = index.nameRanks();
            int[] ranked = new int[nodes.size()];
            for (int i = 0; i < ranked.length; i++) {
                NodeInfo node = nodes.get(i);
                NodeInfo known = index.at(node.slot());
                if (known == null || !known.name().equals(node.name())) {
                    return null;
                }
                ranked[i] = ranks[node.slot()];
            }
            return ranked.length < ranks.length / SPARSE ? sorted(ranked) : spread(ranked, ranks.length);
        }

        private static int[] sorted(int[] ranked) {
            long[] keys = new long[ranked.length];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = (long) ranked[i] << Integer.SIZE | i;
            }
            Arrays.sort(keys);
            int[] places = new int[keys.length];
            for (int i = 0; i < keys.length; i++) {
                places[i] = (int) keys[i];
            }
            return places;
        }

        /** Sorts by counting: no two nodes have the same rank. */
        private static int[] spread(int[] ranked, int ranks) {
            int[] placeAndOne = new int[ranks];
            for (int i = 0; i < ranked.length; i++) {
                placeAndOne[ranked[i]] = i + 1;
            }
            int[] places = new int[ranked.length];
            int count = 0;
            for (int place : placeAndOne) {
                if (place > 0) {
                    places[count++] = place - 1;
                }
            }
            return places;
        }

        /** The values by name. */
        public NodeValues byName(long[] values) {
            return new NodeValues(names, inOrder(values));
        }

        private long[] inOrder(long[] values) {
            long[] sorted = new long[places.length];
            for (int i = 0; i < sorted.length; i++) {
                sorted[i] = values[places[i]];
            }
            return sorted;
        }
    }

    /** An empty map. */
    public static final NodeValues NONE = new NodeValues(new String[0], new long[0]);

    private final String[] names;
    private final long[] values;

    private NodeValues(String[] names, long[] values) {
        this.names = names;
        this.values = values;
    }

    /** The values of a map. */
    public static NodeValues of(Map<String, Long> map) {
        if (map instanceof NodeValues values) {
            return values;
        }
        String[] names = map.keySet().stream().sorted().toArray(String[]::new);
        return new NodeValues(
                names,
                Arrays.stream(names)
                        .mapToLong(name -> map.getOrDefault(name, 0L))
                        .toArray());
    }

    /** The name at a position in name order. */
    public String name(int place) {
        return names[place];
    }

    /** The value at that position. */
    public long value(int place) {
        return values[place];
    }

    /** Other values of the same nodes, in name order; the array is not copied. */
    NodeValues withValues(long[] other) {
        return new NodeValues(names, other);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NodeValues values
                ? isOfSameNodes(values) && Arrays.equals(this.values, values.values)
                : super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }

    /** The position of a name; negative if it has no value. */
    public int placeOf(String name) {
        return Arrays.binarySearch(names, name);
    }

    /** Whether the other map has the same nodes. */
    public boolean isOfSameNodes(NodeValues other) {
        return names == other.names || Arrays.equals(names, other.names);
    }

    @Override
    public @Nullable Long get(@Nullable Object key) {
        int at = key instanceof String name ? placeOf(name) : -1;
        return at < 0 ? null : values[at];
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return get(key) != null;
    }

    @Override
    public int size() {
        return names.length;
    }

    @Override
    public Set<Entry<String, Long>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Entry<String, Long>> iterator() {
                return new Entries();
            }

            @Override
            public int size() {
                return names.length;
            }
        };
    }

    private final class Entries implements Iterator<Entry<String, Long>> {
        private int next;

        @Override
        public boolean hasNext() {
            return next < names.length;
        }

        @Override
        public Entry<String, Long> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            int at = next++;
            return Map.entry(names[at], values[at]);
        }
    }
}
