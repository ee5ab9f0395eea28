package io.policyscheduler.framework.devices;

/** The search for devices took longer than it may. */
public final class AllocationTimeout extends Exception {
    private static final long serialVersionUID = 1L;

    AllocationTimeout() {
        super("filter operation aborted: context deadline exceeded", null, false, false);
    }
}
