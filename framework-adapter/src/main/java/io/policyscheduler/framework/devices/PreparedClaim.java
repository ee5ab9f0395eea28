package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import java.util.List;

/** A claim as the search needs it. */
record PreparedClaim(ResourceClaimInfo claim, List<Alternatives> requests) {
    /** No claim gets more devices than so many. */
    static final int MAX_DEVICES = 32;

    /**
     * A request: the one thing it asks for, or several of which one will do.
     *
     * @param options one, or the alternatives
     */
    record Alternatives(DeviceRequest request, List<PreparedRequest> options) {
        boolean isChoice() {
            return request.exactly() == null;
        }
    }
}
