package io.policyscheduler.framework.devices;

/** A resource claim could not be written. The message is Kubernetes' own. */
public final class ClaimWriteException extends Exception {
    private static final long serialVersionUID = 1L;

    public ClaimWriteException(String message) {
        super(message);
    }
}
