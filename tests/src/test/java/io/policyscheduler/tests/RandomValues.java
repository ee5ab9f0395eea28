package io.policyscheduler.tests;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** Reproducible random choices, and short ways to write random JSON. */
final class RandomValues {
    private final Random random;

    RandomValues(long seed) {
        // Similar seeds give similar first numbers; mixing the bits makes snapshots independent.
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
    }

    boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    /** Returns a number between the bounds, both inclusive. */
    int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    @SafeVarargs
    final <T> T of(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    <T> T of(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** Returns between {@code low} and {@code high} of the values. */
    <T> List<T> several(int low, int high, Supplier<T> one) {
        List<T> list = new ArrayList<>();
        for (int count = between(low, high); count > 0; count--) {
            list.add(one.get());
        }
        return list;
    }

    /** Returns a JSON object of alternating keys and values; null values are omitted. */
    static Map<String, Object> object(Object... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], pairs[i + 1]);
        }
        return map;
    }

    /** Adds a key with a probability. */
    void maybe(int chance, Map<String, Object> to, String key, Supplier<Object> value) {
        if (percent(chance)) {
            to.put(key, value.get());
        }
    }

    /** Adds a value with a probability. */
    <T> void maybe(int chance, List<T> to, Supplier<T> value) {
        if (percent(chance)) {
            to.add(value.get());
        }
    }

    /** Returns the object under a key; an empty node if there is none. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> child(Map<String, Object> parent, String key) {
        Object child = parent.get(key);
        return child == null ? object() : (Map<String, Object>) child;
    }

    /** Returns the text under a key; empty if there is none. */
    static String text(Map<String, Object> parent, String key) {
        return parent.get(key) instanceof String text ? text : "";
    }

    /** Returns the objects in the list under a key; empty if there is no list. */
    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> children(Map<String, Object> parent, String key) {
        Object children = parent.get(key);
        return children == null ? List.of() : (List<Map<String, Object>>) children;
    }

    /** Returns a CPU quantity for nodes with a few cores. */
    String cpu() {
        return of("0", "1m", "100m", "250m", "500m", "0.5", "1", "1500m", "2", "4");
    }

    /** Returns a memory quantity. */
    String bytes() {
        return of("0", "1", "128Mi", "200M", "1Gi", "1.5Gi", "2Gi", "4Gi", "1e9");
    }
}
