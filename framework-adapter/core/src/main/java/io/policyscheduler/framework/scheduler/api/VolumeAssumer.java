package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.function.Consumer;

/** Speaks for the volumes of a pod whose node has been chosen. Called on the scheduling thread. */
@FunctionalInterface
public interface VolumeAssumer {
    /** Assumes nothing. */
    VolumeAssumer NONE = (pod, node) -> Assumed.NOTHING;

    /** Takes the volumes that {@code pod} is to use on {@code node}. */
    Assumed assume(PodInfo pod, String node);

    /** The pod no longer waits for a node; what was found out about its volumes can be dropped. */
    default void drop(PodInfo pod) {}

    /** What was assumed for one pod. */
    interface Assumed {
        /** Every claim is already bound, or there are none. */
        Assumed NOTHING = new Assumed() {};

        /** Why nothing could be assumed; empty on success. */
        default String error() {
            return "";
        }

        /**
         * Carries the assumption out, without blocking.
         *
         * @param done to be called once, on any thread, with the error or an empty string
         */
        default void bind(Consumer<String> done) {
            done.accept("");
        }

        /** Takes the assumption back. */
        default void undo() {}
    }
}
