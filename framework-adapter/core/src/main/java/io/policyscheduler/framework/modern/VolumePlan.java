package io.policyscheduler.framework.modern;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.placement.InTreeVolumes;
import java.util.List;

/**
 * What the VolumeBinding plugin means to do for a pod on the node that it gets.
 *
 * @param matches existing volumes picked for claims
 * @param provisions claims whose volume must be made for the node
 */
public record VolumePlan(List<Match> matches, List<ClaimInfo> provisions) {
    /** Nothing has to be done, or nothing can be. */
    private static final VolumePlan NOTHING = new VolumePlan(List.of(), List.of());

    /** A volume picked for a claim. */
    public record Match(PersistentVolumeInfo volume, ClaimInfo claim) {}

    public VolumePlan {
        matches = ImmutableList.copyOf(matches);
        provisions = ImmutableList.copyOf(provisions);
    }

    /** The plan for a node that the plugin has let pass in this cycle. */
    public static VolumePlan of(PodInfo pod, NodeInfo node, ClusterView cluster) {
        PodVolumes volumes = new PodVolumes(pod, cluster, InTreeVolumes.of(Release.NEWEST), Release.NEWEST);
        if (volumes.failure() != null) {
            return NOTHING;
        }
        PodVolumes.Plan plan = volumes.plan(node);
        return new VolumePlan(
                plan.matches().stream()
                        .map(match -> new Match(match.volume(), match.claim()))
                        .toList(),
                plan.provisions());
    }
}
