package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.rules.compiler.Reads;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a program has answered for nodes when it looks at the node object and at tables alone: the same for every pod, until node or
 * tables are others. A copy of a node has the answers of the original as long as both have the same object. Used by one thread.
 */
final class NodeAnswers {
    private static final Set<Reads> KEPT = Set.of(Reads.NODE, Reads.TABLES);

    private long revision;
    private @Nullable Node[] nodes = new Node[0];
    private @Nullable Map<?, ?>[] images = new Map<?, ?>[0];
    private double[] values = new double[0];

    private NodeAnswers() {}

    /** Null for a program that looks at more. */
    static @Nullable NodeAnswers of(RuleProgram program) {
        return KEPT.containsAll(program.reads()) ? new NodeAnswers() : null;
    }

    /** @param now another number whenever answers may be others because of tables */
    void startAttempt(long now) {
        if (revision != now) {
            revision = now;
            Arrays.fill(nodes, null);
        }
    }

    boolean has(NodeInfo node) {
        int slot = node.slot();
        return slot >= 0 && slot < nodes.length && nodes[slot] == node.node() && images[slot] == node.images();
    }

    /** To be asked only if {@link #has}. */
    double get(NodeInfo node) {
        return values[node.slot()];
    }

    void put(NodeInfo node, double value) {
        int slot = node.slot();
        if (slot < 0) {
            return;
        }
        if (slot >= nodes.length) {
            int length = Math.max(slot + 1, 2 * nodes.length);
            nodes = Arrays.copyOf(nodes, length);
            images = Arrays.copyOf(images, length);
            values = Arrays.copyOf(values, length);
        }
        Map<String, ImageState> known = node.images();
        nodes[slot] = node.node();
        images[slot] = known;
        values[slot] = value;
    }
}
