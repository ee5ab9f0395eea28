package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Duration;
import java.util.Objects;

/** Approves, delays or prevents the binding of a pod. */
public interface PermitPlugin extends Plugin {
    /** Longest that a plugin can make a pod wait. */
    Duration MAX_WAIT = Duration.ofMinutes(15);

    /**
     * An answer.
     *
     * @param status success, a rejection, an error, or wait
     * @param timeout with wait: how long until the pod is rejected unless {@link WaitingPods} lets it go on; at most
     *     {@link #MAX_WAIT} is used
     */
    record Answer(Status status, Duration timeout) {
        public Answer {
            Objects.requireNonNull(status, "status");
            Objects.requireNonNull(timeout, "timeout");
        }

        /** Go on. */
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

    /** Asked once the pod is reserved on {@code node}. */
    Answer permit(CycleState state, PodInfo pod, String node);
}
