package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What other objects of the cluster say about a pod: its claims and their volumes, and the budgets that cover it. */
final class PodSurroundings {
    /** A claim and its volume are looked up. */
    private static final int CLAIM = 3;

    private final ClusterView cluster;
    private final Meter meter;

    PodSurroundings(ClusterView cluster, Meter meter) {
        this.cluster = cluster;
        this.meter = meter;
    }

    /** In the order of the volumes, also those that do not exist yet. */
    List<ClaimView> claims(PodInfo pod) {
        List<Volume> volumes = pod.volumes();
        meter.charge((long) CLAIM * volumes.size());
        List<ClaimView> claims = new ArrayList<>();
        for (Volume volume : volumes) {
            String name = volume.claimName(pod);
            if (name != null) {
                claims.add(ClaimView.of(cluster, pod.namespace(), name));
            }
        }
        return claims;
    }

    /** The zone of all bound volumes that have one; null when there is none, or they differ. */
    @Nullable
    String volumeZone(PodInfo pod) {
        String zone = null;
        for (ClaimView claim : claims(pod)) {
            String here = claim.zone();
            if (here != null && zone != null && !zone.equals(here)) {
                return null;
            }
            zone = here == null ? zone : here;
        }
        return zone;
    }

    /** Those that cover the pod, in name order. */
    List<DisruptionBudgetInfo> budgets(PodInfo pod) {
        List<DisruptionBudgetInfo> covering = new ArrayList<>();
        Collection<DisruptionBudgetInfo> all = cluster.budgets(pod.namespace());
        for (DisruptionBudgetInfo budget : all) {
            meter.charge(1L
                    + (budget.selector() == null
                            ? 0
                            : budget.selector().requirements().size()));
            if (budget.covers(pod.labels())) {
                covering.add(budget);
            }
        }
        return covering;
    }

    /** The least that the budgets of a pod allow, never below 0; {@link Integer#MAX_VALUE} when it has none. */
    double disruptionsAllowed(PodInfo pod) {
        int least = Integer.MAX_VALUE;
        for (DisruptionBudgetInfo budget : budgets(pod)) {
            least = Math.max(0, Math.min(least, budget.disruptionsAllowed()));
        }
        return least;
    }

    /** Whole minutes from a moment to that of the attempt; 0 when it is not known or in the future. */
    double minutesSince(long millis) {
        if (millis == PodInfo.NO_TIME) {
            return 0;
        }
        return Math.max(0, Math.floorDiv(cluster.now().toEpochMilli() - millis, 60_000L));
    }
}
