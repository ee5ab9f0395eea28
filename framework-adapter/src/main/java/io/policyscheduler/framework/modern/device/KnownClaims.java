package io.policyscheduler.framework.modern.device;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.devices.PodClaims;
import java.util.Objects;

/** What the cluster knows of claims, for those who ask whether a change of one may help a pod. */
record KnownClaims(ClusterView cluster) implements ClaimHints.Claims {
    @Override
    public boolean resolve(PodInfo pod) {
        return PodClaims.of(pod, cluster.assumedClaims()).problem().isEmpty();
    }

    @Override
    public boolean isOf(PodInfo pod, ClusterObject claim) {
        return claim instanceof ResourceClaimInfo wanted
                && PodClaims.of(pod, cluster.assumedClaims()).claims().stream()
                        .anyMatch(known -> known.uid().equals(wanted.uid()));
    }

    @Override
    public boolean lostAllocation(ClusterObject old, ClusterObject now) {
        return old instanceof ResourceClaimInfo before
                && now instanceof ResourceClaimInfo after
                && before.allocation() != null
                && after.allocation() == null;
    }

    @Override
    public boolean changedStatus(ClusterObject old, ClusterObject now) {
        return old instanceof ResourceClaimInfo before
                && now instanceof ResourceClaimInfo after
                && !(Objects.equals(before.allocation(), after.allocation())
                        && before.reservedFor().equals(after.reservedFor()));
    }
}
