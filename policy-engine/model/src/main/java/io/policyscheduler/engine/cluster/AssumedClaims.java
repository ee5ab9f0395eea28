package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.selector.LabelSyntax;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Resource claims with this scheduler's own allocations, and the allocated devices. An allocation is in flight until it is written;
 * a written claim applies until the API server reports a newer one. Mirrors the claim tracker of
 * {@code pkg/scheduler/framework/plugins/dynamicresources}.
 */
public final class AssumedClaims {
    private final ObjectStore store;
    private final Map<String, ResourceClaimInfo> writtenClaims = new HashMap<>();
    /** By UID, with the allocation to be written. */
    private final Map<String, ResourceClaimInfo> inFlight = new HashMap<>();
    /** By UID, the number of writes of a claim that may still be executed. */
    private final Map<String, Integer> writesInProgress = new HashMap<>();
    /**
     * The allocations of each device, without admin access; updated with claims, so that an attempt need not iterate over all
     * claims.
     */
    private final Map<DeviceId, List<DeviceAllocation.Result>> allocatedDevices = new HashMap<>();

    private Consumer<ResourceClaimInfo> freed = claim -> {};

    AssumedClaims(ObjectStore store) {
        this.store = store;
    }

    /** Sets the listener that receives claims whose in-flight allocation failed, with that allocation. */
    public void whenFreed(Consumer<ResourceClaimInfo> listener) {
        freed = listener;
    }

    /** The claim as last written by this scheduler or reported by the API server, or null. */
    public @Nullable ResourceClaimInfo claim(String namespace, String name) {
        ResourceClaimInfo ours = writtenClaims.isEmpty() ? null : writtenClaims.get(namespace + "/" + name);
        return ours != null
                ? ours
                : store.object(ResourceKind.RESOURCE_CLAIMS, ResourceClaimInfo.class, namespace, name);
    }

    /** Whether the device is allocated or in flight. Admin access does not count. */
    public boolean isAllocated(DeviceId device) {
        return allocatedDevices.containsKey(device);
    }

