package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.SpreadConstraints.Constraint;
import io.policyscheduler.engine.placement.SpreadConstraints.Domains;
import io.policyscheduler.engine.placement.SpreadConstraints.SameKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The number of pods in each domain, for {@code DoNotSchedule} constraints. Pods count in domains with a node that is eligible for
 * the incoming pod. AddPod and RemovePod change the counts of a {@link #copy}. Mirrors {@code evenPodsSpreadMetadata} of
 * {@code algorithm/predicates/metadata.go} and {@code preFilterState} of {@code
 * pkg/scheduler/framework/plugins/podtopologyspread/filtering.go}.
 */
public final class RequiredSpread {
    /** The result for a node. */
    public enum Result {
        /** The node is feasible. */
        PASSES,
        /** The node does not have a topology key. */
        NO_LABEL,
        /** The domain of the node would exceed the emptiest domain by more than maxSkew. */
        SKEWED
    }

    /**
     * Pods by value of a topology key, and the two emptiest domains. Mirrors {@code criticalPaths}: as long as one domain only changes, the
     * count of the emptiest one stays exact.
     */
    private static final class Counts {
        /** The count of a node without the label; others may be negative. */
        static final int NO_LABEL = Integer.MIN_VALUE;

        private final Map<String, Integer> byValue;
        /** The values of the nodes of the index as numbers; null without an index. */
        private final @Nullable TopologyColumn column;
        /** The same counts by these numbers. */
        private final int[] byNumber;

        private String emptiest = "";
        private int least = Integer.MAX_VALUE;
        private String second = "";
        private int secondLeast = Integer.MAX_VALUE;

        Counts(@Nullable TopologyColumn column) {
            this.byValue = new HashMap<>();
            this.column = column;
            this.byNumber = new int[column == null ? 0 : column.valueCount()];
        }

        Counts(Counts other) {
            this.byValue = new HashMap<>(other.byValue);
            this.column = other.column;
            this.byNumber = other.byNumber.clone();
            this.emptiest = other.emptiest;
            this.least = other.least;
            this.second = other.second;
            this.secondLeast = other.secondLeast;
        }

        /** @param slot of the node in the index, or {@link NodeInfo#NO_SLOT} */
        int of(NodeInfo node, int slot, String key) {
            if (column != null && slot != NodeInfo.NO_SLOT) {
                int number = column.at(slot);
                return number == TopologyColumn.NONE ? NO_LABEL : byNumber[number];
            }
            String value = node.node().labels().get(key);
            return value == null ? NO_LABEL : byValue.getOrDefault(value, 0);
        }

        void rank(String value, int count) {
            int number = column == null ? TopologyColumn.NONE : column.numberOf(value);
            if (number != TopologyColumn.NONE) {
                byNumber[number] = count;
            }
            boolean first = least != Integer.MAX_VALUE && value.equals(emptiest);
            if (first) {
                least = count;
            } else if (secondLeast != Integer.MAX_VALUE && value.equals(second)) {
                secondLeast = count;
            } else if (count < least) {
                second = emptiest;
                secondLeast = least;
                emptiest = value;
                least = count;
                return;
            } else if (count < secondLeast) {
                second = value;
                secondLeast = count;
                return;
            }
            if (least > secondLeast) {
                String valueBefore = emptiest;
                int leastBefore = least;
                emptiest = second;
                least = secondLeast;
                second = valueBefore;
                secondLeast = leastBefore;
            }
        }

        int least(int minDomains) {
            return byValue.size() < minDomains ? 0 : least;
        }
    }

    private final SpreadConstraints constraints;
    private final @Nullable ClusterIndex index;
    private final Counts[] counts;
    private final int[] self;

    /** Counts the pods of the cluster. */
    public RequiredSpread(SpreadConstraints constraints, ClusterView cluster) {
        this.constraints = constraints;
        this.index = cluster.index();
        this.counts = new Counts[constraints.size()];
        this.self = new int[counts.length];
        for (int i = 0; i < counts.length; i++) {
            int shared = constraints.countsOf(i);
            TopologyColumn column = index == null ? null : index.topology(constraints.get(i).topologyKey);
            counts[i] = shared == i ? new Counts(column) : counts[shared];
            self[i] = constraints.get(i).selects(constraints.pod().labels()) ? 1 : 0;
        }
        Domains domains = new Domains(constraints, index);
        List<NodeInfo> withAllKeys = new ArrayList<>(cluster.nodes().size());
        for (NodeInfo node : cluster.nodes()) {
            if (hasAllKeys(domains, node)) {
                withAllKeys.add(node);
            }
        }
        for (int i = 0; i < counts.length; i++) {
            count(i, domains, withAllKeys, cluster);
        }
        for (Counts each : counts) {
            each.byValue.forEach(each::rank);
        }
    }

    private RequiredSpread(RequiredSpread other) {
        this.constraints = other.constraints;
        this.index = other.index;
        this.self = other.self;
        this.counts = new Counts[other.counts.length];
        for (int i = 0; i < counts.length; i++) {
            int shared = constraints.countsOf(i);
            counts[i] = shared == i ? new Counts(other.counts[i]) : counts[shared];
        }
    }

    /** An independent copy. */
    public RequiredSpread copy() {
        return new RequiredSpread(this);
    }

    private boolean hasAllKeys(Domains domains, NodeInfo node) {
        for (int i = 0; i < counts.length; i++) {
            if (domains.register(i, node) == Domains.NONE) {
                return false;
            }
        }
        return true;
    }

    private void count(int number, Domains domains, List<NodeInfo> withAllKeys, ClusterView cluster) {
        Constraint constraint = constraints.get(number);
        Map<Integer, NodeInfo> eligible = new LinkedHashMap<>();
        for (NodeInfo node : withAllKeys) {
            if (constraint.includes(node.node())) {
                eligible.putIfAbsent(domains.register(number, node), node);
            }
        }
        int[] pods = new int[domains.size(number)];
        PodCounts known = constraint.counts(domains.index, false);
        boolean eligibleOnly = constraints.counting().eligibleNodesOnly();
        for (NodeInfo node : eligibleOnly ? withAllKeys : cluster.nodes()) {
            int domain = domains.register(number, node);
            if (domain != Domains.NONE
                    && eligible.containsKey(domain)
                    && (!eligibleOnly || constraint.includes(node.node()))) {
                pods[domain] += countOn(constraint, node, known, domains.index);
            }
        }
        boolean replaces = constraints.counting().sameKey() == SameKey.REPLACED;
        Map<String, Integer> byValue = counts[number].byValue;
        eligible.forEach((domain, node) -> {
            String value = node.node().labels().getOrEmpty(constraint.topologyKey);
            // A count of 0 is relevant: its domain may be the emptiest.
            byValue.put(value, replaces ? pods[domain] : byValue.getOrDefault(value, 0) + pods[domain]);
        });
    }

    private static int countOn(
            Constraint constraint, NodeInfo node, @Nullable PodCounts known, @Nullable ClusterIndex index) {
        int slot = known == null || index == null ? NodeInfo.NO_SLOT : index.ownSlotOf(node);
        return known == null || slot == NodeInfo.NO_SLOT ? constraint.countOn(node, false) : known.at(slot);
    }

    /** Adds another pod to a node; unlike in the initial counts, a terminating pod and an empty selector count. */
    public void add(PodInfo other, NodeInfo node) {
        update(other, node.node(), 1);
    }

    /** Removes another pod from a node. */
    public void remove(PodInfo other, NodeInfo node) {
        update(other, node.node(), -1);
    }

    private void update(PodInfo other, Node node, int delta) {
        if (!other.namespace().equals(constraints.pod().namespace()) || !constraints.allKeysOn(node)) {
            return;
        }
        for (int i = 0; i < counts.length; i++) {
            Constraint constraint = constraints.get(i);
            boolean whole = constraints.counting().changesWholeDomains();
            // Up to 1.23, releases do not check here whether the node is eligible, so a count can become negative.
            if (constraint.selects(other.labels()) && (whole || constraint.includes(node))) {
                String value = node.labels().getOrEmpty(constraint.topologyKey);
                if (!constraints.counting().eligibleNodesOnly() && !counts[i].byValue.containsKey(value)) {
                    continue;
                }
                counts[i].rank(value, counts[i].byValue.merge(value, delta, Integer::sum));
            }
        }
    }

    /** Checks a node. */
    public Result check(NodeInfo node) {
        if (constraints.counting().passesWithoutDomains() && isEmpty()) {
            return Result.PASSES;
        }
        int slot = index == null ? NodeInfo.NO_SLOT : index.slotOf(node);
        for (int i = 0; i < counts.length; i++) {
            Constraint constraint = constraints.get(i);
            int count = counts[i].of(node, slot, constraint.topologyKey);
            if (count == Counts.NO_LABEL) {
                return Result.NO_LABEL;
            }
            int skew = count + self[i] - counts[i].least(constraint.minDomains);
            if (skew > constraint.maxSkew) {
                return Result.SKEWED;
            }
        }
        return Result.PASSES;
    }

    private boolean isEmpty() {
        for (Counts each : counts) {
            if (!each.byValue.isEmpty()) {
                return false;
            }
        }
        return true;
    }
}
