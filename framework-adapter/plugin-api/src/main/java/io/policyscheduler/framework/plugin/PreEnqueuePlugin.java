package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Holds pods back before they enter the queue. Asked again whenever the pod or the cluster changes. */
public interface PreEnqueuePlugin extends Plugin {
    /** Success, or a rejection: the pod then waits without being tried. */
    Status preEnqueue(PodInfo pod);
}
