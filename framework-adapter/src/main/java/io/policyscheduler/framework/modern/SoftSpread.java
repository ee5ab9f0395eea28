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
import io.policyscheduler.framework.plugin.ScorePlugin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many pods each domain of the feasible nodes holds, for constraints that make nodes less welcome. Mirrors
 * {@code preScoreState} of {@code pkg/scheduler/framework/plugins/podtopologyspread/scoring.go}.
 */
final class SoftSpread {
    /** Counts of the constraints of a pod with more would only drive out those of other pods. */
    private static final int FEW = 8;

    private final PodInfo pod;
    private final List<SpreadConstraint> constraints;
    private final boolean allKeys;
    private final double[] weights;
    /** By constraint: pods by domain; empty for a constraint by host name, whose domains are counted when they are scored. */
    private final List<Map<String, Long>> counts;

    private final @Nullable ClusterIndex index;
    /** By constraint: pods by node, kept from attempt to attempt; null where they are counted here. */
    private final List<@Nullable PodCounts> known = new ArrayList<>();

    private final @Nullable CachedCounts kept;

    /**
     * @param allKeys nodes that lack a key are left out
     * @param apart whether each constraint has counts of its own; up to 1.32 those with the same topologyKey share them
     */
    SoftSpread(
            PodInfo pod,
            List<SpreadConstraint> constraints,
            boolean allKeys,
            boolean apart,
            List<NodeInfo> feasible,
            ClusterView cluster) {
        this.pod = pod;
        this.constraints = constraints;
        this.allKeys = allKeys;
        this.counts = new ArrayList<>();
        this.index = cluster.index();
        this.weights = new double[constraints.size()];
        boolean shares = !apart && sharesKeys(constraints);
        this.kept = index == null || constraints.size() > FEW || shares
                ? null
                : CachedCounts.of(pod, constraints, allKeys, feasible, index);
        if (kept != null) {
            return;
        }
        for (SpreadConstraint constraint : constraints) {
            PodQuery query = constraint.query(pod.namespace());
            known.add(index == null || query == null || constraints.size() > FEW ? null : index.counts(query));
        }
        int considered = openDomains(feasible, shares);
        for (int i = 0; i < weights.length; i++) {
            boolean countedBefore = shares && SpreadConstraint.firstWithKeyOf(i, constraints) != i;
            int domains = countedBefore ? 0 : counts.get(i).size();
            int size = constraints.get(i).byHostname() ? considered : domains;
            weights[i] = StrictMath.log(size + 2.0);
        }
        NodeConstraints demands = NodeConstraints.ofCurrent(pod);
        TolerationSet tolerations = new TolerationSet(pod.tolerations());
        for (NodeInfo node : cluster.nodes()) {
            count(node, tolerations, demands);
        }
    }

    private static boolean sharesKeys(List<SpreadConstraint> constraints) {
        for (int i = 0; i < constraints.size(); i++) {
            if (SpreadConstraint.firstWithKeyOf(i, constraints) != i) {
                return true;
            }
        }
        return false;
    }

    private int openDomains(List<NodeInfo> feasible, boolean shares) {
        for (int i = 0; i < constraints.size(); i++) {
            int first = shares ? SpreadConstraint.firstWithKeyOf(i, constraints) : i;
            counts.add(first == i ? new HashMap<>() : counts.get(first));
        }
        int considered = 0;
        for (NodeInfo info : feasible) {
            if (isIgnored(info.node())) {
                continue;
            }
            considered++;
            for (int i = 0; i < constraints.size(); i++) {
                if (!constraints.get(i).byHostname()) {
                    counts.get(i)
                            .putIfAbsent(
                                    info.node()
                                            .labels()
                                            .getOrEmpty(constraints.get(i).topologyKey()),
                                    0L);
                }
            }
        }
        return considered;
    }

