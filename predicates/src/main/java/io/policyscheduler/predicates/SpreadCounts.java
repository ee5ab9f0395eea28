package io.policyscheduler.predicates;

import io.policyscheduler.engine.cluster.index.TopologyCounts;
import java.util.HashMap;
import java.util.Map;

/**
 * Matching pods by topology pair with the minimum of each key, and the changes of a what-if on top. The start is shared by all
 * copies. A what-if changes the pods of one node and hence one value of a key: the two lowest values at the start then give
 * the new minimum without another look at all values.
 */
final class SpreadCounts {
    /** The value with the lowest count, that count, and the lowest count of the other values. */
    private record Lowest(String value, long first, long second) {
        static final Lowest NONE = new Lowest("", Long.MAX_VALUE, Long.MAX_VALUE);

        Lowest with(String newValue, long count) {
            if (count < first) {
                return new Lowest(newValue, count, first);
            }
            return count < second ? new Lowest(value, first, count) : this;
        }

        long besides(String changed) {
            return changed.equals(value) ? second : first;
        }
    }

    private final TopologyCounts start;
    private final Map<String, Lowest> lowest;
    private final TopologyCounts changes;
    private final Map<String, Long> changedMinimum;

    /** Starts with {@code start}, which must not change any more. */
    SpreadCounts(TopologyCounts start) {
        this.start = start;
        this.lowest = new HashMap<>();
        this.changes = new TopologyCounts();
        this.changedMinimum = new HashMap<>();
        for (String key : start.keys()) {
            lowest.put(key, lowestOf(key));
        }
    }

    private SpreadCounts(SpreadCounts other) {
        this.start = other.start;
        this.lowest = other.lowest;
        this.changes = other.changes.copy();
        this.changedMinimum = new HashMap<>(other.changedMinimum);
    }

    SpreadCounts copy() {
        return new SpreadCounts(this);
    }

    /** True when there is no pair at all. */
    boolean isEmpty() {
        return start.isEmpty() && changes.isEmpty();
    }

    long get(String key, String value) {
        return start.get(key, value) + (changes.isEmpty() ? 0 : changes.get(key, value));
    }

    /** The lowest count of the key's values. */
    long minimum(String key) {
        if (!changes.isEmpty()) {
            Long changed = changedMinimum.get(key);
            if (changed != null) {
                return changed;
            }
        }
        return startOf(key).first();
    }

    void add(String key, String value, long amount) {
        changes.add(key, value, amount);
        long minimum = changes.valueCount(key) == 1
                ? Math.min(startOf(key).besides(value), get(key, value))
                : minimumOfAll(key);
        changedMinimum.put(key, minimum);
    }

    private Lowest startOf(String key) {
        return lowest.getOrDefault(key, Lowest.NONE);
    }

    private Lowest lowestOf(String key) {
        Lowest[] result = {Lowest.NONE};
        start.forEach(key, (value, count) -> result[0] = result[0].with(value, count));
        return result[0];
    }

    private long minimumOfAll(String key) {
        long[] minimum = {Long.MAX_VALUE};
        start.forEach(key, (value, count) -> minimum[0] = Math.min(minimum[0], get(key, value)));
        changes.forEach(key, (value, count) -> minimum[0] = Math.min(minimum[0], get(key, value)));
        return minimum[0];
    }
}
