package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The counts that one attempt sees: those of the cluster, plus the what-if pods of a trial. Answers are looked up; the
 * counting itself is done by {@link CountTable}, once for each distinct question. Used by the thread that owns the cluster.
 */
final class ClusterCounts {
    private record WhatIf(PodInfo pod, NodeInfo node, int sign) {}

    private final CountTable table;
    private final List<WhatIf> whatIfs;
    private final NodeLabelCounts onNodes;

    ClusterCounts(CountTable table) {
        this(table, List.of());
    }

    private ClusterCounts(CountTable table, List<WhatIf> whatIfs) {
        this.table = table;
        this.whatIfs = new ArrayList<>(whatIfs);
        this.onNodes = new NodeLabelCounts(table.cluster());
    }

    /** Counts of a cluster for one evaluation. */
    static ClusterCounts of(ClusterView cluster) {
        return new ClusterCounts(new CountTable(cluster));
    }

    ClusterCounts copy() {
        return new ClusterCounts(table, whatIfs);
    }

    void whatIf(PodInfo pod, NodeInfo node, int sign) {
        whatIfs.add(new WhatIf(pod, node, sign));
    }

    /** Pods on a node that have a label; a null value stands for any. */
    double onNode(NodeInfo node, String key, @Nullable String value) {
        return onNodes.on(node, key, value);
    }

    double nodeCount() {
        return table.cluster().nodes().size();
    }

    double nodes(String key, @Nullable String value) {
        return table.nodes(key, value);
    }

    double topologies(String topologyKey) {
        return table.of(topologyKey, "", null).values();
    }

    double nodesBeside(NodeInfo node, String topologyKey) {
        String here = node.node().labels().get(topologyKey);
        return here == null ? 0 : table.of(topologyKey, "", null).nodes(here);
    }

    double pods(String key, @Nullable String value) {
        long count = table.pods(key, value);
        for (int i = 0; i < whatIfs.size(); i++) {
            WhatIf change = whatIfs.get(i);
            count += matches(change.pod(), key, value) ? change.sign() : 0;
        }
        return count;
    }

    double podsBeside(NodeInfo node, String topologyKey, String key, String value) {
        String here = node.node().labels().get(topologyKey);
        return here == null ? 0 : table.of(topologyKey, key, value).pods(here) + changed(topologyKey, here, key, value);
    }

    double fewest(String topologyKey, String key, String value) {
        CountTable.ByTopology counts = table.of(topologyKey, key, value);
        long fewest = Long.MAX_VALUE;
        for (String topology : counts.topologies()) {
            fewest = Math.min(fewest, counts.pods(topology) + changed(topologyKey, topology, key, value));
        }
        return fewest == Long.MAX_VALUE ? 0 : fewest;
    }

    double most(String topologyKey, String key, String value) {
        CountTable.ByTopology counts = table.of(topologyKey, key, value);
        long most = 0;
        for (String topology : counts.topologies()) {
            most = Math.max(most, counts.pods(topology) + changed(topologyKey, topology, key, value));
        }
        return most;
    }

    private long changed(String topologyKey, String topology, String key, String value) {
        long change = 0;
        for (int i = 0; i < whatIfs.size(); i++) {
            WhatIf whatIf = whatIfs.get(i);
            if (matches(whatIf.pod(), key, value)
                    && whatIf.node().hasNode()
                    && whatIf.node().node().labels().has(topologyKey, topology)) {
                change += whatIf.sign();
            }
        }
        return change;
    }

    private static boolean matches(PodInfo pod, String key, @Nullable String value) {
        return value == null ? pod.labels().has(key) : pod.labels().has(key, value);
    }
}
