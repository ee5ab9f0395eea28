package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.function.Consumer;

/** Binds pods to nodes, without blocking. */
@FunctionalInterface
public interface Binder {
    /**
     * Binds {@code pod}, this UID and no other, to {@code node}.
     *
     * @param done called exactly once, on any thread, possibly before this method returns
     */
    void bind(PodInfo pod, String node, Consumer<BindOutcome> done);

    /**
     * The result of a bind.
     *
     * @param kind the outcome
     * @param message the error for users; empty when bound
     */
    public record BindOutcome(Kind kind, String message) {
        /** The pod is bound to the node, by this call or an earlier one. */
        public static final BindOutcome BOUND = new BindOutcome(Kind.BOUND, "");

        /** Outcomes of a bind. */
        public enum Kind {
            BOUND,
            /** Rejected, because the pod is bound to another node or being deleted (409). */
            CONFLICT,
            /** The pod no longer exists, or another one has its name (404). */
            GONE,
            /** Rejected for another reason; the pod is not bound. */
            FAILED,
            /** No response: the pod may be bound. */
            UNKNOWN
        }

        public static BindOutcome conflict(String message) {
            return new BindOutcome(Kind.CONFLICT, message);
        }

        public static BindOutcome deleted(String message) {
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
