package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Receives bound pods. Called on a binding thread; may block. */
public interface PostBindPlugin extends Plugin {
    /** The pod is bound to {@code node}. */
    void postBind(CycleState state, PodInfo pod, String node);
}
