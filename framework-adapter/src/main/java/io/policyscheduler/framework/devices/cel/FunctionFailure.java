package io.policyscheduler.framework.devices.cel;

/** A function of an expression cannot answer. The message is what Kubernetes says. */
final class FunctionFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FunctionFailure(String message) {
        super(message, null, false, false);
    }
}
