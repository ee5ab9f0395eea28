package io.policyscheduler.engine.cluster.index;

import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.NodeTable;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What can be known about the nodes of a {@code ClusterState} without walking over all of them: counts of pods that are kept
 * between attempts and brought up to date by the nodes that changed. Everything it gives out is valid until the cluster
 * changes. Owned by the thread that owns the state; bounded in size.
 */
public final class ClusterIndex {
    /** Counts kept at most, as a number of nodes times queries: 32 MB with a topology key each. */
    private static final int MAX_CELLS = 1 << 21;

    private static final int MIN_QUERIES = 64;

    private final NodeTable table;
    private final Map<String, TopologyColumn> topologies = new HashMap<>();
    private final LinkedHashMap<PodQuery, PodCounts> counts = new LinkedHashMap<>(16, 0.75f, true);
    private final PodsWithAffinity owners = new PodsWithAffinity(this);
    private final Map<RequestRules, NodeAmounts> amounts = new EnumMap<>(RequestRules.class);
    /** For every key that no node has: there may be any number of them. */
    private final TopologyColumn nowhere = new TopologyColumn(0);

    private @Nullable TopologyColumn zones;
    private @Nullable Set<String> topologyKeys;
    private int @Nullable [] nameRanks;
    private int[] order = new int[0];

    public ClusterIndex(NodeTable table) {
        this.table = table;
    }

    NodeTable table() {
        return table;
    }

    /** The change counter of the cluster. */
    public long generation() {
        return table.generation();
    }

    /** All slots are below this number. */
    public int slots() {
        return table.size();
    }

    /** The node in a slot, or null. */
    public @Nullable NodeInfo at(int slot) {
        return table.at(slot);
    }

    public void setOrder(int[] slots) {
        order = slots;
    }

    /** The slots of {@code ClusterView.nodes()}, in that order; do not modify. */
    public int[] order() {
        return order;
    }

    /** Visits every slot whose node came, went or changed after the counter stood at {@code since}, each once. */
    public void changedSince(long since, IntConsumer visitor) {
        table.changedSince(since, visitor);
    }

    /** A node came, went or changed its labels. */
    public void labelsChanged() {
        topologies.clear();
        nameRanks = null;
        zones = null;
        topologyKeys = null;
    }

    /** By slot: how many names of nodes come before that of the node there; 0 where there is none. Do not modify. */
    public int[] nameRanks() {
        int[] known = nameRanks;
        if (known == null) {
            known = new int[table.size()];
            int[] slots = IntStream.range(0, table.size())
                    .filter(slot -> table.at(slot) != null)
                    .boxed()
                    .sorted(Comparator.comparing(
                            slot -> Objects.requireNonNull(table.at(slot)).name()))
                    .mapToInt(Integer::intValue)
                    .toArray();
            for (int rank = 0; rank < slots.length; rank++) {
                known[slots[rank]] = rank;
            }
            nameRanks = known;
        }
        return known;
    }

    /** The keys of all node labels. A topology key that is not among them tells no nodes apart. */
    public Set<String> topologyKeys() {
        Set<String> known = topologyKeys;
        if (known == null) {
            known = new HashSet<>();
            for (int slot = 0; slot < table.size(); slot++) {
                NodeInfo info = table.at(slot);
                Labels labels = info == null ? Labels.EMPTY : info.node().labels();
                for (int i = 0; i < labels.size(); i++) {
                    known.add(labels.key(i));
                }
            }
            topologyKeys = known;
        }
        return known;
    }

    /**
     * The slot of a node of this cluster or of a copy of it, whose labels are those known here; {@link NodeInfo#NO_SLOT} for
     * any other node.
     */
    @SuppressWarnings("ReferenceEquality") // another node object may have other labels
    public int slotOf(NodeInfo node) {
        NodeInfo known = table.at(node.slot());
        return known != null && (known == node || known.node() == node.node()) ? node.slot() : NodeInfo.NO_SLOT;
    }

    /** The slot of a node itself; {@link NodeInfo#NO_SLOT} for a copy, which may hold other pods, and for any other node. */
    public int ownSlotOf(NodeInfo node) {
        return table.at(node.slot()) == node ? node.slot() : NodeInfo.NO_SLOT;
    }

    /** The values of a node label. */
    public TopologyColumn topology(String key) {
        TopologyColumn known = topologies.get(key);
        if (known == null && !topologyKeys().contains(key)) {
            return nowhere;
        }
        if (known == null) {
            known = new TopologyColumn(table.size());
            for (int slot = 0; slot < table.size(); slot++) {
                NodeInfo info = table.at(slot);
                String value = info == null ? null : info.node().labels().get(key);
                if (value != null) {
                    known.set(slot, value);
                }
            }
            topologies.put(key, known);
        }
        return known;
    }

    /** The zones of the nodes, by {@link Node#zoneKey()}; a node without one has no value. */
    public TopologyColumn zones() {
        TopologyColumn known = zones;
        if (known == null) {
            known = new TopologyColumn(table.size());
            for (int slot = 0; slot < table.size(); slot++) {
                NodeInfo info = table.at(slot);
                if (info != null && !info.node().zoneKey().isEmpty()) {
                    known.set(slot, info.node().zoneKey());
                }
            }
            zones = known;
        }
        return known;
    }

    /** Counts of the pods that a query means. */
    public PodCounts counts(PodQuery query) {
        if (query.isLong()) {
            // Its pod may be one of thousands, all of which would be remembered long after they are gone.
            PodCounts once = new PodCounts(this, query);
            once.refresh();
            return once;
        }
        PodCounts known = counts.get(query);
        if (known == null) {
            int bound = Math.max(MIN_QUERIES, MAX_CELLS / (table.size() + 1));
            while (counts.size() >= bound) {
                counts.remove(counts.keySet().iterator().next());
            }
            known = new PodCounts(this, query);
            counts.put(query, known);
        }
        known.refresh();
        return known;
    }

    /** What nodes have and what their pods ask for, added up by these rules. */
    public NodeAmounts amounts(RequestRules rules) {
        NodeAmounts known = amounts.get(rules);
        if (known == null) {
            known = new NodeAmounts(this, rules);
            amounts.put(rules, known);
        }
        known.refresh();
        return known;
    }

    /** Pods with inter-pod affinity, grouped by what they want. */
    public PodsWithAffinity affinityOwners() {
        owners.refresh();
        return owners;
    }
}
