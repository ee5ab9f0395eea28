package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.PodQuery;
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

    private final @Nullable KeptSpread kept;

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
                : KeptSpread.of(pod, constraints, allKeys, feasible, index);
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
    KeptSpread kept() {
        return kept;
    }
}
