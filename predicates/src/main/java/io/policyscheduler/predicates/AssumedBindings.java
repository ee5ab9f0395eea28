package io.policyscheduler.predicates;

import io.policyscheduler.engine.cluster.AssumedVolumes;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import java.util.List;

/**
 * What {@link VolumeBinder} has taken as decided for a pod, and what must now be written to the API server: first
 * {@code volumes}, then {@code claims}, in order.
 *
 * @param allBound every claim was bound already; nothing to write, nothing to wait for
 * @param volumes volumes with their new claim, and the claim
 * @param claims claims with the annotation of the selected node
 */
public record AssumedBindings(boolean allBound, List<VolumeDecision.Match> volumes, List<ClaimInfo> claims) {
    /** Nothing to do. */
    static final AssumedBindings ALL_BOUND = new AssumedBindings(true, List.of(), List.of());

    public AssumedBindings {
        volumes = List.copyOf(volumes);
        claims = List.copyOf(claims);
    }

    /** Forgets everything, back to what the API server says. */
    public void undo(ClusterState cluster) {
        undo(cluster, 0, 0);
    }

    /** Forgets what has not been written: all but the first {@code volumesSent} volumes and {@code claimsSent} claims. */
    public void undo(ClusterState cluster, int volumesSent, int claimsSent) {
        AssumedVolumes assumed = cluster.assumedVolumes();
        for (VolumeDecision.Match match : volumes.subList(volumesSent, volumes.size())) {
            assumed.restoreVolume(match.volume().name());
        }
        for (ClaimInfo claim : claims.subList(claimsSent, claims.size())) {
            assumed.restoreClaim(claim.namespace(), claim.name());
        }
    }
}
