package io.policyscheduler.cmd.page;

import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceVector;

/**
 * A node and what is requested on it, at one moment.
 *
 * @param closed takes no pods, because something runs there that cannot be read
 * @param pods how many count there
 * @param milliCpu requested, in thousandths of a core
 * @param memory requested, in bytes
 * @param scalars requested of the extended resources, in the order in which the node offers them
 */
record NodeRow(Node node, boolean closed, int pods, long milliCpu, long memory, ImmutableLongArray scalars) {
    static NodeRow of(NodeInfo info) {
        RequestTotals requested = info.currentRequests();
        ResourceVector offered = info.allocatable();
        ImmutableLongArray.Builder scalars = ImmutableLongArray.builder(offered.scalarCount());
        for (int i = 0; i < offered.scalarCount(); i++) {
            scalars.add(requested.scalar(offered.scalarName(i)));
        }
        return new NodeRow(
                info.node(),
                info.isClosed(),
                info.podCount(),
                requested.milliCpu(),
                requested.memory(),
                scalars.build());
    }

    String name() {
        return node.name();
    }

    /** Where the node stands; empty when it does not say. */
    String zone() {
        String zone = node.labels().getOrEmpty(Node.ZONE);
        return zone.isEmpty() ? node.labels().getOrEmpty(Node.LEGACY_ZONE) : zone;
    }

    /** Empty for a node that takes pods, otherwise why it does not. */
    String trouble() {
        if (closed) {
            return "closed";
        }
        if (node.unschedulable()) {
            return "cordoned";
        }
        String ready = node.conditions().getOrEmpty("Ready");
        return ready.isEmpty() || ready.equals("True") ? "" : "not ready";
    }
}
