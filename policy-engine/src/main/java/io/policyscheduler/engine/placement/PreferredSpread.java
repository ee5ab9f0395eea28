package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.placement.SpreadConstraints.Constraint;
import io.policyscheduler.engine.placement.SpreadConstraints.Domains;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The scores of nodes for {@code ScheduleAnyway} constraints: nodes in domains with few matching pods score high. Pods count in the
 * domains of feasible nodes, on eligible nodes. Mirrors {@code algorithm/priorities/even_pods_spread.go} of 1.17 and
 * {@code preScoreState} of {@code pkg/scheduler/framework/plugins/podtopologyspread/scoring.go}.
 */
public final class PreferredSpread {
    private static final long MAX_SCORE = 100;
    /** The score, before it is normalized, of a node without a required key. */
    private static final long IGNORED = Long.MIN_VALUE;

    /** A constraint with its counts. */
    private static final class Part {
        final Constraint constraint;
        /** Null if the counts are not in the index. */
        final @Nullable PodCounts pods;
        /** The domains of feasible nodes. */
        final BitSet open;
        /** The domain of the empty value. */
        final int empty;
        /** Pods by domain; empty for a constraint by host name, whose domains are counted during scoring. */
        long[] counts = new long[0];

        double weight = 1;

        Part(Constraint constraint, @Nullable PodCounts pods, BitSet open, int empty) {
            this.constraint = constraint;
            this.pods = pods;
            this.open = open;
            this.empty = empty;
        }
    }

    private final SpreadConstraints constraints;
    private final boolean v117;
    private final boolean weighs;
    private final boolean allKeys;
    private final @Nullable ClusterIndex index;
    private final Domains domains;
    private final Part[] parts;
    /** Whether all feasible nodes are in the index. */
    private boolean isIndexed;

    /**
     * Counts the pods of the cluster.
     *
     * @param allKeys whether nodes that lack a topology key get the lowest score, and their pods do not count
     */
    public PreferredSpread(
            SpreadConstraints constraints, boolean allKeys, List<NodeInfo> feasible, ClusterView cluster) {
        this.constraints = constraints;
        this.v117 = constraints.counting().v117();
        this.weighs = constraints.counting().weighs();
        this.allKeys = allKeys;
        this.index = cluster.index();
        this.domains = new Domains(constraints, index);
        this.parts = new Part[constraints.size()];
        for (int i = 0; i < parts.length; i++) {
            Constraint constraint = constraints.get(i);
            int shared = constraints.countsOf(i);
            parts[i] = new Part(
                    constraint,
                    constraint.counts(index, v117),
                    shared == i ? new BitSet() : parts[shared].open,
                    domains.registerEmpty(i));
        }
        int considered = open(feasible);
        for (int i = 0; i < parts.length; i++) {
            int shared = constraints.countsOf(i);
            parts[i].counts = shared == i ? new long[domains.size(i)] : parts[shared].counts;
            if (weighs) {
                int open = shared == i ? parts[i].open.cardinality() : 0;
                parts[i].weight = StrictMath.log((parts[i].constraint.byHostname ? considered : open) + 2.0);
            }
        }
        countAll(cluster);
    }

    /** Returns the number of feasible nodes that are not ignored. */
    private int open(List<NodeInfo> feasible) {
        int considered = 0;
        isIndexed = index != null;
        for (int i = 0; i < feasible.size(); i++) {
            NodeInfo node = feasible.get(i);
            int slot = slotOf(node);
            isIndexed &= slot != NodeInfo.NO_SLOT;
            if (isIgnored(slot, node)) {
                continue;
            }
            considered++;
            for (int p = 0; p < parts.length; p++) {
                int domain = slot == NodeInfo.NO_SLOT ? domains.register(p, node) : domains.at(p, slot);
                parts[p].open.set(domain == Domains.NONE ? parts[p].empty : domain);
            }
        }
        return considered;
    }

    private void countAll(ClusterView cluster) {
        if (index == null) {
            for (NodeInfo node : cluster.nodes()) {
                count(NodeInfo.NO_SLOT, node);
            }
            return;
        }
        for (int slot : index.order()) {
            NodeInfo node = index.at(slot);
            if (node != null) {
                count(slot, node);
            }
        }
    }

