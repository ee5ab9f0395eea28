package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import org.jspecify.annotations.Nullable;

/** Works something out once per pod before any node is looked at. */
public interface PreFilterPlugin extends Plugin {
    /** Called once per attempt. */
    PreFilterResult preFilter(CycleState state, PodContext context);

    /**
     * Counts another pod in {@code state} as if it ran on {@code node}, for what-if questions. Not called after a skip.
     *
     * @return null, or the text of an error
     */
    default @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
        return null;
    }

    /**
     * Stops counting another pod on {@code node}.
     *
     * @return null, or the text of an error
     */
    default @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
        return null;
    }
}
