package io.policyscheduler.engine.algorithm;

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
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A value for each of some nodes, as a map in the order of their names. Immutable; takes an array where a tree takes
 * objects.
 */
public final class NodeValues extends AbstractMap<String, Long> {
    /** Puts values of the same nodes in order, time after time. */
    public static final class Order {
        private final String[] names;
        /** Where the value of each name stands in the list of nodes. */
        private final int[] places;

        /** An order for values in the order of these nodes, whose names differ. */
        public Order(List<NodeInfo> nodes) {
            Integer[] sorted = new Integer[nodes.size()];
            Arrays.setAll(sorted, i -> i);
            Arrays.sort(sorted, Comparator.comparing(i -> nodes.get(i).name()));
            names = new String[sorted.length];
            places = new int[sorted.length];
            for (int i = 0; i < sorted.length; i++) {
                places[i] = sorted[i];
                names[i] = nodes.get(sorted[i]).name();
            }
        }

        /** The values by name. */
        public Map<String, Long> byName(long[] values) {
            return new NodeValues(names, inOrder(values));
        }

        /** The same as a tree. */
        public SortedMap<String, Long> sorted(long[] values) {
            return new TreeMap<>(byName(values));
        }

        private long[] inOrder(long[] values) {
            long[] sorted = new long[places.length];
            for (int i = 0; i < sorted.length; i++) {
                sorted[i] = values[places[i]];
            }
            return sorted;
        }
    }

    private final String[] names;
    private final long[] values;

    private NodeValues(String[] names, long[] values) {
        this.names = names;
        this.values = values;
    }

    @Override
    public @Nullable Long get(@Nullable Object key) {
        int at = key instanceof String name ? Arrays.binarySearch(names, name) : -1;
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
