package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.index.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many pods each domain holds, for constraints that forbid nodes. Mirrors {@code preFilterState} of
 * {@code pkg/scheduler/framework/plugins/podtopologyspread/filtering.go}.
 */
final class HardSpread {
    private static final Status NO_LABEL =
            Status.unresolvable("node(s) didn't match pod topology spread constraints (missing required label)");
    private static final Status SKEWED = Status.unschedulable("node(s) didn't match pod topology spread constraints");

    /** Counts of the constraints of a pod with more would only drive out those of other pods. */
    private static final int FEW = 8;

    /** Pods by domain, with the two emptiest domains at hand. As long as one domain only changes, the emptiest stays exact. */
    private static final class Domains {
        private final Map<String, Integer> counts;
        private String emptiest = "";
        private int least = Integer.MAX_VALUE;
        private String second = "";
        private int secondLeast = Integer.MAX_VALUE;

        Domains() {
            this.counts = new HashMap<>();
        }

        Domains(Domains other) {
            this.counts = new HashMap<>(other.counts);
            this.emptiest = other.emptiest;
            this.least = other.least;
            this.second = other.second;
            this.secondLeast = other.secondLeast;
        }

        void put(String domain, int pods, boolean replaces) {
            if (replaces) {
                counts.put(domain, pods);
            } else {
                add(domain, pods);
            }
        }

        void add(String domain, int pods) {
            counts.merge(domain, pods, Integer::sum);
        }

        int count(String domain) {
            return counts.getOrDefault(domain, 0);
        }

        void rankAll() {
            counts.forEach(this::rank);
        }

        void rank(String domain, int count) {
            boolean first = least != Integer.MAX_VALUE && domain.equals(emptiest);
            if (first) {
                least = count;
            } else if (secondLeast != Integer.MAX_VALUE && domain.equals(second)) {
                secondLeast = count;
            } else if (count < least) {
                second = emptiest;
                secondLeast = least;
                emptiest = domain;
                least = count;
                return;
            } else if (count < secondLeast) {
                second = domain;
                secondLeast = count;
                return;
            }
            if (least > secondLeast) {
                String domainBefore = emptiest;
                int leastBefore = least;
                emptiest = second;
                least = secondLeast;
                second = domainBefore;
                secondLeast = leastBefore;
            }
        }

        int least(int minDomains) {
            return counts.size() < minDomains ? 0 : least;
        }
    }

    /** The domains of topology spread constraints as numbers, one after the other for each constraint; read off by slot where there is an index. */
    private static final class SpreadDomains {
        /** The node does not have the key. */
        static final int NONE = TopologyColumn.NONE;

        private static final class OfKey {
            final String key;
            final @Nullable TopologyColumn column;
            /** Values that the index does not know. */
            final Map<String, Integer> others = new HashMap<>();

            OfKey(String key, @Nullable TopologyColumn column) {
                this.key = key;
                this.column = column;
            }

            int known() {
                return column == null ? 0 : column.valueCount();
            }

            int numberOf(String value) {
                int known = column == null ? NONE : column.numberOf(value);
                return known == NONE ? others.computeIfAbsent(value, any -> known() + others.size()) : known;
            }
        }

        private final @Nullable ClusterIndex index;
        private final OfKey[] keys;

        /** @param index of the cluster with the nodes that will be asked about; null for none */
        SpreadDomains(List<SpreadConstraint> constraints, @Nullable ClusterIndex index) {
            this.index = index;
            this.keys = new OfKey[constraints.size()];
            for (int i = 0; i < keys.length; i++) {
                String key = constraints.get(i).topologyKey();
                keys[i] = new OfKey(key, index == null ? null : index.topology(key));
            }
        }

        /** The domain of a node by a constraint, or {@link #NONE}. */
        int of(int constraint, NodeInfo node) {
            OfKey key = keys[constraint];
            int slot = index == null ? NodeInfo.NO_SLOT : index.slotOf(node);
            if (slot != NodeInfo.NO_SLOT && key.column != null) {
                return key.column.at(slot);
            }
            String value = node.node().labels().get(key.key);
            return value == null ? NONE : key.numberOf(value);
        }

        /** True when the node has the keys of all constraints. */
        boolean hasAll(NodeInfo node) {
            for (int i = 0; i < keys.length; i++) {
                if (of(i, node) == NONE) {
                    return false;
                }
            }
            return true;
        }

        /** Domains known of a constraint so far have numbers below this. */
        int size(int constraint) {
            return keys[constraint].known() + keys[constraint].others.size();
        }
    }

    private final PodInfo pod;
    private final NodeConstraints demands;
    private final TolerationSet tolerations;
    private final List<SpreadConstraint> constraints;
    private final Domains[] domains;
    private final int[] self;

