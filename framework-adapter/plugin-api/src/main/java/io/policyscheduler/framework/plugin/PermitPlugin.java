package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Duration;
import java.util.Objects;

/** Approves, delays or rejects the binding of a pod. */
public interface PermitPlugin extends Plugin {
    /** The maximum timeout. */
    Duration MAX_WAIT = Duration.ofMinutes(15);

    /**
     * The result of a permit plugin.
     *
     * @param status success, a rejection, an error, or wait
     * @param timeout with wait: the time until the pod is rejected unless {@link WaitingPods} allows it; at most {@link #MAX_WAIT}
     *     is used
     */
    record Answer(Status status, Duration timeout) {
        public Answer {
            Objects.requireNonNull(status, "status");
            Objects.requireNonNull(timeout, "timeout");
        }

        /** Continue. */
        public static final Answer APPROVED = new Answer(Status.SUCCESS, Duration.ZERO);

        /** Wait for at most this long. */
        public static Answer waitFor(Duration timeout) {
            return new Answer(Status.WAIT, timeout);
        }

        /** A rejection or an error. */
        public static Answer of(Status status) {
            return new Answer(status, Duration.ZERO);
        }
    }

    /** Called after the pod is reserved on {@code node}. */
    Answer permit(CycleState state, PodInfo pod, String node);
}
