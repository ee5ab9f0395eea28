package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.ClusterIndex;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.NodeInfo;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a rule that looks at the node alone: asked again only for nodes that have changed since, whichever pod is
 * decided. Used by one thread.
 */
final class NodeNumbers {
    private final ClusterView cluster;
    /** That of the attempt: while the nodes are listed incompletely there is none. */
    private @Nullable ClusterIndex index;
    /** By slot; NaN stands for one that is not known, as numbers of rules are finite. */
    private double[] numbers = new double[0];

    private long seen;

    NodeNumbers(ClusterView cluster) {
        this.cluster = cluster;
    }

    /** Forgets the numbers of nodes that came, went or changed. */
    void startAttempt() {
        ClusterIndex now = cluster.index();
        index = now;
        if (now == null) {
            return;
        }
        int slots = now.slots();
        if (numbers.length < slots) {
            int known = numbers.length;
            numbers = Arrays.copyOf(numbers, slots + slots / 8);
            Arrays.fill(numbers, known, numbers.length, Double.NaN);
        }
        now.changedSince(seen, slot -> numbers[slot] = Double.NaN);
        seen = now.generation();
    }

    /**
     * The number for a node; a copy, which may hold other pods, is always asked about.
     *
     * @throws RuleFailure when the rule fails, each time anew
     */
    double of(NodeInfo node, RuleProgram.Run run) {
        int slot = index == null ? NodeInfo.NO_SLOT : index.ownSlotOf(node);
        if (slot == NodeInfo.NO_SLOT) {
            return run.number(node);
        }
        double known = numbers[slot];
        if (Double.isNaN(known)) {
            known = run.number(node);
            numbers[slot] = known;
        }
        return known;
    }
}