    private void count(NodeInfo info, TolerationSet tolerations, NodeConstraints demands) {
        Node node = info.node();
        if (isIgnored(node)) {
            return;
        }
        for (int i = 0; i < constraints.size(); i++) {
            SpreadConstraint constraint = constraints.get(i);
            Map<String, Long> domains = counts.get(i);
            String domain = node.labels().getOrEmpty(constraint.topologyKey());
            if (domains.containsKey(domain) && constraint.includes(node, tolerations, demands)) {
                domains.merge(domain, (long) countOn(i, info), Long::sum);
            }
        }
    }

    private int countOn(int constraint, NodeInfo info) {
        PodCounts pods = known.get(constraint);
        int slot = pods == null || index == null ? NodeInfo.NO_SLOT : index.ownSlotOf(info);
        return pods == null || slot == NodeInfo.NO_SLOT
                ? constraints.get(constraint).countOn(info, pod.namespace())
                : pods.at(slot);
    }

    private boolean isIgnored(Node node) {
        return allKeys && !SpreadConstraint.allKeysOn(node, constraints);
    }

    /** Before it is made a whole number. */
    double score(NodeInfo info) {
        int slot = kept == null || index == null ? NodeInfo.NO_SLOT : index.ownSlotOf(info);
        if (kept != null && slot != NodeInfo.NO_SLOT) {
            return kept.score(slot);
        }
        if (isIgnored(info.node())) {
            return 0;
        }
        double score = 0;
        for (int i = 0; i < weights.length; i++) {
            SpreadConstraint constraint = constraints.get(i);
            String domain = info.node().labels().get(constraint.topologyKey());
            if (domain != null) {
                long count = constraint.byHostname()
                        ? countOn(i, info)
                        : counts.get(i).getOrDefault(domain, 0L);
                score += count * weights[i] + (constraint.maxSkew() - 1);
            }
        }
        return score;
    }

    void normalize(List<NodeInfo> nodes, long[] scores) {
        long min = Long.MAX_VALUE;
        long max = 0;
        for (int i = 0; i < scores.length; i++) {
            if (!isIgnored(nodes.get(i).node())) {
                min = Math.min(min, scores[i]);
                max = Math.max(max, scores[i]);
            }
        }
        for (int i = 0; i < scores.length; i++) {
            scores[i] = isIgnored(nodes.get(i).node()) ? ScorePlugin.MIN_SCORE : normalized(scores[i], min, max);
        }
    }

    /** A node's score among those from {@code min} to {@code max}. */
    static long normalized(long score, long min, long max) {
        return max == 0 ? ScorePlugin.MAX_SCORE : ScorePlugin.MAX_SCORE * (max + min - score) / max;
    }

    /** The same by the counts of the cluster's index; null when they are counted here. */
    @Nullable
    CachedCounts kept() {
        return kept;
    }

    /** {@link SoftSpread} by the counts and the slots of the cluster's index. */
    static final class CachedCounts {
        /** One constraint at work. */
        private static final class Part {
            final SpreadConstraint constraint;
            final TopologyColumn column;
            /** Null when no pod is counted. */
            final @Nullable PodCounts pods;
            /** Pods by number of the domain. */
            final long[] counts;
            /** The domain of nodes without the label, which is that of an empty value. */
            final int unlabelled;

            final boolean[] open;
            double weight;

            Part(SpreadConstraint constraint, TopologyColumn column, @Nullable PodCounts pods) {
                this.constraint = constraint;
                this.column = column;
                this.pods = pods;
                this.counts = new long[column.valueCount() + 1];
                this.open = new boolean[counts.length];
                int empty = column.numberOf("");
                this.unlabelled = empty == TopologyColumn.NONE ? column.valueCount() : empty;
            }

            int domain(int slot) {
                int value = column.at(slot);
                return value == TopologyColumn.NONE ? unlabelled : value;
            }

            int countAt(int slot) {
                return pods == null ? 0 : pods.at(slot);
            }
        }

        private final ClusterIndex index;
        private final boolean allKeys;
        private final Part[] parts;

