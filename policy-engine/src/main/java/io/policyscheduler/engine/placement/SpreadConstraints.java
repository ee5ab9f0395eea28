package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.index.PodQuery.Condition;
import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The topology spread constraints of an incoming pod, either {@code DoNotSchedule} or {@code ScheduleAnyway}, with the rules of a
 * release for counting pods. Mirrors {@code pkg/scheduler/framework/plugins/podtopologyspread/common.go}. Immutable.
 */
public final class SpreadConstraints {
    private static final String HOSTNAME = "kubernetes.io/hostname";

    /** The maximum number of constraints with counts in the index; more would only evict those of other pods. */
    private static final int FEW = 8;

    /** The counts of constraints with the same topologyKey. */
    public enum SameKey {
        /** Up to 1.23: they share their counts, to which each of them adds. */
        ADDED,
        /** 1.24 to 1.32: they share their counts. The filter uses those of the last one, and scores the sum. */
        REPLACED,
        /** Since 1.33: each constraint has its own counts. */
        SEPARATE
    }

    /**
     * The rules of a release.
     *
     * @param v117 the rules of 1.17: terminating pods count; scores count pods of all namespaces, without weights; an update does
     *     not check whether the node is eligible; {@code minDomains} and the policies have no effect
     * @param sameKey the counts of constraints with the same topologyKey
     * @param eligibleNodesOnly whether the filter counts pods on eligible nodes only, else on all nodes of an eligible domain
     * @param emptyCountsAll whether an empty selector counts all pods of the namespace
     * @param rounds whether scores are rounded, else truncated
     * @param weighs whether scores have weights by the number of domains and depend on maxSkew; else only the number of pods counts
     * @param passesWithoutDomains whether all nodes pass the filter if no eligible node has all topology keys
     * @param changesWholeDomains whether an update counts on nodes that are not eligible
     */
    public record Counting(
            boolean v117,
            SameKey sameKey,
            boolean eligibleNodesOnly,
            boolean emptyCountsAll,
            boolean rounds,
            boolean weighs,
            boolean passesWithoutDomains,
            boolean changesWholeDomains) {
        /** The algorithms of 1.17, {@code EvenPodsSpread} and {@code EvenPodsSpreadPriority}. */
        public static final Counting V1_17 = new Counting(true, SameKey.ADDED, true, true, false, false, true, true);

        /** The plugin PodTopologySpread of a release since 1.18. */
        public static Counting of(Release release) {
            boolean eligibleNodes = SchedulerChange.ELIGIBLE_NODES_ONLY.in(release);
            SameKey shared = eligibleNodes ? SameKey.REPLACED : SameKey.ADDED;
            return new Counting(
                    false,
                    SchedulerChange.SEPARATE_CONSTRAINTS.in(release) ? SameKey.SEPARATE : shared,
                    eligibleNodes || !SchedulerChange.WHOLE_DOMAINS.in(release),
                    !SchedulerChange.EMPTY_SELECTORS_COUNT_NOTHING.in(release),
                    SchedulerChange.ROUNDED_SPREADING.in(release),
                    SchedulerChange.WEIGHTED_SPREADING.in(release),
                    !SchedulerChange.MISSING_DOMAINS_REJECT.in(release),
                    !eligibleNodes);
        }
    }

    /** One constraint, prepared for many evaluations. */
    final class Constraint {
        final String topologyKey;
        final int maxSkew;
        /** With fewer domains, the minimum count is 0. */
        final int minDomains;
        /** Whether every node is a domain, which 1.17 and 1.18 do not treat specially. */
        final boolean byHostname;

        private final TopologySpreadConstraint constraint;
        private final @Nullable MemoizedSelector selector;
        private final boolean countsNothing;
        private final boolean honorsAffinity;
        private final boolean honorsTaints;

        private Constraint(TopologySpreadConstraint constraint) {
            boolean v117 = counting.v117();
            Integer minimum = constraint.minDomains();
            this.constraint = constraint;
            this.topologyKey = constraint.topologyKey();
            this.maxSkew = constraint.maxSkew();
            this.minDomains = v117 ? 0 : minimum == null ? 1 : minimum;
            this.byHostname = counting.weighs() && topologyKey.equals(HOSTNAME);
            this.selector = constraint.selector() == null ? null : new MemoizedSelector(constraint.selector());
            this.countsNothing =
                    constraint.selector() == null || (constraint.selector().isEmpty() && !counting.emptyCountsAll());
            this.honorsAffinity = v117 || !constraint.nodeAffinityPolicy().equals("Ignore");
            this.honorsTaints = !v117 && constraint.nodeTaintsPolicy().equals("Honor");
        }

        /** Whether the constraint selects a pod with these labels; an empty selector selects all. */
        boolean selects(Labels labels) {
            return selector != null && selector.matches(labels);
        }

        /** Returns the counts of the index, or null if they are not available. */
        @Nullable
        PodCounts counts(@Nullable ClusterIndex index, boolean allNamespaces) {
            if (index == null || constraint.selector() == null || countsNothing || constraints.size() > FEW) {
                return null;
            }
            List<String> namespaces = allNamespaces ? List.of() : List.of(pod.namespace());
            Condition condition = new Condition(namespaces, constraint.selector());
            return index.counts(new PodQuery(List.of(condition), !counting.v117()));
        }

