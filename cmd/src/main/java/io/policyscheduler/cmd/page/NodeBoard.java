package io.policyscheduler.cmd.page;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The nodes as they were last seen. Belongs to one thread. */
final class NodeBoard {
    /** Most keys of labels that nodes may be grouped by. */
    static final int MOST_KEYS = 40;
    /** A label with more values than that puts every node into a group of its own. */
    static final int MOST_VALUES = 100;

    private final Map<String, NodeRow> rows = new LinkedHashMap<>();
    private List<String> groupKeys = ImmutableList.of();
    private boolean labelsChanged;
    private long generation = ClusterLook.EVERYTHING;

    /** Since when changes must be looked for. */
    long generation() {
        return generation;
    }

    /** Forgets everything: the next look must see all nodes. */
    void forget() {
        rows.clear();
        generation = ClusterLook.EVERYTHING;
        labelsChanged = true;
    }

    /**
     * Takes in a look.
     *
     * @return false when nodes have gone, so that all have to be looked at again
     */
    boolean take(ClusterLook look) {
        for (NodeRow row : look.nodes()) {
            NodeRow before = rows.put(row.name(), row);
            labelsChanged |=
                    before == null || !before.node().labels().equals(row.node().labels());
        }
        generation = look.generation();
        if (rows.size() == look.nodeCount()) {
            return true;
        }
        forget();
        return false;
    }

    /** All nodes, in the order in which they were first seen. */
    List<NodeRow> rows() {
        return ImmutableList.copyOf(rows.values());
    }

    /** Keys of labels that nodes may be grouped by, sorted; those that are different on every node are left out. */
    List<String> groupKeys() {
        if (!labelsChanged) {
            return groupKeys;
        }
        labelsChanged = false;
        Map<String, Set<String>> values = new TreeMap<>();
        for (NodeRow row : rows.values()) {
            row.node().labels().forEach((key, value) -> {
                Set<String> known = values.computeIfAbsent(key, unused -> new TreeSet<>());
                if (known.size() <= MOST_VALUES) {
                    known.add(value);
                }
            });
        }
        List<String> keys = new ArrayList<>();
        values.forEach((key, known) -> {
            if (known.size() <= MOST_VALUES && (known.size() < rows.size() || rows.size() == 1)) {
                keys.add(key);
            }
        });
        groupKeys = keys.stream().limit(MOST_KEYS).toList();
        return groupKeys;
    }

    /** Node to value of a label, for those that have it. */
    Map<String, String> values(String key) {
        Map<String, String> values = new HashMap<>();
        rows.forEach((name, row) -> {
            String value = row.node().labels().get(key);
            if (value != null) {
                values.put(name, value);
            }
        });
        return values;
    }
}
