package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.PodQuery;
import io.policyscheduler.engine.cluster.index.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ScorePlugin;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@link SoftSpread} by the counts and the slots of the cluster's index. */
final class KeptSpread {
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

    private KeptSpread(ClusterIndex index, boolean allKeys, Part[] parts) {
        this.index = index;
        this.allKeys = allKeys;
        this.parts = parts;
    }

    /** Counts for a pod; null when one of the feasible nodes is none of the index. */
    static @Nullable KeptSpread of(
            PodInfo pod,
            List<SpreadConstraint> constraints,
            boolean allKeys,
            List<NodeInfo> feasible,
            ClusterIndex index) {
        List<Part> parts = new ArrayList<>(constraints.size());
        for (SpreadConstraint constraint : constraints) {
            PodQuery query = constraint.query(pod.namespace());
            parts.add(new Part(
                    constraint, index.topology(constraint.topologyKey()), query == null ? null : index.counts(query)));
        }
        KeptSpread spread = new KeptSpread(index, allKeys, parts.toArray(Part[]::new));
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
