package io.policyscheduler.tests;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** Random choices that a seed repeats, and short ways to write JSON with them. */
final class Dice {
    private final Random random;

    Dice(long seed) {
        // Neighbouring seeds give similar first numbers; mixing the bits keeps worlds apart.
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
    }

    boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    /** A number between the two, both included. */
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

    /** Between {@code low} and {@code high} values. */
    <T> List<T> several(int low, int high, Supplier<T> one) {
        List<T> list = new ArrayList<>();
        for (int count = between(low, high); count > 0; count--) {
            list.add(one.get());
        }
        return list;
    }

    /** A JSON object of alternating keys and values; keys with null values are left out. */
    static Map<String, Object> object(Object... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], pairs[i + 1]);
        }
        return map;
    }

    /** Adds a key by chance. */
    void maybe(int chance, Map<String, Object> to, String key, Supplier<Object> value) {
        if (percent(chance)) {
            to.put(key, value.get());
        }
    }

    /** Adds a value by chance. */
    <T> void maybe(int chance, List<T> to, Supplier<T> value) {
        if (percent(chance)) {
            to.add(value.get());
        }
    }

    /** The object under a key; one that stands for nothing where there is none. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> child(Map<String, Object> parent, String key) {
        Object child = parent.get(key);
        return child == null ? object() : (Map<String, Object>) child;
    }

    /** The text under a key; empty where there is none. */
    static String text(Map<String, Object> parent, String key) {
        return parent.get(key) instanceof String text ? text : "";
    }

    /** The objects in the list under a key; none where there is no list. */
    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> children(Map<String, Object> parent, String key) {
        Object children = parent.get(key);
        return children == null ? List.of() : (List<Map<String, Object>>) children;
    }

    /** A quantity of cpu, of the sizes that matter to nodes of a few cores. */
    String cpu() {
        return of("0", "1m", "100m", "250m", "500m", "0.5", "1", "1500m", "2", "4");
    }

    /** A quantity of bytes. */
    String bytes() {
        return of("0", "1", "128Mi", "200M", "1Gi", "1.5Gi", "2Gi", "4Gi", "1e9");
    }
}
