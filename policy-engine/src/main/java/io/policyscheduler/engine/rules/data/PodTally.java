package io.policyscheduler.engine.rules.data;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many pods have which value of one trait, at which place: one answers every question about that trait and kind of place.
 * Holds as many cells as there are different values at different places, so never more than pods. Mutable, used by one thread.
 */
final class PodTally {
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
        long[] left =
                changed.keySet().stream().mapToLong(place -> at(place, value)).toArray();
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