        /** Returns the number of matching pods on a node. */
        int countOn(NodeInfo node, boolean allNamespaces) {
            int count = 0;
            for (int i = 0; !countsNothing && i < node.podCount(); i++) {
                PodInfo other = node.pod(i);
                if ((counting.v117() || !other.terminating())
                        && (allNamespaces || other.namespace().equals(pod.namespace()))
                        && selects(other.labels())) {
                    count++;
                }
            }
            return count;
        }

        /** Whether pods on all nodes count. */
        boolean includesAll() {
            return !honorsTaints && (!honorsAffinity || selectsNoNodes);
        }

        /** Whether pods on this node count: it is eligible with the policies of the constraint. */
        boolean includes(Node node) {
            return (!honorsAffinity || demands.accept(node))
                    && (!honorsTaints || tolerations.firstUntolerated(node.taints()) == null);
        }
    }

    /**
     * The domains of each constraint, as numbers. Label values have the numbers of the index, if there is one; other values get the
     * next numbers. Not thread-safe while {@link #register} is called.
     */
    static final class Domains {
        /** The node does not have the label. */
        static final int NONE = TopologyColumn.NONE;
        /** The value has no number. */
        static final int UNKNOWN = -2;

        private record OfKey(String key, @Nullable TopologyColumn column, Map<String, Integer> others) {
            int known() {
                return column == null ? 0 : column.valueCount();
            }

            int find(String value) {
                int known = column == null ? NONE : column.numberOf(value);
                return known == NONE ? others.getOrDefault(value, UNKNOWN) : known;
            }

            int register(String value) {
                int found = find(value);
                if (found == UNKNOWN) {
                    found = known() + others.size();
                    others.put(value, found);
                }
                return found;
            }
        }

        final @Nullable ClusterIndex index;
        private final OfKey[] keys;

        Domains(SpreadConstraints of, @Nullable ClusterIndex index) {
            this.index = index;
            this.keys = new OfKey[of.constraints.size()];
            for (int i = 0; i < keys.length; i++) {
                String key = of.get(i).topologyKey;
                keys[i] = new OfKey(key, index == null ? null : index.topology(key), new HashMap<>(0));
            }
        }

        /** Returns the domain of the node in a slot of the index, or {@link #NONE}. */
        int at(int constraint, int slot) {
            TopologyColumn column = keys[constraint].column;
            return column == null ? NONE : column.at(slot);
        }

        /** Returns the domain of a node; {@link #NONE} without the label; {@link #UNKNOWN} for a value without a number. */
        int find(int constraint, NodeInfo node) {
            String value = node.node().labels().get(keys[constraint].key);
            return value == null ? NONE : keys[constraint].find(value);
        }

        /** Returns the domain of a node, or {@link #NONE}; assigns a number to an unknown value. */
        int register(int constraint, NodeInfo node) {
            int slot = index == null ? NodeInfo.NO_SLOT : index.slotOf(node);
            if (slot != NodeInfo.NO_SLOT) {
                return at(constraint, slot);
            }
            String value = node.node().labels().get(keys[constraint].key);
            return value == null ? NONE : keys[constraint].register(value);
        }

        /** Returns the domain of the empty value, in which nodes without the label count if not all keys are required. */
        int registerEmpty(int constraint) {
            return keys[constraint].register("");
        }

        /** Returns an exclusive upper bound of domain numbers. */
        int size(int constraint) {
            return keys[constraint].known() + keys[constraint].others.size();
        }
    }

    private final PodInfo pod;
    private final Counting counting;
    private final NodeConstraints demands;
    private final boolean selectsNoNodes;
    private final TolerationSet tolerations;
    private final List<Constraint> constraints;

    /** @param constraints with the selectors of the pods to count; null matches none */
    public SpreadConstraints(PodInfo pod, List<TopologySpreadConstraint> constraints, Counting counting) {
        this.pod = pod;
        this.counting = counting;
        this.demands = counting.v117() ? NodeConstraints.of(pod) : NodeConstraints.ofCurrent(pod);
        this.selectsNoNodes =
                pod.spec().nodeSelector().isEmpty() && pod.affinity().requiredNode() == null;
        this.tolerations = new TolerationSet(pod.tolerations());
        this.constraints = constraints.stream().map(Constraint::new).toList();
    }

    PodInfo pod() {
        return pod;
    }

    Counting counting() {
        return counting;
    }

    /** Returns the number of constraints. */
    public int size() {
        return constraints.size();
    }

    Constraint get(int constraint) {
        return constraints.get(constraint);
    }

    /** Returns the first constraint with the same counts, or itself. */
    int countsOf(int constraint) {
        for (int i = 0; counting.sameKey() != SameKey.SEPARATE && i < constraint; i++) {
            if (get(i).topologyKey.equals(get(constraint).topologyKey)) {
                return i;
            }
        }
        return constraint;
    }

    /** Returns whether a node has the topology keys of all constraints. */
    public boolean allKeysOn(Node node) {
        for (int i = 0; i < constraints.size(); i++) {
            if (!node.labels().has(get(i).topologyKey)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a constraint selects a pod with these labels. */
    public boolean selectsAny(Labels labels) {
        return constraints.stream().anyMatch(constraint -> constraint.selects(labels));
    }

    /** Returns whether a constraint selects a pod with one of these label sets, but not with the other. */
    public boolean distinguishesAny(Labels one, Labels other) {
        return constraints.stream().anyMatch(constraint -> constraint.selects(one) != constraint.selects(other));
    }

    /** Returns whether a constraint ignores nodes with taints that the pod does not tolerate. */
    public boolean honorsTaints() {
        return constraints.stream().anyMatch(constraint -> constraint.honorsTaints);
    }
}