    /** Whether the whole device is allocated or in flight. Shares of a shared device do not count. */
    public boolean isFullyAllocated(DeviceId device) {
        for (DeviceAllocation.Result result : usersOf(device)) {
            if (result.shareId().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** The allocations of a device, or of shares of it, without admin access. */
    public List<DeviceAllocation.Result> usersOf(DeviceId device) {
        List<DeviceAllocation.Result> users = allocatedDevices.get(device);
        return users == null ? List.of() : Collections.unmodifiableList(users);
    }

    /** Whether an allocation of the claim is being written. */
    public boolean isInFlight(ResourceClaimInfo claim) {
        return inFlight.containsKey(claim.uid());
    }

    /** Marks an allocation as in flight, before it is written. */
    public void allocating(ResourceClaimInfo allocated) {
        count(inFlight.put(allocated.uid(), allocated), allocated);
    }

    /** The allocation of a claim was written, or failed and can no longer be executed. */
    public void allocationEnded(ResourceClaimInfo claim) {
        ResourceClaimInfo ended = inFlight.remove(claim.uid());
        count(ended, null);
        ResourceClaimInfo now = claim(claim.namespace(), claim.name());
        boolean isWritten = now != null && now.uid().equals(claim.uid()) && now.allocation() != null;
        if (ended != null && !isWritten) {
            freed.accept(ended);
        }
    }

    /** A write that removes an allocation or reservation has begun: until it ends, the state of the claim is unknown. */
    public void writeStarted(ResourceClaimInfo claim) {
        writesInProgress.merge(claim.uid(), 1, Integer::sum);
    }

    /** That write has been executed, or no longer can be. */
    public void writeFinished(ResourceClaimInfo claim) {
        writesInProgress.computeIfPresent(claim.uid(), (uid, writes) -> writes == 1 ? null : writes - 1);
    }

    /** Whether such a write of the claim is in progress. */
    public boolean isBeingWritten(ResourceClaimInfo claim) {
        return writesInProgress.containsKey(claim.uid());
    }

    /** Whether no write is in progress; for tests and diagnosis. */
    public boolean isQuiet() {
        return inFlight.isEmpty() && writesInProgress.isEmpty();
    }

    /** Stores a claim as the API server returned it, until the watch reports a newer version. */
    public void putWritten(ResourceClaimInfo claim) {
        ResourceClaimInfo before = claim(claim.namespace(), claim.name());
        if (before != null && before.uid().equals(claim.uid()) && !isNewer(before, claim)) {
            writtenClaims.put(claim.key(), claim);
            count(before, claim);
        }
    }

    /** Adds a claim that this scheduler created, until the watch reports it. */
    public void created(ResourceClaimInfo claim) {
        ResourceClaimInfo before = claim(claim.namespace(), claim.name());
        if (before == null || !before.uid().equals(claim.uid()) || !isNewer(before, claim)) {
            writtenClaims.put(claim.key(), claim);
            count(before, claim);
        }
    }

    /** Removes a claim that this scheduler created and deleted. */
    public void deleted(ResourceClaimInfo claim) {
        ResourceClaimInfo before = writtenClaims.get(claim.key());
        if (before != null && before.uid().equals(claim.uid())) {
            restore(claim.namespace(), claim.name());
        }
    }

    /** The claim that the scheduler created for the extended resources of a pod; null if there is none. */
    public @Nullable ResourceClaimInfo ofExtendedResources(PodInfo pod) {
        for (ResourceClaimInfo claim : writtenClaims.values()) {
            if (claim.ofExtendedResources()
                    && claim.isOwnedBy(pod)
                    && claim.namespace().equals(pod.namespace())) {
                return claim;
            }
        }
        for (ResourceClaimInfo claim :
                store.objects(ResourceKind.RESOURCE_CLAIMS, ResourceClaimInfo.class, pod.namespace())) {
            if (claim.ofExtendedResources() && claim.isOwnedBy(pod)) {
                return claim;
            }
        }
        return null;
    }

    /** Restores the version of the watch. */
    public void restore(String namespace, String name) {
        ResourceClaimInfo before = writtenClaims.remove(namespace + "/" + name);
        if (before != null) {
            count(before, claim(namespace, name));
        }
    }

    /** The watch reports a claim, or its deletion. */
    void putWatched(ResourceClaimInfo claim, Runnable change) {
        ResourceClaimInfo before = claim(claim.namespace(), claim.name());
        change.run();
        ResourceClaimInfo ours = writtenClaims.get(claim.key());
        ResourceClaimInfo stored =
                store.object(ResourceKind.RESOURCE_CLAIMS, ResourceClaimInfo.class, claim.namespace(), claim.name());
        if (ours != null && (stored == null || !stored.uid().equals(ours.uid()) || isNewer(stored, ours))) {
            writtenClaims.remove(claim.key());
        }
        count(before, claim(claim.namespace(), claim.name()));
    }

    private static boolean isNewer(ResourceClaimInfo claim, ResourceClaimInfo than) {
        Long a = LabelSyntax.parseInt64(claim.resourceVersion());
        Long b = LabelSyntax.parseInt64(than.resourceVersion());
        return (a == null || b == null) ? !claim.resourceVersion().equals(than.resourceVersion()) : a > b;
    }

    private void count(@Nullable ResourceClaimInfo before, @Nullable ResourceClaimInfo after) {
        for (DeviceAllocation.Result result : results(after)) {
            allocatedDevices
                    .computeIfAbsent(result.device(), device -> new ArrayList<>(1))
                    .add(result);
        }
        for (DeviceAllocation.Result result : results(before)) {
            allocatedDevices.computeIfPresent(result.device(), (device, users) -> {
                users.remove(result);
                return users.isEmpty() ? null : users;
            });
        }
    }

    private static List<DeviceAllocation.Result> results(@Nullable ResourceClaimInfo claim) {
        DeviceAllocation allocation = claim == null ? null : claim.allocation();
        return allocation == null
                ? List.of()
                : allocation.results().stream()
                        .filter(result -> !result.adminAccess())
                        .toList();
    }
}
