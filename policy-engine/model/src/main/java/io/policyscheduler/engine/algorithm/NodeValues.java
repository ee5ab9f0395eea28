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

/**
 * A value for each of some nodes, as a map in the order of their names. Immutable; takes an array where a tree takes
 * objects.
 */
public final class NodeValues extends AbstractMap<String, Long> {
    /** Puts values of the same nodes in order, time after time. */
    public static final class Order {
        /** Where at least one of so many nodes of the cluster is put in order, going through all ranks is quicker than sorting. */
        private static final int SPARSE = 8;

        private final String[] names;
        /** Where the value of each name stands in the list of nodes. */
        private final int[] places;

        /**
         * An order for values in the order of these nodes, whose names differ.
         *
         * @param index of the cluster of the nodes, which knows the order of their names; null to find it out
         */
        public Order(List<NodeInfo> nodes, @Nullable ClusterIndex index) {
            names = new String[nodes.size()];
            int[] known = index == null ? null : placesByRank(nodes, index);
            places = known == null ? placesByName(nodes) : known;
            for (int i = 0; i < places.length; i++) {
                names[i] = nodes.get(places[i]).name();
            }
        }

        /** The names in order. */
        List<String> names() {
            return List.of(names);
        }

        private static int[] placesByName(List<NodeInfo> nodes) {
            Integer[] sorted = new Integer[nodes.size()];
            Arrays.setAll(sorted, i -> i);
            Arrays.sort(sorted, Comparator.comparing(i -> nodes.get(i).name()));
            return Arrays.stream(sorted).mapToInt(Integer::intValue).toArray();
        }

        /**
         * By numbers, not texts: this is done for every pod that is told about. Null when a node is a stranger to the index, as those
         * are that others ask about.
         */
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

        /** No two nodes have the same rank: many are put in their places sooner than they are compared. */
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

    /** No node has a value. */
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

    /** The name at a place in the order of names. */
    public String name(int place) {
        return names[place];
    }

    /** The value at that place. */
    public long value(int place) {
        return values[place];
    }

    /** Other values of the same nodes, in the order of names; the array is not copied. */
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

    /** The place of a name; below 0 when it has no value. */
    public int placeOf(String name) {
        return Arrays.binarySearch(names, name);
    }

    /** Whether the other one has values of the same nodes. */
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
