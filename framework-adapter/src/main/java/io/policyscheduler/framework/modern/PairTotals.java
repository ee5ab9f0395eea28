package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.HashMap;
import java.util.Map;

/** Numbers by topology pair (node label key and value); a pair whose number falls to 0 is gone. */
final class PairTotals {
    private final Map<String, Map<String, Long>> byKey = new HashMap<>();

    PairTotals() {}

    PairTotals(PairTotals other) {
        other.byKey.forEach((key, values) -> byKey.put(key, new HashMap<>(values)));
    }

    /** Adds to the pair of this key that is among the labels, if there is one. */
    void add(Labels labels, String key, long amount) {
        String value = labels.get(key);
        if (value == null) {
            return;
        }
        Map<String, Long> values = byKey.computeIfAbsent(key, k -> new HashMap<>());
        long sum = values.merge(value, amount, Long::sum);
        if (sum == 0) {
            values.remove(value);
            if (values.isEmpty()) {
                byKey.remove(key);
            }
        }
    }

    /** Sets a pair that has no number yet; 0 is none. */
    void add(String key, String value, long number) {
        if (number != 0) {
            byKey.computeIfAbsent(key, k -> new HashMap<>()).put(value, number);
        }
    }

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    long get(String key, String value) {
        Map<String, Long> values = byKey.get(key);
        Long number = values == null ? null : values.get(value);
        return number == null ? 0 : number;
    }

    /** True when one of the labels is a pair with a number above 0. */
    boolean anyAbove0(Labels labels) {
        for (Map.Entry<String, Map<String, Long>> entry : byKey.entrySet()) {
            String value = labels.get(entry.getKey());
            Long number = value == null ? null : entry.getValue().get(value);
            if (number != null && number > 0) {
                return true;
            }
        }
        return false;
    }
}
