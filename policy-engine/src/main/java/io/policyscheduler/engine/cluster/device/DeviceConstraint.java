package io.policyscheduler.engine.cluster.device;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ties devices of a claim together.
 *
 * @param requests names of requests, or {@code request/alternative}; empty for all
 * @param matchAttribute the attribute that must be there and equal; null when the constraint is of a kind that is not known
 */
public record DeviceConstraint(
        List<String> requests, @Nullable String matchAttribute) {
    public DeviceConstraint {
        requests = List.copyOf(requests);
    }
}
