package io.policyscheduler.framework.devices.cel;

/** An expression cannot be used, or not for a device. The message is what Kubernetes says, without the place of the expression. */
public final class SelectorException extends Exception {
    private static final long serialVersionUID = 1L;

    SelectorException(String message) {
        super(message, null, false, false);
    }
}
