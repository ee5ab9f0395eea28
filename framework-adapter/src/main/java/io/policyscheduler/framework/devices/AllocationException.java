package io.policyscheduler.framework.devices;

/** Nothing can be said about a node: a claim, a class, a slice or a selector is not as it must be. The message is Kubernetes' own. */
public final class AllocationException extends Exception {
    private static final long serialVersionUID = 1L;

    AllocationException(String message) {
        super(message, null, false, false);
    }
}
