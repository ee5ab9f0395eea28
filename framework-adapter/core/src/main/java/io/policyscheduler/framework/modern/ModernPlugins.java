package io.policyscheduler.framework.modern;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.modern.NodeResourcesFit.NodeResourcesAllocation;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultBinder;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultPreemption;
import io.policyscheduler.framework.profile.InTreePlugins.PodGroupPlugin;
import io.policyscheduler.framework.profile.InTreePlugins.PrioritySort;
import io.policyscheduler.framework.profile.InTreePlugins.SchedulingGates;
import io.policyscheduler.framework.profile.PluginRegistry;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The plugins of current Kubernetes releases by name, with the behavior of the profile's release. In profiles of configuration
 * versions after {@code v1alpha1}, they replace the plugins of the same names that wrap the algorithms of 1.17. Mirrors
 * {@code pkg/scheduler/framework/plugins/registry.go}.
 */
public final class ModernPlugins {
    private ModernPlugins() {}

    /** All plugins by name. */
    public static Map<String, PluginFactory> factories() {
        return ImmutableMap.<String, PluginFactory>builder()
                .put(SchedulingGates.NAME, handle -> new SchedulingGates())
                .put(PrioritySort.NAME, handle -> new PrioritySort())
                .put(NodeUnschedulable.NAME, handle -> new NodeUnschedulable())
                .put(NodeName.NAME, NodeName::new)
                .put(TaintToleration.NAME, TaintToleration::new)
                .put(NodeAffinity.NAME, NodeAffinity::new)
                .put(NodePorts.NAME, NodePorts::new)
                .put(NodeResourcesFit.NAME, NodeResourcesFit::new)
                .put(VolumeRestrictions.NAME, VolumeRestrictions::new)
                .put(NodeVolumeLimits.NAME, NodeVolumeLimits::new)
                .put(VolumeBinding.NAME, VolumeBinding::new)
                .put(VolumeZone.NAME, VolumeZone::new)
                .put(PodTopologySpread.NAME, PodTopologySpread::new)
                .put(InterPodAffinity.NAME, InterPodAffinity::new)
                .put(DynamicResources.NAME, DynamicResources::create)
                .put(DefaultPreemption.NAME, handle -> new DefaultPreemption())
                .put(NodeResourcesBalancedAllocation.NAME, NodeResourcesBalancedAllocation::new)
                .put(ImageLocality.NAME, ImageLocality::new)
                .put(DefaultBinder.NAME, handle -> new DefaultBinder())
                .put(NodeDeclaredFeatures.NAME, NodeDeclaredFeatures::new)
                .putAll(PodGroupPlugin.factories())
                .buildOrThrow();
    }

    /**
     * These plugins and, under the names that 1.34 no longer has, older ones.
     *
     * @param older plugins by name
     */
    public static Map<String, PluginFactory> over(Map<String, PluginFactory> older) {
        Map<String, PluginFactory> all = new TreeMap<>(older);
        all.putAll(factories());
        for (String name : List.of(
                PluginNames.NODE_RESOURCES_LEAST,
                PluginNames.NODE_RESOURCES_MOST,
                PluginNames.REQUESTED_TO_CAPACITY_RATIO)) {
            all.computeIfPresent(name, (same, before) -> handle -> new NodeResourcesAllocation(name, handle));
        }
        Map<String, InTreeVolumes.Plugin> limits = Map.of(
                PluginNames.EBS_LIMITS, InTreeVolumes.Plugin.AWS_EBS,
                PluginNames.GCE_PD_LIMITS, InTreeVolumes.Plugin.GCE_PD,
                PluginNames.AZURE_DISK_LIMITS, InTreeVolumes.Plugin.AZURE_DISK,
                PluginNames.CINDER_LIMITS, InTreeVolumes.Plugin.CINDER);
        limits.forEach((name, disks) ->
                all.computeIfPresent(name, (same, before) -> InTreePlugins.volumeLimit(before, disks)));
        return ImmutableMap.copyOf(all);
    }

    /** NodeVolumeLimits for policies, which counts each volume once. */
    public static PluginFactory volumeLimits() {
        return handle -> new NodeVolumeLimits(handle, driver -> true, true);
    }

    /** The same for the limits of one CSI driver only. */
    public static PluginFactory volumeLimits(String driver) {
        return handle -> new NodeVolumeLimits(handle, driver::equals, true);
    }

    /**
     * DynamicResources for profiles of a policy.
     *
     * @param claims writes allocations and reservations
     * @param release of the cluster
     */
    public static Plugin devices(
            ClusterView cluster, StateKeys keys, Clock clock, ClaimWriter claims, Release release) {
        return DynamicResources.create(
                new PolicyHandle(MissingNode.getInstance(), keys, cluster, clock, () -> claims, release));
    }

    /**
     * The handle of a plugin that runs as a predicate or priority of a policy.
     *
     * @param claims supplied lazily: whether results can be cached depends on what the plugin reads
     */
    record PolicyHandle(
            JsonNode args,
            StateKeys stateKeys,
            ClusterView cluster,
            Clock clock,
            Supplier<ClaimWriter> claims,
            Release release)
            implements ClaimWriter.Handle {
        @Override
        public ClaimWriter claimWriter() {
            return claims.get();
        }

        @Override
        public String profile() {
            return "";
        }

        @Override
        public WaitingPods waitingPods() {
            return WaitingPods.NONE;
        }
    }

    /** A registry of exactly these plugins. */
    public static PluginRegistry registry() {
        return PluginRegistry.empty().with(factories());
    }
}
