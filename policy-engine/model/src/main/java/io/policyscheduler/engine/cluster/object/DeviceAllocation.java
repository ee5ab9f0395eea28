package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceToleration;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The devices that are allocated to a claim: {@code status.allocation}.
 *
 * @param results the devices, in allocation order
 * @param config configuration for drivers
 * @param nodeTerms ORed terms of nodes that can use the devices; null for all
 * @param allocatedMillis {@code allocationTimestamp} in epoch milliseconds, or {@link PodInfo#NO_TIME}
 */
public record DeviceAllocation(
        List<Result> results,
        List<DeviceConfig> config,
        @Nullable List<NodeSelectorTerm> nodeTerms,
        long allocatedMillis) {
    public DeviceAllocation {
        results = List.copyOf(results);
        config = List.copyOf(config);
        nodeTerms = nodeTerms == null ? null : List.copyOf(nodeTerms);
    }

    /** An allocation without a timestamp. */
    public DeviceAllocation(
            List<Result> results, List<DeviceConfig> config, @Nullable List<NodeSelectorTerm> nodeTerms) {
        this(results, config, nodeTerms, PodInfo.NO_TIME);
    }

    /**
     * One device.
     *
     * @param request name of the request, or {@code request/alternative}
     * @param adminAccess the device stays free for others
     * @param tolerations of the request
     * @param shareId of one share of a shared device; empty for the whole device
     * @param consumed the consumed capacity by name, as texts
     * @param bindingConditions conditions that must be true before the pod is bound
     * @param bindingFailureConditions conditions that end the wait for the others
     */
    public record Result(
            String request,
            DeviceId device,
            boolean adminAccess,
            List<DeviceToleration> tolerations,
            String shareId,
            Map<String, String> consumed,
            List<String> bindingConditions,
            List<String> bindingFailureConditions) {
        public Result {
            tolerations = List.copyOf(tolerations);
            consumed = ImmutableSortedMap.copyOf(consumed);
            bindingConditions = List.copyOf(bindingConditions);
            bindingFailureConditions = List.copyOf(bindingFailureConditions);
        }
    }

    /** Whether a pod with the devices waits for conditions before it is bound. */
    public boolean hasBindingConditions() {
        return results.stream().anyMatch(result -> !result.bindingConditions().isEmpty());
    }

    /** A copy with the time of the allocation. */
    public DeviceAllocation allocatedAt(long millis) {
        return new DeviceAllocation(results, config, nodeTerms, millis);
    }

    /**
     * The state of an allocated device as its driver reports it: an entry of {@code status.devices}.
     *
     * @param shareId empty for the whole device
     * @param conditions by type
     */
    public record DeviceStatus(DeviceId device, String shareId, Map<String, DeviceCondition> conditions) {
        public DeviceStatus {
            conditions = ImmutableSortedMap.copyOf(conditions);
        }

        /** Whether a condition is true. */
        public boolean isTrue(String type) {
            DeviceCondition condition = conditions.get(type);
            return condition != null && condition.status().equals("True");
        }
    }

    /** A condition of a device. */
    public record DeviceCondition(String status, String reason, String message) {}

    /**
     * A consumer of a claim: an entry of {@code status.reservedFor}.
     *
     * @param apiGroup empty for the core group
     * @param resource such as {@code pods}
     */
    public record ClaimConsumer(String apiGroup, String resource, String name, String uid) {
        /** A pod. */
        public static ClaimConsumer pod(String name, String uid) {
            return new ClaimConsumer("", "pods", name, uid);
        }
    }
}