        private CachedCounts(ClusterIndex index, boolean allKeys, Part[] parts) {
            this.index = index;
            this.allKeys = allKeys;
            this.parts = parts;
        }

        /** Counts for a pod; null when one of the feasible nodes is none of the index. */
        static @Nullable CachedCounts of(
                PodInfo pod,
                List<SpreadConstraint> constraints,
                boolean allKeys,
                List<NodeInfo> feasible,
                ClusterIndex index) {
            List<Part> parts = new ArrayList<>(constraints.size());
            for (SpreadConstraint constraint : constraints) {
                PodQuery query = constraint.query(pod.namespace());
                parts.add(new Part(
                        constraint,
                        index.topology(constraint.topologyKey()),
                        query == null ? null : index.counts(query)));
            }
            CachedCounts spread = new CachedCounts(index, allKeys, parts.toArray(Part[]::new));
            if (!spread.open(feasible)) {
                return null;
            }
            spread.count(pod);
            return spread;
        }

        private boolean open(List<NodeInfo> feasible) {
            int considered = 0;
            for (int i = 0; i < feasible.size(); i++) {
                int slot = index.ownSlotOf(feasible.get(i));
                if (slot == NodeInfo.NO_SLOT) {
                    return false;
                }
                if (isIgnored(slot)) {
                    continue;
                }
                considered++;
                for (Part part : parts) {
                    part.open[part.domain(slot)] = true;
                }
            }
            for (Part part : parts) {
                int domains = 0;
                for (boolean open : part.open) {
                    domains += open ? 1 : 0;
                }
                part.weight = StrictMath.log((part.constraint.byHostname() ? considered : domains) + 2.0);
            }
            return true;
        }

        private void count(PodInfo pod) {
            boolean demandsNothing =
                    pod.spec().nodeSelector().isEmpty() && pod.affinity().requiredNode() == null;
            NodeConstraints demands = NodeConstraints.ofCurrent(pod);
            TolerationSet tolerations = new TolerationSet(pod.tolerations());
            for (int slot : index.order()) {
                if (isIgnored(slot)) {
                    continue;
                }
                for (Part part : parts) {
                    int onNode = part.constraint.byHostname() ? 0 : part.countAt(slot);
                    if (onNode == 0 || !part.open[part.domain(slot)]) {
                        continue;
                    }
                    NodeInfo node = index.at(slot);
                    if (node != null
                            && (part.constraint.includesAll(demandsNothing)
                                    || part.constraint.includes(node.node(), tolerations, demands))) {
                        part.counts[part.domain(slot)] += onNode;
                    }
                }
            }
        }

        private boolean isIgnored(int slot) {
            for (int i = 0; allKeys && i < parts.length; i++) {
                if (parts[i].column.at(slot) == TopologyColumn.NONE) {
                    return true;
                }
            }
            return false;
        }

        /** Before it is made a whole number; as {@link SoftSpread#score}. */
        double score(int slot) {
            if (isIgnored(slot)) {
                return 0;
            }
            double score = 0;
            for (Part part : parts) {
                int value = part.column.at(slot);
                if (value != TopologyColumn.NONE) {
                    long count = part.constraint.byHostname() ? part.countAt(slot) : part.counts[value];
                    score += count * part.weight + (part.constraint.maxSkew() - 1);
                }
            }
            return score;
        }

        /** Scores nodes and brings the scores into 0..100. */
        void scores(int[] slots, int count, boolean rounds, long[] scores) {
            long min = Long.MAX_VALUE;
            long max = 0;
            for (int i = 0; i < count; i++) {
                double score = score(slots[i]);
                scores[i] = rounds ? Math.round(score) : (long) score;
                if (!isIgnored(slots[i])) {
                    min = Math.min(min, scores[i]);
                    max = Math.max(max, scores[i]);
                }
            }
            for (int i = 0; i < count; i++) {
                scores[i] = isIgnored(slots[i]) ? ScorePlugin.MIN_SCORE : SoftSpread.normalized(scores[i], min, max);
            }
        }
    }
}
