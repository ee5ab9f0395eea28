package io.policyscheduler.engine.cluster.index;

import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.NodeTable;
import io.policyscheduler.engine.cluster.node.NodeTable.LabelClass;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The number of pods that match a query, by node and by topology value. Updated incrementally: only added and removed pods that match are visited,
 * and a node with other changes is counted again. Valid until the cluster changes; get it from {@link ClusterIndex} again for each
 * attempt.
 */
public final class PodCounts {
    private record Matcher(List<String> namespaces, MemoizedSelector selector) {
        boolean matches(String namespace, Labels labels) {
            return (namespaces.isEmpty() || namespaces.contains(namespace)) && selector.matches(labels);
        }
    }

    /** Sums by value of a topology key. */
    private static final class Sums {
        final String key;
        TopologyColumn column;
        long[] byValue;

        Sums(String key, TopologyColumn column) {
            this.key = key;
            this.column = column;
            this.byValue = new long[column.valueCount()];
        }
    }

    private final class ChangeListener implements NodeTable.Visitor {
        @Override
        public void changed(int slot) {
            add(slot, countOn(index.table().at(slot)) - bySlot[slot]);
        }

        @Override
        public void moved(int slot, int difference) {
            // Pods of a node without an object do not count; all are counted once it has one.
            if (index.table().at(slot) != null) {
                add(slot, difference);
            }
        }
    }

    private final ClusterIndex index;
    private final ChangeListener listener = new ChangeListener();
    private final List<Matcher> matchers;
    private final boolean skipTerminating;
    private final List<Sums> sums = new ArrayList<>(1);
    private int[] bySlot = new int[0];
    private long seen;
    /** The numbers of the classes that match, of the first {@link #classesSeen} with this numbering. */
    private int[] matching = new int[1];

    private int matchingCount;
    private int classesSeen;
    private int numbering;

    PodCounts(ClusterIndex index, PodQuery query) {
        this.index = index;
        this.matchers = query.conditions().stream()
                .map(condition -> new Matcher(condition.namespaces(), new MemoizedSelector(condition.selector())))
                .toList();
        this.skipTerminating = query.skipTerminating();
    }

    /** Applies the changes since the last call. */
    void refresh() {
        NodeTable table = index.table();
        if (bySlot.length < table.size()) {
            bySlot = Arrays.copyOf(bySlot, Math.max(table.size(), bySlot.length * 2));
        }
        for (int i = 0; i < sums.size(); i++) {
            if (sums.get(i).column != index.topology(sums.get(i).key)) {
                // Labels have changed: sums are computed again on the next use.
                sums.remove(i--);
            }
        }
        if (seen != table.generation() && table.isRecorded(seen)) {
            matchClasses(table);
            table.movedSince(seen, matching, matchingCount, listener);
        } else if (seen != table.generation()) {
            table.changedSince(seen, listener::changed);
        }
        seen = table.generation();
    }

    private void matchClasses(NodeTable table) {
        if (numbering != table.numbering()) {
            numbering = table.numbering();
            matchingCount = 0;
            classesSeen = 0;
        }
        List<LabelClass> classes = table.classes();
        for (; classesSeen < classes.size(); classesSeen++) {
            LabelClass next = classes.get(classesSeen);
            if (matches(next.namespace(), next.labels(), next.terminating())) {
                if (matchingCount == matching.length) {
                    matching = Arrays.copyOf(matching, matchingCount * 2);
                }
                matching[matchingCount++] = classesSeen;
            }
        }
    }

    private void add(int slot, int change) {
        if (change != 0) {
            bySlot[slot] += change;
            for (Sums of : sums) {
                int value = of.column.at(slot);
                if (value != TopologyColumn.NONE) {
                    of.byValue[value] += change;
                }
            }
        }
    }

    private int countOn(@Nullable NodeInfo node) {
        int count = 0;
        for (int i = 0; node != null && i < node.podCount(); i++) {
            PodInfo pod = node.pod(i);
            count += matches(pod.namespace(), pod.labels(), pod.terminating()) ? 1 : 0;
        }
        return count;
    }

    private boolean matches(String namespace, Labels labels, boolean terminating) {
        if (skipTerminating && terminating) {
            return false;
        }
        for (int i = 0; i < matchers.size(); i++) {
            if (!matchers.get(i).matches(namespace, labels)) {
                return false;
            }
        }
        return true;
    }

    /** The number of matching pods on the node in a slot. */
    public int at(int slot) {
        return bySlot[slot];
    }

    /** The number of matching pods by value number of {@link ClusterIndex#topology}; do not modify. */
    public long[] byValue(String topologyKey) {
        for (int i = 0; i < sums.size(); i++) {
            if (sums.get(i).key.equals(topologyKey)) {
                return sums.get(i).byValue;
            }
        }
        Sums made = new Sums(topologyKey, index.topology(topologyKey));
        for (int slot = 0; slot < index.table().size(); slot++) {
            int value = bySlot[slot] == 0 ? TopologyColumn.NONE : made.column.at(slot);
            if (value != TopologyColumn.NONE) {
                made.byValue[value] += bySlot[slot];
            }
        }
        sums.add(made);
        return made.byValue;
    }
}