    /**
     * How releases count. Up to 1.32, constraints with the same topologyKey share their counts.
     *
     * @param apart whether each constraint has counts of its own
     * @param eligibleOnly whether only pods on eligible nodes count
     */
    record Counting(boolean apart, boolean eligibleOnly) {
        static Counting of(Release release) {
            return new Counting(
                    SchedulerChange.CONSTRAINTS_APART.in(release), SchedulerChange.ELIGIBLE_NODES_ONLY.in(release));
        }
    }

    HardSpread(PodInfo pod, List<SpreadConstraint> constraints, ClusterView cluster, Counting counting) {
        this.pod = pod;
        this.demands = NodeConstraints.ofCurrent(pod);
        this.tolerations = new TolerationSet(pod.tolerations());
        this.constraints = constraints;
        this.domains = new Domains[constraints.size()];
        this.self = new int[constraints.size()];
        for (int i = 0; i < domains.length; i++) {
            int first = counting.apart() ? i : SpreadConstraint.firstWithKeyOf(i, constraints);
            domains[i] = first == i ? new Domains() : domains[first];
            self[i] = constraints.get(i).selects(pod.labels()) ? 1 : 0;
        }
        countAll(cluster, counting);
        for (Domains each : domains) {
            each.rankAll();
        }
    }

    private HardSpread(HardSpread other) {
        this.pod = other.pod;
        this.demands = other.demands;
        this.tolerations = other.tolerations;
        this.constraints = other.constraints;
        this.self = other.self;
        this.domains = new Domains[other.domains.length];
        for (int i = 0; i < domains.length; i++) {
            int shared = List.of(other.domains).indexOf(other.domains[i]);
            domains[i] = shared == i ? new Domains(other.domains[i]) : domains[shared];
        }
    }

    HardSpread copy() {
        return new HardSpread(this);
    }

    private void countAll(ClusterView cluster, Counting counting) {
        ClusterIndex index = cluster.index();
        SpreadDomains numbers = new SpreadDomains(constraints, index);
        List<@Nullable PodCounts> known = new ArrayList<>();
        for (SpreadConstraint constraint : constraints) {
            PodQuery query = constraint.query(pod.namespace());
            known.add(index == null || query == null || constraints.size() > FEW ? null : index.counts(query));
        }
        List<NodeInfo> nodes = new ArrayList<>(cluster.nodes().size());
        for (NodeInfo node : cluster.nodes()) {
            if (numbers.hasAll(node)) {
                nodes.add(node);
            }
        }
        for (int i = 0; i < domains.length; i++) {
            Map<Integer, NodeInfo> first = new LinkedHashMap<>();
            int[] pods = new int[numbers.size(i)];
            for (NodeInfo info : nodes) {
                if (constraints.get(i).includes(info.node(), tolerations, demands)) {
                    first.putIfAbsent(numbers.of(i, info), info);
                }
            }
            for (NodeInfo info : counting.eligibleOnly() ? nodes : cluster.nodes()) {
                int domain = numbers.of(i, info);
                if (domain != SpreadDomains.NONE
                        && first.containsKey(domain)
                        && (!counting.eligibleOnly()
                                || constraints.get(i).includes(info.node(), tolerations, demands))) {
                    pods[domain] += count(i, info, index == null ? null : known.get(i), index);
                }
            }
            // Releases that share counts replaced them in 1.23 to 1.32, and added them up before.
            boolean replaces = counting.eligibleOnly() && !counting.apart();
            String key = constraints.get(i).topologyKey();
            Domains counted = domains[i];
            first.forEach((domain, info) -> counted.put(info.node().labels().getOrEmpty(key), pods[domain], replaces));
        }
    }

    private int count(int constraint, NodeInfo info, @Nullable PodCounts known, @Nullable ClusterIndex index) {
        int slot = known == null || index == null ? NodeInfo.NO_SLOT : index.ownSlotOf(info);
        return known == null || slot == NodeInfo.NO_SLOT
                ? constraints.get(constraint).countOn(info, pod.namespace())
                : known.at(slot);
    }

    /** Counts a pod on the node, or with -1 no longer; here an empty selector and a pod that is going count too. */
    void update(PodInfo other, Node node, int delta) {
        if (!other.namespace().equals(pod.namespace()) || !SpreadConstraint.allKeysOn(node, constraints)) {
            return;
        }
        for (int i = 0; i < domains.length; i++) {
            SpreadConstraint constraint = constraints.get(i);
            if (constraint.selects(other.labels()) && constraint.includes(node, tolerations, demands)) {
                String domain = node.labels().getOrEmpty(constraint.topologyKey());
                domains[i].add(domain, delta);
                domains[i].rank(domain, domains[i].count(domain));
            }
        }
    }

    Status check(Node node) {
        for (int i = 0; i < domains.length; i++) {
            SpreadConstraint constraint = constraints.get(i);
            String domain = node.labels().get(constraint.topologyKey());
            if (domain == null) {
                return NO_LABEL;
            }
            int skew = domains[i].count(domain) + self[i] - domains[i].least(constraint.minDomains());
            if (skew > constraint.maxSkew()) {
                return SKEWED;
            }
        }
        return Status.SUCCESS;
    }
}
