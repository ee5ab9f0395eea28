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
 * An index of the nodes of a {@code ClusterState}: counts of pods that are cached between attempts and updated for changed nodes.
 * All results are valid until the cluster changes. Owned by the thread that owns the state; bounded in size.
 */
public final class ClusterIndex {
    /** The maximum size of cached counts, as number of nodes times queries: 32 MB with a topology key each. */
    private static final int MAX_CELLS = 1 << 21;

    private static final int MIN_QUERIES = 64;

    private final NodeTable table;
    private final Map<String, TopologyColumn> topologies = new HashMap<>();
    private final LinkedHashMap<PodQuery, PodCounts> counts = new LinkedHashMap<>(16, 0.75f, true);
    private final PodsWithAffinity owners = new PodsWithAffinity(this);
    private final Map<RequestRules, NodeAmounts> amounts = new EnumMap<>(RequestRules.class);
    /** The shared column of all keys that no node has, whose number is unbounded. */
    private final TopologyColumn emptyColumn = new TopologyColumn(0);

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

    /** An exclusive upper bound of slots. */
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

    /** Visits each slot whose node was added, removed or changed since the counter was {@code since}, once. */
    public void changedSince(long since, IntConsumer visitor) {
        table.changedSince(since, visitor);
    }

    /** A node was added, removed or relabeled. */
    public void labelsChanged() {
        topologies.clear();
        nameRanks = null;
        zones = null;
        topologyKeys = null;
    }

    /** By slot, the rank of the node's name; 0 for an empty slot. Do not modify. */
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

    /** The keys of all node labels. No node has a value for other topology keys. */
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

    /** The slot of a node of this cluster or of its copy with the same labels; {@link NodeInfo#NO_SLOT} for any other node. */
    @SuppressWarnings("ReferenceEquality") // another object may have other labels
    public int slotOf(NodeInfo node) {
        NodeInfo known = table.at(node.slot());
        return known != null && (known == node || known.node() == node.node()) ? node.slot() : NodeInfo.NO_SLOT;
    }

    /** The slot of a node; {@link NodeInfo#NO_SLOT} for a copy, which may have other pods, and for any other node. */
    public int ownSlotOf(NodeInfo node) {
        return table.at(node.slot()) == node ? node.slot() : NodeInfo.NO_SLOT;
    }

    /** The values of a node label. */
    public TopologyColumn topology(String key) {
        TopologyColumn known = topologies.get(key);
        if (known == null && !topologyKeys().contains(key)) {
            return emptyColumn;
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

    /** The counts of the pods that match a query. */
    public PodCounts counts(PodQuery query) {
        if (query.isLong()) {
            // Not cached: thousands of pods may have such queries, which would stay long after the pods are deleted.
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

    /** The allocatable and requested resources of nodes with these rules. */
    public NodeAmounts amounts(RequestRules rules) {
        NodeAmounts known = amounts.get(rules);
        if (known == null) {
            known = new NodeAmounts(this, rules);
            amounts.put(rules, known);
        }
        known.refresh();
        return known;
    }

    /** Pods with inter-pod affinity, grouped by their terms. */
    public PodsWithAffinity affinityOwners() {
        owners.refresh();
        return owners;
    }
}