    private void count(int slot, NodeInfo node) {
        if (isIgnored(slot, node)) {
            return;
        }
        for (int p = 0; p < parts.length; p++) {
            Part part = parts[p];
            // Most nodes have no matching pod.
            if (part.constraint.byHostname || (part.pods != null && part.pods.at(slot) == 0)) {
                continue;
            }
            int found = domain(p, slot, node);
            int domain = found == Domains.NONE ? part.empty : found;
            if (domain >= 0
                    && part.open.get(domain)
                    && (part.constraint.includesAll() || part.constraint.includes(node.node()))) {
                part.counts[domain] += countOn(part, slot, node);
            }
        }
    }

    private int slotOf(NodeInfo node) {
        return index == null ? NodeInfo.NO_SLOT : index.ownSlotOf(node);
    }

    private int domain(int part, int slot, NodeInfo node) {
        return slot == NodeInfo.NO_SLOT ? domains.find(part, node) : domains.at(part, slot);
    }

    private int countOn(Part part, int slot, NodeInfo node) {
        return part.pods == null || slot == NodeInfo.NO_SLOT ? part.constraint.countOn(node, v117) : part.pods.at(slot);
    }

    private boolean isIgnored(int slot, NodeInfo node) {
        for (int p = 0; allKeys && p < parts.length; p++) {
            if (domain(p, slot, node) == Domains.NONE) {
                return true;
            }
        }
        return false;
    }

    /** Returns the score of a node before {@link #normalize}; 0 for a node that is ignored. */
    public long score(NodeInfo node) {
        long score = score(slotOf(node), node);
        return score == IGNORED ? 0 : score;
    }

    private long score(int slot, NodeInfo node) {
        if (isIgnored(slot, node)) {
            return IGNORED;
        }
        double score = 0;
        for (int p = 0; p < parts.length; p++) {
            Part part = parts[p];
            int domain = domain(p, slot, node);
            if (domain != Domains.NONE) {
                long count = part.constraint.byHostname
                        ? countOn(part, slot, node)
                        : domain == Domains.UNKNOWN ? 0 : part.counts[domain];
                score += count * part.weight + (weighs ? part.constraint.maxSkew - 1 : 0);
            }
        }
        return constraints.counting().rounds() ? Math.round(score) : (long) score;
    }

    /**
     * Writes the normalized scores of feasible nodes by their slots in the index.
     *
     * @param count the number of slots, in the order of the feasible nodes
     * @return false, with {@code scores} undefined, if a feasible node is not in the index
     */
    public boolean scoreSlots(int[] slots, int count, long[] scores) {
        if (index == null || !isIndexed) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            scores[i] = score(slots[i], Objects.requireNonNull(index.at(slots[i])));
        }
        normalize(scores, count);
        return true;
    }

    /** Normalizes the scores of all feasible nodes to 0 to 100, in place. */
    public void normalize(List<NodeInfo> nodes, long[] scores) {
        for (int i = 0; allKeys && i < scores.length; i++) {
            NodeInfo node = nodes.get(i);
            scores[i] = isIgnored(slotOf(node), node) ? IGNORED : scores[i];
        }
        normalize(scores, scores.length);
    }

    private void normalize(long[] scores, int count) {
        long min = Long.MAX_VALUE;
        long max = 0;
        long total = 0;
        for (int i = 0; i < count; i++) {
            if (scores[i] != IGNORED) {
                min = Math.min(min, scores[i]);
                max = Math.max(max, scores[i]);
                total += scores[i];
            }
        }
        for (int i = 0; i < count; i++) {
            if (!weighs) {
                scores[i] = bySum(scores[i], min, total);
            } else if (scores[i] == IGNORED) {
                scores[i] = 0;
            } else {
                scores[i] = max == 0 ? MAX_SCORE : MAX_SCORE * (max + min - scores[i]) / max;
            }
        }
    }

    /** In 1.17 and 1.18, ignored nodes also get the highest score if all scores equal their sum. */
    private static long bySum(long score, long min, long total) {
        long difference = total - min;
        if (difference == 0) {
            return MAX_SCORE;
        }
        return score == IGNORED ? 0 : (long) (100.0 * ((double) (total - score) / (double) difference));
    }
}
