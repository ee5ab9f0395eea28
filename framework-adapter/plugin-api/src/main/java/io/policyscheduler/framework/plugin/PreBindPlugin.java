package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Prepares a node for the pod, e.g. by mounting something. Called on a binding thread; may block. */
public interface PreBindPlugin extends Plugin {
    /** Success or skip; anything else gives up this attempt. */
    Status preBind(CycleState state, PodInfo pod, String node);
}
