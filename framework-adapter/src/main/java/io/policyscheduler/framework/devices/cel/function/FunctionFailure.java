package io.policyscheduler.framework.devices.cel.function;

/** A function of an expression cannot answer. The message is what Kubernetes says. */
public final class FunctionFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message what Kubernetes says */
    public FunctionFailure(String message) {
        super(message, null, false, false);
    }
}
