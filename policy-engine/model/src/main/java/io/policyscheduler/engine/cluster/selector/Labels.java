package io.policyscheduler.engine.cluster.selector;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An immutable string map in key order: labels, annotations, node selectors. Two arrays instead of a hash map, because a
 * cluster holds tens of thousands of them with a handful of entries each.
 */
public final class Labels {
    /** No entries. */
    public static final Labels EMPTY = new Labels(new String[0], new String[0]);

    private final String[] keys;
    private final String[] values;
    private final int hash;

    private Labels(String[] keys, String[] values) {
        this.keys = keys;
        this.values = values;
        // Values often differ in one character, as names of namespaces do, so that plain sums of both are often equal.
        int sum = 31 * Arrays.hashCode(keys) + Arrays.hashCode(values);
        this.hash = (sum ^ sum >>> 16) * 0x9E3779B1;
    }

    /** The entries of {@code map}; {@link #EMPTY} for null. */
    public static Labels copyOf(@Nullable Map<String, String> map) {
        if (map == null || map.isEmpty()) {
            return EMPTY;
        }
        // A tree map with another comparator has to be sorted.
        boolean isSorted = map instanceof TreeMap<String, String> tree && tree.comparator() == null;
        Map<String, String> sorted = isSorted ? map : new TreeMap<>(map);
        String[] keys = new String[sorted.size()];
        String[] values = new String[sorted.size()];
        int at = 0;
        for (Map.Entry<String, String> entry : sorted.entrySet()) {
            keys[at] = entry.getKey();
            values[at] = entry.getValue();
            at++;
        }
        return new Labels(keys, values);
    }

    /** Alternating keys and values. */
    public static Labels of(String... keysAndValues) {
        if (keysAndValues.length % 2 != 0) {
            throw new IllegalArgumentException("a key without a value: " + keysAndValues[keysAndValues.length - 1]);
        }
        TreeMap<String, String> map = new TreeMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return copyOf(map);
    }

    /** A copy with one more entry, or another value for its key. */
    public Labels with(String key, String value) {
        Map<String, String> map = toMap();
        map.put(key, value);
        return copyOf(map);
    }

    /** The value of {@code key}, or null when there is no such key. An empty value is a value. */
    public @Nullable String get(String key) {
        int at = indexOf(key);
        return at < 0 ? null : values[at];
    }

    /** The value of {@code key}, or the empty string. */
    public String getOrEmpty(String key) {
        int at = indexOf(key);
        return at < 0 ? "" : values[at];
    }

    /** True if the key exists, with any value. */
    public boolean has(String key) {
        return indexOf(key) >= 0;
    }

    /** True if {@code key} exists with this value. */
    public boolean has(String key, String value) {
        int at = indexOf(key);
        return at >= 0 && values[at].equals(value);
    }

    /** True if every entry of {@code other} is an entry of this map. */
    public boolean containsAll(Labels other) {
        for (int i = 0; i < other.keys.length; i++) {
            if (!has(other.keys[i], other.values[i])) {
                return false;
            }
        }
        return true;
    }

    public int size() {
        return keys.length;
    }

    public boolean isEmpty() {
        return keys.length == 0;
    }

    /** The key at {@code index} in key order. */
    public String key(int index) {
        return keys[index];
    }

    /** The value at {@code index} in key order. */
    public String value(int index) {
        return values[index];
    }

    /** Calls {@code action} for each entry in key order. */
    public void forEach(BiConsumer<String, String> action) {
        for (int i = 0; i < keys.length; i++) {
            action.accept(keys[i], values[i]);
        }
    }

    /** A mutable copy in key order. */
    public Map<String, String> toMap() {
        Map<String, String> map = new LinkedHashMap<>();
        forEach(map::put);
        return map;
    }

    private int indexOf(String key) {
        // Linear search for few entries: most comparisons end on the length or the first character.
        if (keys.length <= 8) {
            for (int i = 0; i < keys.length; i++) {
                if (keys[i].equals(key)) {
                    return i;
                }
            }
            return -1;
        }
        return Arrays.binarySearch(keys, key);
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return this == o
                || (o instanceof Labels other
                        && hash == other.hash
                        && Arrays.equals(keys, other.keys)
                        && Arrays.equals(values, other.values));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return toMap().toString();
    }

    /** An immutable list of strings with hash lookup, for lists with thousands of elements. */
    public static final class LookupList extends AbstractList<String> implements RandomAccess {
        private static final int MAX_LINEAR = 16;

        private final String[] elements;
        private final Set<String> known;

        private LookupList(List<String> list) {
            this.elements = list.toArray(String[]::new);
            this.known = new HashSet<>(list);
        }

        /** An immutable copy; short ones have linear lookup, which is faster. */
        public static List<String> copyOf(List<String> list) {
            if (list instanceof LookupList) {
                return list;
            }
            return list.size() <= MAX_LINEAR ? List.copyOf(list) : new LookupList(list);
        }

        @Override
        public String get(int index) {
            return elements[index];
        }

        @Override
        public int size() {
            return elements.length;
        }

        @Override
        public boolean contains(@Nullable Object element) {
            return known.contains(element);
        }
    }
}
