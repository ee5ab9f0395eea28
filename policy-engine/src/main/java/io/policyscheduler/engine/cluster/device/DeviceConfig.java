package io.policyscheduler.engine.cluster.device;

import java.util.List;

/**
 * What a driver is to be told, of which the scheduler understands nothing.
 *
 * @param source {@link #FROM_CLASS} or {@link #FROM_CLAIM} in an allocation; empty in classes and claims
 * @param requests names of requests it is for; empty for all
 * @param content the other fields, as a JSON object
 */
public record DeviceConfig(String source, List<String> requests, String content) {
    /** Taken from a class. */
    public static final String FROM_CLASS = "FromClass";

    /** Taken from the claim itself. */
    public static final String FROM_CLAIM = "FromClaim";

    public DeviceConfig {
        requests = List.copyOf(requests);
    }
}
