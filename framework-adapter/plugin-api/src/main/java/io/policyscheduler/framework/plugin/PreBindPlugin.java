package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Prepares a node for the pod, e.g. by mounting something. Called on a binding thread; may block. */
public interface PreBindPlugin extends Plugin {
    /**
     * Returns skip if {@link #preBind} has nothing to do for this pod: it is not called then. Otherwise, the node is written into
     * {@code status.nominatedNodeName} before it is called. Anything but success and skip ends this attempt. Called on the scheduling
     * thread after Permit plugins, before the pod waits for them, by profiles of 1.35 and later; must not block. Mirrors
     * {@code PreBindPreFlight}.
     */
    default Status preBindPreFlight(CycleState state, PodInfo pod, String node) {
        return Status.SUCCESS;
    }

    /**
     * Success or skip; anything else ends this attempt. If the pod is deleted or preempted meanwhile, {@code unreserve} is called
     * while this method runs, and its result is ignored. The next call for the same pod waits until this one returns.
     */
    Status preBind(CycleState state, PodInfo pod, String node);
}
