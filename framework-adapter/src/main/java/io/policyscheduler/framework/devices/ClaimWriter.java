package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes what has been decided about resource claims. */
public interface ClaimWriter {
    /**
     * Reserves a claim for a pod, with an allocation when it has none, and tells {@link AssumedClaims} of it. Called on a binding
     * thread; may block. From now on it is this writer that says when the allocation is no longer in flight: also after a failure
     * only once the API server cannot carry it out any more.
     *
     * @param allocation what the claim gets; null when it is allocated already
     * @throws ClaimWriteException when the claim is not there any more or cannot be written
     */
    void reserve(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod)
            throws ClaimWriteException;

    /** Takes the pod off those that the claim is reserved for. Does not block; a failure is only logged. */
    void release(ResourceClaimInfo claim, PodInfo pod);

    /**
     * Takes the allocation of a claim that nobody uses away. Waits for the API server for a moment at most, since all other pods wait
     * meanwhile.
     *
     * @return why that cannot be done; empty when it has been, or when there is no answer yet. What comes of it then shows in
     *     {@link AssumedClaims}, and a failure is only logged
     */
    String deallocate(ResourceClaimInfo claim);

    /** The claim as it is once it is reserved. */
    static ResourceClaimInfo reserved(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod) {
        List<String> finalizers = new ArrayList<>(claim.finalizers());
        if (allocation != null && !finalizers.contains(ResourceClaimInfo.FINALIZER)) {
            finalizers.add(ResourceClaimInfo.FINALIZER);
        }
        List<ClaimConsumer> consumers = new ArrayList<>(claim.reservedFor());
        consumers.add(ClaimConsumer.pod(pod.name(), pod.uid()));
        return claim.with(finalizers, allocation == null ? claim.allocation() : allocation, consumers);
    }

    /** Writes nowhere but into what is assumed, for clusters that are decided about but not scheduled. */
    static ClaimWriter inMemory(AssumedClaims claims) {
        return new ClaimWriter() {
            @Override
            public void reserve(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod) {
                claims.wrote(reserved(claim, allocation, pod));
                claims.allocationEnded(claim);
            }

            @Override
            public void release(ResourceClaimInfo claim, PodInfo pod) {
                List<ClaimConsumer> others = claim.reservedFor().stream()
                        .filter(consumer -> !consumer.uid().equals(pod.uid()))
                        .toList();
                claims.wrote(claim.with(claim.finalizers(), claim.allocation(), others));
            }

            @Override
            public String deallocate(ResourceClaimInfo claim) {
                claims.wrote(claim.with(claim.finalizers(), null, List.of()));
                return "";
            }
        };
    }
}
