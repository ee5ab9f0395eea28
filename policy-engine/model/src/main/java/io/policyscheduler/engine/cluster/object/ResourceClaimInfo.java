package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.DeviceStatus;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConstraint;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ResourceClaim: requested devices, and their allocation. Mirrors {@code resource.k8s.io/v1}.
 *
 * @param terminating a deletion timestamp is set
 * @param controller the controlling owner, or null
 * @param requests in the order of the spec
 * @param constraints in the order of the spec
 * @param config in the order of the spec
 * @param allocation null if not allocated
 * @param reservedFor the consumers, in order
 * @param devices the states of allocated devices, as drivers report them
 * @param ofExtendedResources whether the scheduler created it for the extended resources of a pod
 */
public record ResourceClaimInfo(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        boolean terminating,
        @Nullable OwnerReference controller,
        List<String> finalizers,
        List<DeviceRequest> requests,
        List<DeviceConstraint> constraints,
        List<DeviceConfig> config,
        @Nullable DeviceAllocation allocation,
        List<ClaimConsumer> reservedFor,
        List<DeviceStatus> devices,
        boolean ofExtendedResources)
        implements ClusterObject {
    /** The finalizer of allocated claims. */
    public static final String FINALIZER = "resource.kubernetes.io/delete-protection";

    /** The annotation of a claim that the scheduler created for the extended resources of a pod. */
    public static final String EXTENDED_RESOURCES = "resource.kubernetes.io/extended-resource-claim";

    public ResourceClaimInfo {
        finalizers = List.copyOf(finalizers);
        requests = List.copyOf(requests);
        constraints = List.copyOf(constraints);
        config = List.copyOf(config);
        reservedFor = List.copyOf(reservedFor);
        devices = List.copyOf(devices);
    }

    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.RESOURCE_CLAIMS;
    }

    @Override
    public ResourceClaimInfo withNamespace(String other) {
        return copy(other, name, uid, finalizers, allocation, reservedFor, devices);
    }

    /** A copy under another name. */
    public ResourceClaimInfo named(String otherName, String otherUid) {
        return copy(namespace, otherName, otherUid, finalizers, allocation, reservedFor, devices);
    }

    /** A copy with other finalizers and another status. */
    public ResourceClaimInfo with(
            List<String> otherFinalizers, @Nullable DeviceAllocation otherAllocation, List<ClaimConsumer> consumers) {
        List<DeviceStatus> states = otherAllocation == null ? List.of() : devices;
        return copy(namespace, name, uid, otherFinalizers, otherAllocation, consumers, states);
    }

    private ResourceClaimInfo copy(
            String otherNamespace,
            String otherName,
            String otherUid,
            List<String> otherFinalizers,
            @Nullable DeviceAllocation otherAllocation,
            List<ClaimConsumer> consumers,
            List<DeviceStatus> states) {
        return new ResourceClaimInfo(
                otherNamespace,
                otherName,
                otherUid,
                resourceVersion,
                terminating,
                controller,
                otherFinalizers,
                requests,
                constraints,
                config,
                otherAllocation,
                consumers,
                states,
                ofExtendedResources);
    }

    /** The state of an allocated device, or null if its driver has not reported one. */
    public @Nullable DeviceStatus statusOf(DeviceAllocation.Result result) {
        for (DeviceStatus status : devices) {
            if (status.device().equals(result.device()) && status.shareId().equals(result.shareId())) {
                return status;
            }
        }
        return null;
    }

    /** Whether the claim is reserved for this pod. */
    public boolean isReservedFor(PodInfo pod) {
        return reservedFor.stream().anyMatch(consumer -> consumer.uid().equals(pod.uid()));
    }

    /** Whether the pod is the controlling owner, as of claims from its templates. */
    public boolean isOwnedBy(PodInfo pod) {
        return controller != null && controller.uid().equals(pod.uid());
    }
}
