package io.policyscheduler.cmd.kube.write;

/**
 * What became of a bind.
 *
 * @param code HTTP status of the failing answer, 0 when there was none or the bind succeeded
 * @param text the server's words for a failure, empty for success
 */
public record BindResult(Outcome outcome, int code, String text) {
    /** The cases a caller must tell apart. */
    public enum Outcome {
        /** The server accepted the binding. */
        BOUND,
        /** The binding failed or its answer was lost, but the same pod is on the wanted node. */
        ALREADY_BOUND_HERE,
        /** The pod is on another node. */
        CONFLICT,
        /** The pod no longer exists, or one of the same name took its place. */
        GONE,
        /** The server has said no; the pod may be tried again. */
        REFUSED,
        /** No answer, or a server error for one: the pod may be bound, or be so in a moment, also when it was read unbound. */
        UNKNOWN
    }

    static final BindResult BOUND = new BindResult(Outcome.BOUND, 0, "");
    static final BindResult ALREADY_BOUND_HERE = new BindResult(Outcome.ALREADY_BOUND_HERE, 0, "");

    static BindResult of(Outcome outcome, int code, String text) {
        return new BindResult(outcome, code, text);
    }

    /** The pod is on the wanted node. */
    public boolean success() {
        return outcome == Outcome.BOUND || outcome == Outcome.ALREADY_BOUND_HERE;
    }
}
