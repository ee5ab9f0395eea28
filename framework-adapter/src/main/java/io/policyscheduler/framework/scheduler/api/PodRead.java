package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** The answer to a read of one pod by name. */
public sealed interface PodRead {
    /** There is a pod of this name; its UID may be another one. */
    record Found(PodInfo pod) implements PodRead {}

    /** There is no pod of this name. */
    record NotFound() implements PodRead {}

    /** No answer; to be tried again. */
    record Failed(String message) implements PodRead {}
}
