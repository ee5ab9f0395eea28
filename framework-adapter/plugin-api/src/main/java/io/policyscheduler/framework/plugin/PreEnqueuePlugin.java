package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Gates pods before they enter the queue. Called again whenever the pod or the cluster changes. */
public interface PreEnqueuePlugin extends Plugin {
    /** Returns success, or a rejection: the pod is then gated. */
    Status preEnqueue(PodInfo pod);
}
