package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Binds pods in a way of its own. Called on a binding thread; may block. */
public interface BindPlugin extends Plugin {
    /** Success when the pod is bound, skip to leave it to the next plugin; anything else gives up this attempt. */
    Status bind(CycleState state, PodInfo pod, String node);
}
