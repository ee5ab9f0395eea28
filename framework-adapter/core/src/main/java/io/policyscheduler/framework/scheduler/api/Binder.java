package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.function.Consumer;

/** Binds pods to nodes, without blocking. */
@FunctionalInterface
public interface Binder {
    /**
     * Binds {@code pod}, this UID and no other, to {@code node}.
     *
     * @param done to be called exactly once, on any thread, also before this method returns
     */
    void bind(PodInfo pod, String node, Consumer<BindOutcome> done);

    /**
     * How a bind ended.
     *
     * @param kind what came of it
     * @param message the error as users see it; empty when bound
     */
    public record BindOutcome(Kind kind, String message) {
        /** The pod is on the node, whether by this call or an earlier one. */
        public static final BindOutcome BOUND = new BindOutcome(Kind.BOUND, "");

        /** Outcomes of a bind. */
        public enum Kind {
            BOUND,
            /** Refused, because the pod is bound elsewhere or being deleted (409). */
            CONFLICT,
            /** The pod no longer exists, or another one bears its name (404). */
            GONE,
            /** Refused for another reason; nothing was bound. */
            FAILED,
            /** No answer: it may have been bound or not. */
            UNKNOWN
        }

        public static BindOutcome conflict(String message) {
            return new BindOutcome(Kind.CONFLICT, message);
        }

        public static BindOutcome gone(String message) {
            return new BindOutcome(Kind.GONE, message);
        }

        public static BindOutcome failed(String message) {
            return new BindOutcome(Kind.FAILED, message);
        }

        public static BindOutcome unknown(String message) {
            return new BindOutcome(Kind.UNKNOWN, message);
        }
    }
}
