package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What becomes of resource claims when pods come and go. Mirrors {@code pkg/controller/resourceclaim}. */
final class ClaimCopies {
    private ClaimCopies() {}

    /**
     * The claim that a copy of a pod gets in the place of the one that was made for the original of the same template: without
     * devices.
     *
     * @param entry of both pods
     */
    static ResourceClaimInfo ofCopy(ResourceClaimInfo original, String copy, String uid, String entry) {
        String name = copy + "-" + entry;
        return new ResourceClaimInfo(
                original.namespace(),
                name,
                "copy-of-" + original.uid() + "-" + name,
                "",
                false,
                new OwnerReference("v1", "Pod", copy, uid),
                List.of(),
                original.requests(),
                original.constraints(),
                original.config(),
                null,
                List.of());
    }

    /**
     * The objects once pods are gone: claims that were made for them are gone, too, and what nobody uses any more is free.
     *
     * @param gone their uids
     * @param again those of them that are made anew under the same uid, and their claims with them
     */
    static List<ClusterObject> without(List<ClusterObject> objects, Set<String> gone, Set<String> again) {
        List<ClusterObject> left = new ArrayList<>(objects.size());
        for (ClusterObject object : objects) {
            if (!(object instanceof ResourceClaimInfo claim)) {
                left.add(object);
                continue;
            }
            String owner = claim.controller() == null ? "" : claim.controller().uid();
            if (!gone.contains(owner) || again.contains(owner)) {
                left.add(released(claim, gone));
            }
        }
        return left;
    }

    private static ResourceClaimInfo released(ResourceClaimInfo claim, Set<String> gone) {
        List<ClaimConsumer> users = claim.reservedFor().stream()
                .filter(user -> !gone.contains(user.uid()))
                .toList();
        if (users.size() == claim.reservedFor().size()) {
            return claim;
        }
        DeviceAllocation allocation = users.isEmpty() ? null : claim.allocation();
        return claim.with(claim.finalizers(), allocation, users);
    }
}
