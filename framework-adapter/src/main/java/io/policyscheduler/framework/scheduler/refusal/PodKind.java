package io.policyscheduler.framework.scheduler.refusal;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec;
import org.jspecify.annotations.Nullable;

/**
 * What a pod has in common with its successor: the controller that makes both, or, without one, namespace and spec.
 *
 * @param owner UID of the controller; else the namespace
 * @param spec null for the pods of a controller
 */
record PodKind(String owner, @Nullable PodSpec spec) {
    static PodKind of(PodInfo pod) {
        return pod.controller() == null
                ? new PodKind(pod.namespace(), pod.spec())
                : new PodKind(pod.controller().uid(), null);
    }
}
