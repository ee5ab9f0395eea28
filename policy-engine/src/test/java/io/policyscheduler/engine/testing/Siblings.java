package io.policyscheduler.engine.testing;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Pods that one controller has made: alike but for what the API server gives to each. */
public final class Siblings {
    private Siblings() {}

    /** What the controller of {@code pod} would have made in its place, under another name. */
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
                pod.startTimeMillis() + 1000,
                "nominated-" + name,
                pod.scheduled());
    }
}
