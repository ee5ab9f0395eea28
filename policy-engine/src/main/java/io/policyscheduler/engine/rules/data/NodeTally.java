package io.policyscheduler.engine.rules.data;

import java.util.HashMap;
import java.util.Map;

/** How many nodes have which value of one label. Mutable, used by one thread. */
final class NodeTally {
    private final Map<String, Long> byValue = new HashMap<>();
    private long all;

    void add(String value, long nodes) {
        byValue.merge(value, nodes, Long::sum);
        byValue.remove(value, 0L);
        all += nodes;
    }

    /** Nodes that have the label. */
    long all() {
        return all;
    }

    long nodes(String value) {
        return byValue.getOrDefault(value, 0L);
    }

    /** Different values. */
    int values() {
        return byValue.size();
    }
}
