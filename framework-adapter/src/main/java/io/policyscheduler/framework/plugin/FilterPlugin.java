package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import org.jspecify.annotations.Nullable;

/** Rules nodes out. */
public interface FilterPlugin extends Plugin {
    /**
     * Called once per pod before any node.
     *
     * @return success; skip when {@link #filter} would pass every node, which saves calling it; a rejection or an error ends the
     *     attempt
     */
    default Status preFilter(CycleState state, PodContext context) {
        return Status.SUCCESS;
    }

    /** Whether {@code node}, as given, takes the pod. */
    Status filter(CycleState state, PodInfo pod, NodeInfo node);

    /**
     * Counts another pod as if it ran on {@code node}, for what-if questions.
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
