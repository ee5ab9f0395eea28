package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.FitErrorText;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.List;

/**
 * Why a node does not take the pod.
 *
 * @param plugin the plugin that said so; the first of several
 * @param status a rejection or an error
 */
record NodeStatus(String plugin, Status status) {
    static final NodeStatus NODE_GONE =
            new NodeStatus("", Status.rejected(false, List.of(FitErrorText.NODE_BEING_DELETED)));

    static final NodeStatus NODE_CLOSED =
            new NodeStatus("", Status.rejected(false, List.of("node(s) had a pod that cannot be read")));

    /** Both reasons together. */
    NodeStatus and(NodeStatus other) {
        List<String> reasons = new ArrayList<>(status.reasons());
        reasons.addAll(other.status.reasons());
        boolean resolvable =
                status.code() == Status.Code.UNSCHEDULABLE && other.status.code() == Status.Code.UNSCHEDULABLE;
        return new NodeStatus(plugin, Status.rejected(resolvable, reasons));
    }

    NodeFailure toFailure() {
        return new NodeFailure(status.reasons(), status.code() != Status.Code.UNSCHEDULABLE, plugin);
    }
}
