package io.policyscheduler.engine.testing;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Pods of one controller: equal except for what the API server sets. */
public final class Siblings {
    private Siblings() {}

    /** Returns the pod that the controller of {@code pod} would have created instead, with another name. */
    public static PodInfo of(PodInfo pod, String name) {
        return pod.toBuilder()
                .name(name)
                .uid("uid-" + name)
                .resourceVersion("12345")
                .phase("Unknown")
                .startTimeMillis(pod.startTimeMillis() + 1000)
                .nominatedNodeName("nominated-" + name)
                .build();
    }
}
