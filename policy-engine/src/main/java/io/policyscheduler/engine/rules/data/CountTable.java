package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the pods and nodes of a cluster, kept from attempt to attempt: an attempt that asks first counts the nodes that
 * have changed since the last one, and only those where the cluster knows which. Used by one thread.
 */
public final class CountTable {
    private final ClusterView cluster;
    private final Thread owner = Thread.currentThread();
    private final CountedNodes bySlot = new CountedNodes();
    private long seen;
    /** What is counted while the order of nodes names one twice or leaves one out, and the list that it is made of. */
    private CountedNodes walked = new CountedNodes();

    private @Nullable List<NodeInfo> list;
    private long[] generations = new long[0];
    /** What this attempt looks at, null until it asks. */
    private @Nullable CountedNodes current;

    public CountTable(ClusterView cluster) {
        this.cluster = cluster;
    }

    ClusterView cluster() {
        return cluster;
    }

    /** True when the caller may use this table for an attempt on {@code view}. */
    public boolean serves(ClusterView view) {
        return view == cluster && owner == Thread.currentThread();
    }

    /** Starts an attempt: the cluster may have changed since the one before. */
    public void startAttempt() {
        current = null;
        bySlot.forget();
        walked.forget();
    }

    /** The counts as they are in this attempt. */
    CountedNodes counted() {
        CountedNodes known = current;
        if (known == null) {
            ClusterIndex index = cluster.index();
            known = index == null ? walked() : indexed(index);
            current = known;
        }
        return known;
    }

    private CountedNodes indexed(ClusterIndex index) {
        index.changedSince(seen, slot -> bySlot.set(slot, index.at(slot)));
        seen = index.generation();
        return bySlot;
    }

    private CountedNodes walked() {
        List<NodeInfo> nodes = cluster.nodes();
        if (list != nodes) {
            list = nodes;
            walked = new CountedNodes();
            generations = new long[nodes.size()];
        }
        for (int i = 0; i < generations.length; i++) {
            NodeInfo node = nodes.get(i);
            // Generations start at 1.
            if (generations[i] != node.generation()) {
                generations[i] = node.generation();
                walked.set(i, node);
            }
        }
        return walked;
    }
}
