package io.policyscheduler.cmd.sources.profile;

import io.policyscheduler.cmd.setup.VolumeBinders;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.devices.DeviceAllocator.ClaimReserver;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.predicates.volume.VolumeBinder;

/** What becomes of the volumes and devices of a pod that is placed offline. */
public final class PlacedVolumes {
    private PlacedVolumes() {}

    /** By what a policy looks at. */
    public static SchedulerSpec.Volumes of(EffectivePolicy policy) {
        return of(policy.gates(), policy.predicates().containsKey("CheckVolumeBinding"), policy.allocatesClaims());
    }

    /**
     * By what a way of deciding looks at.
     *
     * @param binds whether claims are bound to volumes
     * @param gives whether pods get the devices that they ask for
     */
    static SchedulerSpec.Volumes of(FeatureGates gates, boolean binds, boolean gives) {
        VolumeBinder binder = VolumeBinders.binder(gates, binds);
        if (!gives) {
            return binder::assume;
        }
        ClaimReserver giver = new ClaimReserver(gates.release());
        return new SchedulerSpec.Volumes() {
            @Override
            public void assume(ClusterState cluster, PodInfo pod, NodeInfo node) {
                binder.assume(cluster, pod, node);
                giver.give(cluster, pod, node);
            }

            @Override
            public boolean givesDevices() {
                return true;
            }
        };
    }
}
