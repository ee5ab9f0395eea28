package io.policyscheduler.engine.cluster.object;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of a claim: for certain devices, or for the first of several alternatives that can be had.
 *
 * @param name unique in the claim
 * @param exactly what is asked for, under the request's own name; null when it is one of {@code firstAvailable}
 * @param firstAvailable alternatives, best first; empty when {@code exactly} is set, and when neither is known
 */
public record DeviceRequest(String name, @Nullable Wanted exactly, List<Wanted> firstAvailable) {
    public DeviceRequest {
        firstAvailable = List.copyOf(firstAvailable);
    }

    /**
     * Devices that are asked for.
     *
     * @param name of the request, or of the alternative
     * @param deviceClass name of the class; empty when absent
     * @param selectors all must hold, besides those of the class
     * @param allocationMode {@link #EXACT_COUNT}, {@link #ALL}, or what this release does not know
     * @param count how many, for {@link #EXACT_COUNT}
     * @param adminAccess whether devices in use will do, and do not become used
     * @param capacity whether an amount of capacity is asked for
     */
    public record Wanted(
            String name,
            String deviceClass,
            List<DeviceSelector> selectors,
            String allocationMode,
            long count,
            boolean adminAccess,
            boolean capacity) {
        /** As many as {@code count} says. */
        public static final String EXACT_COUNT = "ExactCount";

        /** All that match. */
        public static final String ALL = "All";

        public Wanted {
            selectors = List.copyOf(selectors);
        }
    }

    /**
     * Says which devices are wanted.
     *
     * @param expression in CEL; null when the selector is of a kind that is not known
     */
    public record DeviceSelector(@Nullable String expression) {}

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
}
