package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import java.util.List;
import java.util.Map;
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
     * @param capacity the requested amounts by name, as texts; null when absent
     * @param tolerations of device taints
     */
    public record Wanted(
            String name,
            String deviceClass,
            List<DeviceSelector> selectors,
            String allocationMode,
            long count,
            boolean adminAccess,
            @Nullable Map<String, String> capacity,
            List<DeviceToleration> tolerations) {
        /** As many as {@code count} says. */
        public static final String EXACT_COUNT = "ExactCount";

        /** All that match. */
        public static final String ALL = "All";

        public Wanted {
            selectors = List.copyOf(selectors);
            capacity = capacity == null ? null : ImmutableSortedMap.copyOf(capacity);
            tolerations = List.copyOf(tolerations);
        }
    }

    /**
     * A toleration of device taints.
     *
     * @param key empty for all keys
     * @param operator {@code Exists} or {@code Equal}; empty means {@code Equal}
     * @param effect empty for all effects
     * @param seconds {@code tolerationSeconds}, which only drivers use; null when absent
     */
    public record DeviceToleration(
            String key,
            String operator,
            String value,
            String effect,
            @Nullable Long seconds) {
        /** Whether the toleration matches the taint. */
        public boolean tolerates(Taint taint) {
            if (!effect.isEmpty() && !effect.equals(taint.effect())) {
                return false;
            }
            if (!key.isEmpty() && !key.equals(taint.key())) {
                return false;
            }
            return switch (operator) {
                case "Exists" -> true;
                case "", "Equal" -> value.equals(taint.value());
                default -> false;
            };
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
     * @param matchAttribute the attribute that must be there and equal; null when absent
     * @param distinctAttribute the attribute that must be there and different; null when absent
     */
    public record DeviceConstraint(
            List<String> requests,
            @Nullable String matchAttribute,
            @Nullable String distinctAttribute) {
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
