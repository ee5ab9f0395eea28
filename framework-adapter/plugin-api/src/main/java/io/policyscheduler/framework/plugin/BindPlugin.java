package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Binds pods instead of the default binder. Called on a binding thread; may block. */
public interface BindPlugin extends Plugin {
    /** Returns success if the pod is bound, skip to leave it to the next plugin; anything else ends this attempt. */
    Status bind(CycleState state, PodInfo pod, String node);
}
