package io.policyscheduler.engine.testing;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;

/** Pods of one controller: equal except for what the API server sets. */
public final class Siblings {
    private Siblings() {}

    /** Returns the pod that the controller of {@code pod} would have created instead, with another name. */
    public static PodInfo of(PodInfo pod, String name) {
        return new PodInfo(
                pod.namespace(),
                name,
                "uid-" + name,
                "12345",
                pod.labels(),
                pod.annotations(),
                pod.controller(),
                pod.terminating(),
                pod.nodeName(),
                pod.spec(),
                "Unknown",
                "",
                pod.startTimeMillis() + 1000,
                "nominated-" + name,
                pod.scheduled(),
                false,
                PodInfo.NO_TIME,
                List.of(),
                0);
    }
}
