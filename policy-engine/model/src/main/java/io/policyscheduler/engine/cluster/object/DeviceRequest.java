package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request of a claim: for certain devices, or for the first available of several alternatives.
 *
 * @param name unique in the claim
 * @param exactly the requested devices, with the request's own name; null with {@code firstAvailable}
 * @param firstAvailable alternatives, best first; empty when {@code exactly} is set, and when neither is known
 */
public record DeviceRequest(String name, @Nullable RequestedDevices exactly, List<RequestedDevices> firstAvailable) {
    public DeviceRequest {
        firstAvailable = List.copyOf(firstAvailable);
    }

    /**
     * The requested devices.
     *
     * @param name of the request, or of the alternative
     * @param deviceClass name of the class; empty when absent
     * @param selectors all must match, in addition to those of the class
     * @param allocationMode {@link #EXACT_COUNT}, {@link #ALL}, or a value that is newer than this release
     * @param count number of devices, for {@link #EXACT_COUNT}
     * @param adminAccess whether allocated devices can be used, without allocating them
     * @param capacity the requested amounts by name, as texts; null when absent
     * @param tolerations of device taints
     */
    public record RequestedDevices(
            String name,
            String deviceClass,
            List<DeviceSelector> selectors,
            String allocationMode,
            long count,
            boolean adminAccess,
            @Nullable Map<String, String> capacity,
            List<DeviceToleration> tolerations) {
        /** The number in {@code count}. */
        public static final String EXACT_COUNT = "ExactCount";

        /** All devices that match. */
        public static final String ALL = "All";

        public RequestedDevices {
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
     * Selects devices.
     *
     * @param expression in CEL; null for an unknown kind of selector
     */
    public record DeviceSelector(@Nullable String expression) {}

    /**
     * Constrains the devices of a claim together.
     *
     * @param requests names of requests, or {@code request/alternative}; empty for all
     * @param matchAttribute an attribute that must exist with equal values; null when absent
     * @param distinctAttribute an attribute that must exist with different values; null when absent
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
     * Opaque configuration of a driver, which the scheduler copies.
     *
     * @param source {@link #FROM_CLASS} or {@link #FROM_CLAIM} in an allocation; empty in classes and claims
     * @param requests names of its requests; empty for all
     * @param content the other fields, as a JSON object
     */
    public record DeviceConfig(String source, List<String> requests, String content) {
        /** From a class. */
        public static final String FROM_CLASS = "FromClass";

        /** From the claim. */
        public static final String FROM_CLAIM = "FromClaim";

        public DeviceConfig {
            requests = List.copyOf(requests);
        }
    }
}
