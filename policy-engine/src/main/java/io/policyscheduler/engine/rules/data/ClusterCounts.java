package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.rules.data.CountTable.CountedNodes;
import io.policyscheduler.engine.rules.data.CountTable.PodCounter;
import io.policyscheduler.engine.rules.data.RuleTables.TableSnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The pod and node counts of one attempt: those of the cluster, plus the changes of a trial. They are looked up in the counters of
 * {@link CountTable}, one for each label. Used by the thread that owns the cluster.
 *
 * <p>A label that differs from node to node has no counter. For such queries, {@link #walk} selects an index of all labels, and
 * charges as many steps as the cluster has pods and nodes.
 */
public final class ClusterCounts {
    private record WhatIf(PodInfo pod, NodeInfo node, int sign) {}

    private final CountTable table;
    private final TableSnapshot tables;
    private final List<LabelQuery> labelQueries;
    private final List<WhatIf> whatIfs;
    private final NodeLabelCounts onNodes;
    private @Nullable Meter walking;

    /** @param labelQueries the constant label queries of a rule */
    public ClusterCounts(CountTable table, List<LabelQuery> labelQueries) {
        this(table, labelQueries, TableSnapshot.NONE);
    }

    /**
     * The same with tables.
     *
     * @param tables with the values of the attempt
     */
    public ClusterCounts(CountTable table, List<LabelQuery> labelQueries, TableSnapshot tables) {
        this(table, labelQueries, tables, List.of());
    }

    private ClusterCounts(CountTable table, List<LabelQuery> labelQueries, TableSnapshot tables, List<WhatIf> whatIfs) {
        this.table = table;
        this.tables = tables;
        this.labelQueries = labelQueries;
        this.whatIfs = new ArrayList<>(whatIfs);
        this.onNodes = new NodeLabelCounts(table, labelQueries);
    }

    public ClusterCounts copy() {
        return new ClusterCounts(table, labelQueries, tables, whatIfs);
    }

    /** The tables with the values of the attempt. */
    public TableSnapshot tables() {
        return tables;
    }

    public void whatIf(PodInfo pod, NodeInfo node, int sign) {
        whatIfs.add(new WhatIf(pod, node, sign));
    }

    /**
     * Charges the following queries to a meter as labels that differ from node to node; null ends it.
     *
     * @return the previous meter
     */
    @Nullable
    public Meter walk(@Nullable Meter meter) {
        Meter before = walking;
        walking = meter;
        return before;
    }

    /** Charges for one query of the cluster; called once for each. */
    private void charge() {
        Meter meter = walking;
        if (meter != null) {
            meter.charge(table.size());
        }
    }

    private NodeCounter nodesWith(String key) {
        CountedNodes counted = table.counted();
        return walking == null ? counted.nodes(key) : counted.nodesOfAnyKey(key);
    }

    private PodCounter podsWith(CountDomain domain, String topologyKey, PodProperty property) {
        CountedNodes counted = table.counted();
        return walking == null
                ? counted.pods(domain, topologyKey, property)
                : counted.podsOfAnyKey(domain, topologyKey, property);
    }

    /** The number of pods on a node with a label; a null value matches any. */
    double podsOnNode(NodeInfo node, String key, @Nullable String value) {
        Meter meter = walking;
        if (meter == null) {
            return onNodes.on(node, key, value);
        }
        meter.charge(node.podCount());
        return NodeLabelCounts.walk(node, PodProperty.label(key), value);
    }

    /** The other objects of the cluster. */
    public ClusterView cluster() {
        return table.cluster();
    }

    double podsInNamespace(NodeInfo node, String namespace) {
        return onNodes.with(PodProperty.NAMESPACE, node, namespace);
    }

    double podsOfOwnerOnNode(NodeInfo node, String ownerUid) {
        return onNodes.with(PodProperty.OWNER, node, ownerUid);
    }

    public double nodeCount() {
        return table.cluster().nodeCount();
    }

    /** The number of nodes with a label; a null value matches any. */
    double nodes(String key, @Nullable String value) {
        charge();
        NodeCounter counter = nodesWith(key);
        return value == null ? counter.all() : counter.nodes(value);
    }

    double topologyCount(String topologyKey) {
        charge();
        return nodesWith(topologyKey).values();
    }

    double nodesInTopology(NodeInfo node, String topologyKey) {
        String here = node.node().labels().get(topologyKey);
        if (here == null) {
            return 0;
        }
        charge();
        return nodesWith(topologyKey).nodes(here);
    }

    double pods(String key, @Nullable String value) {
        return pods(PodProperty.label(key), value);
    }

    double podsOfOwner(String ownerUid) {
        return pods(PodProperty.OWNER, ownerUid);
    }

    private double pods(PodProperty property, @Nullable String value) {
        charge();
        long count = podsWith(CountDomain.CLUSTER, "", property).pods(value);
        for (int i = 0; i < whatIfs.size(); i++) {
            WhatIf change = whatIfs.get(i);
            count += property.matches(change.pod(), value) ? change.sign() : 0;
        }
        return count;
    }

    double podsInTopology(NodeInfo node, String topologyKey, String key, String value) {
        return podsInTopology(node, topologyKey, PodProperty.label(key), value);
    }

    double podsOfOwnerInTopology(NodeInfo node, String topologyKey, String ownerUid) {
        return podsInTopology(node, topologyKey, PodProperty.OWNER, ownerUid);
    }

    private double podsInTopology(NodeInfo node, String topologyKey, PodProperty property, String value) {
        String here = node.node().labels().get(topologyKey);
        if (here == null) {
            return 0;
        }
        charge();
        long count = podsWith(CountDomain.TOPOLOGY, topologyKey, property).at(here, value);
        for (int i = 0; i < whatIfs.size(); i++) {
            WhatIf change = whatIfs.get(i);
            boolean counts = here.equals(domain(change.node(), topologyKey)) && property.matches(change.pod(), value);
            count += counts ? change.sign() : 0;
        }
        return count;
    }

    /** The number of pods with a label in the topology value that has the fewest of them. */
    double minPodsInTopology(String topologyKey, String key, String value) {
        return extreme(true, topologyKey, PodProperty.label(key), value);
    }

    double minPodsOfOwnerInTopology(String topologyKey, String ownerUid) {
        return extreme(true, topologyKey, PodProperty.OWNER, ownerUid);
    }

    /** The number of pods with a label in the topology value that has the most of them. */
    double maxPodsInTopology(String topologyKey, String key, String value) {
        return extreme(false, topologyKey, PodProperty.label(key), value);
    }

    double maxPodsOfOwnerInTopology(String topologyKey, String ownerUid) {
        return extreme(false, topologyKey, PodProperty.OWNER, ownerUid);
    }

    private double extreme(boolean smallest, String topologyKey, PodProperty property, String value) {
        charge();
        NodeCounter topologies = nodesWith(topologyKey);
        Map<String, Long> changed = whatIfs.isEmpty() ? Map.of() : new TreeMap<>();
        for (int i = 0; i < whatIfs.size(); i++) {
            WhatIf change = whatIfs.get(i);
            String there = domain(change.node(), topologyKey);
            if (there != null && topologies.nodes(there) > 0 && property.matches(change.pod(), value)) {
                changed.merge(there, (long) change.sign(), Long::sum);
            }
        }
        return topologies.values() == 0
                ? 0
                : podsWith(CountDomain.TOPOLOGY, topologyKey, property)
                        .extreme(smallest, value, topologies.values(), changed);
    }

    private static @Nullable String domain(NodeInfo node, String topologyKey) {
        return node.hasNode() ? node.node().labels().get(topologyKey) : null;
    }

    /** The number of nodes for each value of one label. Mutable, used by one thread. */
    static final class NodeCounter {
        private final Map<String, Long> byValue = new HashMap<>();
        private long all;

        void add(String value, long nodes) {
            byValue.merge(value, nodes, Long::sum);
            byValue.remove(value, 0L);
            all += nodes;
        }

        /** The number of nodes with the label. */
        long all() {
            return all;
        }

        long nodes(String value) {
            return byValue.getOrDefault(value, 0L);
        }

        /** The number of distinct values. */
        int values() {
            return byValue.size();
        }
    }

    /** The domain of a count: the whole cluster, one node, or the nodes with a label value. */
    enum CountDomain {
        CLUSTER,
        NODE,
        TOPOLOGY
    }

    /**
     * The pod property to count: the value of a label, the namespace, or the UID of the controller.
     *
     * @param label key of the label; empty for the others
     */
    record PodProperty(Kind kind, String label) {
        /** The kinds of properties. */
        enum Kind {
            LABEL,
            NAMESPACE,
            OWNER
        }

        static final PodProperty NAMESPACE = new PodProperty(Kind.NAMESPACE, "");
        static final PodProperty OWNER = new PodProperty(Kind.OWNER, "");

        static PodProperty label(String key) {
            return new PodProperty(Kind.LABEL, key);
        }

        /** The value of a pod, null for none. */
        @Nullable
        String of(PodInfo pod) {
            return switch (kind) {
                case LABEL -> pod.labels().get(label);
                case NAMESPACE -> pod.namespace();
                case OWNER -> owner(pod);
            };
        }

        /** Pods without a controller have no common value. */
        private static @Nullable String owner(PodInfo pod) {
            OwnerReference owner = pod.controller();
            return owner == null || owner.uid().isEmpty() ? null : owner.uid();
        }

        /** True if a pod has this value; a null value matches any. */
        boolean matches(PodInfo pod, @Nullable String value) {
            String has = of(pod);
            return has != null && (value == null || has.equals(value));
        }
    }

    /**
     * A constant label query of a rule.
     *
     * @param value null for any
     */
    public record LabelQuery(String key, @Nullable String value) {
        /** Compared by identity first, because labels in rules are constants. */
        @SuppressWarnings("ReferenceEquality") // followed by equals
        boolean is(String otherKey, @Nullable String otherValue) {
            return (key == otherKey || key.equals(otherKey))
                    && (value == otherValue || (value != null && value.equals(otherValue)));
        }
    }

    /**
     * Counts of the pods of one node by label, for one attempt. Constant queries of a rule use the counts of the cluster's index,
     * all others the counter of their label. Nodes with other pods than in the cluster, as in a trial, are counted directly. Used by
     * one thread.
     */
    static final class NodeLabelCounts {
        private record QueryCounts(LabelQuery query, PodCounts counts) {}

        private final CountTable table;
        private final @Nullable ClusterIndex index;
        private final List<LabelQuery> labelQueries;
        private final List<QueryCounts> known = new ArrayList<>(2);

        /** @param labelQueries the constant queries of a rule */
        NodeLabelCounts(CountTable table, List<LabelQuery> labelQueries) {
            this.table = table;
            this.index = table.cluster().index();
            this.labelQueries = labelQueries;
        }

        /** The number of pods on a node with a label; a null value matches any. */
        long on(NodeInfo node, String key, @Nullable String value) {
            if (index != null) {
                int slot = index.ownSlotOf(node);
                if (slot != NodeInfo.NO_SLOT) {
                    PodCounts counts = known(index, key, value);
                    if (counts != null) {
                        return counts.at(slot);
                    }
                    if (value != null) {
                        return countsOf(slot, PodProperty.label(key), value);
                    }
                }
            }
            return walk(node, PodProperty.label(key), value);
        }

        /** The number of pods on a node with another property. */
        long with(PodProperty property, NodeInfo node, String value) {
            int slot = index == null ? NodeInfo.NO_SLOT : index.ownSlotOf(node);
            return slot == NodeInfo.NO_SLOT ? walk(node, property, value) : countsOf(slot, property, value);
        }

        private long countsOf(int slot, PodProperty property, String value) {
            return table.counted().pods(CountDomain.NODE, "", property).at(slot, value);
        }

        static long walk(NodeInfo node, PodProperty property, @Nullable String value) {
            int count = 0;
            for (int i = node.podCount() - 1; i >= 0; i--) {
                count += property.matches(node.pod(i), value) ? 1 : 0;
            }
            return count;
        }

        /** The counts of the index; null for a query that is not one of the rule's. */
        private @Nullable PodCounts known(ClusterIndex from, String key, @Nullable String value) {
            for (int i = 0; i < known.size(); i++) {
                if (known.get(i).query().is(key, value)) {
                    return known.get(i).counts();
                }
            }
            for (int i = 0; i < labelQueries.size(); i++) {
                if (labelQueries.get(i).is(key, value)) {
                    PodCounts counts = from.counts(PodQuery.labelled(key, value));
                    known.add(new QueryCounts(labelQueries.get(i), counts));
                    return counts;
                }
            }
            return null;
        }
    }

    /** A view of the cluster for rules, with numbers only. Public only because MVEL calls it. */
    public static final class ClusterRuleView {
        private final ClusterCounts counts;

        public ClusterRuleView(ClusterCounts counts) {
            this.counts = counts;
        }

        public double nodeCount() {
            return counts.nodeCount();
        }

        public double nodesWithLabel(String key) {
            return counts.nodes(key, null);
        }

        public double nodesWithLabel(String key, String value) {
            return counts.nodes(key, value);
        }

        public double podsWithLabel(String key) {
            return counts.pods(key, null);
        }

        public double podsWithLabel(String key, String value) {
            return counts.pods(key, value);
        }

        public double podsOfOwner(String ownerUid) {
            return counts.podsOfOwner(ownerUid);
        }

        public double minPodsOfOwnerInTopology(String topologyKey, String ownerUid) {
            return counts.minPodsOfOwnerInTopology(topologyKey, ownerUid);
        }

        public double maxPodsOfOwnerInTopology(String topologyKey, String ownerUid) {
            return counts.maxPodsOfOwnerInTopology(topologyKey, ownerUid);
        }

        public double topologyCount(String topologyKey) {
            return counts.topologyCount(topologyKey);
        }

        public double minPodsInTopology(String topologyKey, String key, String value) {
            return counts.minPodsInTopology(topologyKey, key, value);
        }

        public double maxPodsInTopology(String topologyKey, String key, String value) {
            return counts.maxPodsInTopology(topologyKey, key, value);
        }
    }
}
