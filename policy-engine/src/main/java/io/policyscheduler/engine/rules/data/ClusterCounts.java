package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The counts that one attempt sees: those of the cluster, plus the what-if pods of a trial. Answers are looked up in the
 * tallies of {@link CountTable}, of which there is one for each label that is asked about. Used by the thread that owns the
 * cluster.
 *
 * <p>A label that differs from node to node would need a tally for each node. {@link #walk} makes questions walk over the
 * cluster instead, at the cost of what is walked over.
 */
public final class ClusterCounts {
    private record WhatIf(PodInfo pod, NodeInfo node, int sign) {}

    private final CountTable table;
    private final TableSnapshot tables;
    private final List<LabelQuestion> questions;
    private final List<WhatIf> whatIfs;
    private final NodeLabelCounts onNodes;
    private @Nullable Meter walking;

    /** @param questions what a rule asks about the pods of every node */
    public ClusterCounts(CountTable table, List<LabelQuestion> questions) {
        this(table, questions, TableSnapshot.NONE);
    }

    /**
     * The same with tables.
     *
     * @param tables as the attempt sees them
     */
    public ClusterCounts(CountTable table, List<LabelQuestion> questions, TableSnapshot tables) {
        this(table, questions, tables, List.of());
    }

    private ClusterCounts(CountTable table, List<LabelQuestion> questions, TableSnapshot tables, List<WhatIf> whatIfs) {
        this.table = table;
        this.tables = tables;
        this.questions = questions;
        this.whatIfs = new ArrayList<>(whatIfs);
        this.onNodes = new NodeLabelCounts(table, questions);
    }

    public ClusterCounts copy() {
        return new ClusterCounts(table, questions, tables, whatIfs);
    }

    /** The tables as the attempt sees them, which are no counts but as little of the pod or the node. */
    public TableSnapshot tables() {
        return tables;
    }

    public void whatIf(PodInfo pod, NodeInfo node, int sign) {
        whatIfs.add(new WhatIf(pod, node, sign));
    }

    /**
     * Makes the questions from now on walk over the cluster, charged to a meter; null ends it.
     *
     * @return what was in force before
     */
    @Nullable
    public Meter walk(@Nullable Meter meter) {
        Meter before = walking;
        walking = meter;
        return before;
    }

    private CountedNodes counted() {
        Meter meter = walking;
        return meter == null ? table.counted() : walked(meter);
    }

    /** The pods are only gone through once they are asked for, so they are paid for here. */
    private CountedNodes walked(Meter meter) {
        CountedNodes counted = new CountedNodes();
        List<NodeInfo> nodes = table.cluster().nodes();
        for (int i = 0; i < nodes.size(); i++) {
            meter.charge(1L + nodes.get(i).podCount());
            counted.set(i, nodes.get(i));
        }
        return counted;
    }

    /** Pods on a node that have a label; a null value stands for any. */
    double onNode(NodeInfo node, String key, @Nullable String value) {
        Meter meter = walking;
        if (meter == null) {
            return onNodes.on(node, key, value);
        }
        meter.charge(node.podCount());
        return NodeLabelCounts.walk(node, Trait.label(key), value);
    }

    /** What else there is in the cluster. */
    public ClusterView cluster() {
        return table.cluster();
    }

    double inNamespace(NodeInfo node, String namespace) {
        return onNodes.with(Trait.NAMESPACE, node, namespace);
    }

    double ownedOn(NodeInfo node, String ownerUid) {
        return onNodes.with(Trait.OWNER, node, ownerUid);
    }

    public double nodeCount() {
        return table.cluster().nodeCount();
    }

    /** Number of nodes with a label; a null value stands for any. */
    double nodes(String key, @Nullable String value) {
        NodeTally tally = counted().nodes(key);
        return value == null ? tally.all() : tally.nodes(value);
    }

    double topologies(String topologyKey) {
        return counted().nodes(topologyKey).values();
    }

    double nodesBeside(NodeInfo node, String topologyKey) {
        String here = node.node().labels().get(topologyKey);
        return here == null ? 0 : counted().nodes(topologyKey).nodes(here);
    }

    double pods(String key, @Nullable String value) {
        return pods(Trait.label(key), value);
    }

    double owned(String ownerUid) {
        return pods(Trait.OWNER, ownerUid);
    }

    private double pods(Trait trait, @Nullable String value) {
        long count = counted().pods(Place.CLUSTER, "", trait).pods(value);
        for (int i = 0; i < whatIfs.size(); i++) {
            WhatIf change = whatIfs.get(i);
            count += trait.matches(change.pod(), value) ? change.sign() : 0;
        }
        return count;
    }

    double podsBeside(NodeInfo node, String topologyKey, String key, String value) {
        return podsBeside(node, topologyKey, Trait.label(key), value);
    }

    double ownedBeside(NodeInfo node, String topologyKey, String ownerUid) {
        return podsBeside(node, topologyKey, Trait.OWNER, ownerUid);
    }

    private double podsBeside(NodeInfo node, String topologyKey, Trait trait, String value) {
        String here = node.node().labels().get(topologyKey);
        if (here == null) {
            return 0;
        }
        long count = counted().pods(Place.TOPOLOGY, topologyKey, trait).at(here, value);
        for (int i = 0; i < whatIfs.size(); i++) {
            WhatIf change = whatIfs.get(i);
            boolean counts = here.equals(place(change.node(), topologyKey)) && trait.matches(change.pod(), value);
            count += counts ? change.sign() : 0;
        }
        return count;
    }

    /** Pods with a label in the topology that has the fewest of them. */
    double fewest(String topologyKey, String key, String value) {
        return extreme(true, topologyKey, Trait.label(key), value);
    }

    double fewestOwned(String topologyKey, String ownerUid) {
        return extreme(true, topologyKey, Trait.OWNER, ownerUid);
    }

    /** Likewise in the one that has the most. */
    double most(String topologyKey, String key, String value) {
        return extreme(false, topologyKey, Trait.label(key), value);
    }

    double mostOwned(String topologyKey, String ownerUid) {
        return extreme(false, topologyKey, Trait.OWNER, ownerUid);
    }

    private double extreme(boolean smallest, String topologyKey, Trait trait, String value) {
        CountedNodes counted = counted();
        NodeTally topologies = counted.nodes(topologyKey);
        Map<String, Long> changed = whatIfs.isEmpty() ? Map.of() : new TreeMap<>();
        for (int i = 0; i < whatIfs.size(); i++) {
            WhatIf change = whatIfs.get(i);
            String there = place(change.node(), topologyKey);
            if (there != null && topologies.nodes(there) > 0 && trait.matches(change.pod(), value)) {
                changed.merge(there, (long) change.sign(), Long::sum);
            }
        }
        return topologies.values() == 0
                ? 0
                : counted.pods(Place.TOPOLOGY, topologyKey, trait)
                        .extreme(smallest, value, topologies.values(), changed);
    }

    private static @Nullable String place(NodeInfo node, String topologyKey) {
        return node.hasNode() ? node.node().labels().get(topologyKey) : null;
    }
}
