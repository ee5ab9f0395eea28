package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.device.DeviceAllocation;
import io.policyscheduler.engine.cluster.device.DeviceId;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.selector.LabelSyntax;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Resource claims with this scheduler's own decisions about them, and the devices that are taken. A decision is in flight until
 * it is written; what was written counts until the API server shows something newer. Mirrors the claim tracker of
 * {@code pkg/scheduler/framework/plugins/dynamicresources}.
 */
public final class AssumedClaims {
    private final ObjectStore store;
    private final Map<String, ResourceClaimInfo> written = new HashMap<>();
    /** By UID, with the allocation that is to be written. */
    private final Map<String, ResourceClaimInfo> inFlight = new HashMap<>();
    /** How many allocations have a device; counted as claims change, so that an attempt need not look at all claims. */
    private final Map<DeviceId, Integer> taken = new HashMap<>();

    AssumedClaims(ObjectStore store) {
        this.store = store;
    }

    /** The claim as last written by this scheduler or shown by the API server, or null. */
    public @Nullable ResourceClaimInfo claim(String namespace, String name) {
        ResourceClaimInfo ours = written.isEmpty() ? null : written.get(namespace + "/" + name);
        return ours != null
                ? ours
                : store.object(ResourceKind.RESOURCE_CLAIMS, ResourceClaimInfo.class, namespace, name);
    }

    /** Whether some claim has the device, or is about to get it. Those who look at devices as administrators do not have them. */
    public boolean isTaken(DeviceId device) {
        return taken.containsKey(device);
    }

    /** Whether an allocation of the claim is being written. */
    public boolean isInFlight(ResourceClaimInfo claim) {
        return inFlight.containsKey(claim.uid());
    }

    /** Takes the devices for a claim, whose allocation is going to be written. */
    public void allocating(ResourceClaimInfo allocated) {
        count(inFlight.put(allocated.uid(), allocated), allocated);
    }

    /** The allocation of a claim has been written, or is given up. */
    public void allocationEnded(ResourceClaimInfo claim) {
        count(inFlight.remove(claim.uid()), null);
    }

    /** Takes a claim as the API server returned it until that shows something newer. */
    public void wrote(ResourceClaimInfo claim) {
        ResourceClaimInfo before = claim(claim.namespace(), claim.name());
        if (before != null && before.uid().equals(claim.uid()) && !isNewer(before, claim)) {
            written.put(claim.key(), claim);
            count(before, claim);
        }
    }

    /** Goes back to what the API server shows. */
    public void restore(String namespace, String name) {
        ResourceClaimInfo before = written.remove(namespace + "/" + name);
        if (before != null) {
            count(before, claim(namespace, name));
        }
    }

    /** The API server shows a claim, or none any more. */
    void show(ResourceClaimInfo shown, Runnable change) {
        ResourceClaimInfo before = claim(shown.namespace(), shown.name());
        change.run();
        ResourceClaimInfo ours = written.get(shown.key());
        ResourceClaimInfo stored =
                store.object(ResourceKind.RESOURCE_CLAIMS, ResourceClaimInfo.class, shown.namespace(), shown.name());
        if (ours != null && (stored == null || !stored.uid().equals(ours.uid()) || isNewer(stored, ours))) {
            written.remove(shown.key());
        }
        count(before, claim(shown.namespace(), shown.name()));
    }

    private static boolean isNewer(ResourceClaimInfo claim, ResourceClaimInfo than) {
        Long a = LabelSyntax.parseInt64(claim.resourceVersion());
        Long b = LabelSyntax.parseInt64(than.resourceVersion());
        return (a == null || b == null) ? !claim.resourceVersion().equals(than.resourceVersion()) : a > b;
    }

    private void count(@Nullable ResourceClaimInfo before, @Nullable ResourceClaimInfo after) {
        add(after, 1);
        add(before, -1);
    }

    private void add(@Nullable ResourceClaimInfo claim, int times) {
        DeviceAllocation allocation = claim == null ? null : claim.allocation();
        if (allocation == null) {
            return;
        }
        for (DeviceAllocation.Result result : allocation.results()) {
            if (!result.adminAccess()) {
                taken.merge(result.device(), times, (had, more) -> had + more == 0 ? null : had + more);
            }
        }
    }
}
