package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Names of the in-tree plugins of all supported releases. */
public final class PluginNames {
    public static final String AZURE_DISK_LIMITS = "AzureDiskLimits";
    public static final String CINDER_LIMITS = "CinderLimits";
    public static final String DEFAULT_BINDER = "DefaultBinder";
    public static final String DEFAULT_POD_TOPOLOGY_SPREAD = "DefaultPodTopologySpread";
    public static final String DEFAULT_PREEMPTION = "DefaultPreemption";
    public static final String DYNAMIC_RESOURCES = "DynamicResources";
    public static final String EBS_LIMITS = "EBSLimits";
    public static final String GCE_PD_LIMITS = "GCEPDLimits";
    public static final String GANG_SCHEDULING = "GangScheduling";
    public static final String IMAGE_LOCALITY = "ImageLocality";
    public static final String INTER_POD_AFFINITY = "InterPodAffinity";
    public static final String NODE_AFFINITY = "NodeAffinity";
    public static final String NODE_DECLARED_FEATURES = "NodeDeclaredFeatures";
    public static final String NODE_LABEL = "NodeLabel";
    public static final String NODE_NAME = "NodeName";
    public static final String NODE_PORTS = "NodePorts";
    public static final String NODE_PREFER_AVOID_PODS = "NodePreferAvoidPods";
    public static final String NODE_RESOURCES_BALANCED = "NodeResourcesBalancedAllocation";
    public static final String NODE_RESOURCES_FIT = "NodeResourcesFit";
    public static final String NODE_RESOURCES_LEAST = "NodeResourcesLeastAllocated";
    public static final String NODE_RESOURCES_MOST = "NodeResourcesMostAllocated";
    public static final String NODE_UNSCHEDULABLE = "NodeUnschedulable";
    public static final String NODE_VOLUME_LIMITS = "NodeVolumeLimits";
    public static final String POD_GROUP_PODS_COUNT = "PodGroupPodsCount";
    public static final String POD_TOPOLOGY_SPREAD = "PodTopologySpread";
    public static final String PRIORITY_SORT = "PrioritySort";
    public static final String REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio";
    public static final String SCHEDULING_GATES = "SchedulingGates";
    public static final String SELECTOR_SPREAD = "SelectorSpread";
    public static final String SERVICE_AFFINITY = "ServiceAffinity";
    public static final String TAINT_TOLERATION = "TaintToleration";
    public static final String TOPOLOGY_PLACEMENT_GENERATOR = "TopologyPlacementGenerator";
    public static final String VOLUME_BINDING = "VolumeBinding";
    public static final String VOLUME_RESTRICTIONS = "VolumeRestrictions";
    public static final String VOLUME_ZONE = "VolumeZone";

    /** The scores and filters that v1beta2 and kube-scheduler 1.23 no longer have. */
    public static final Set<String> REMOVED_IN_V1BETA2 = ImmutableSet.of(
            NODE_LABEL,
            SERVICE_AFFINITY,
            NODE_PREFER_AVOID_PODS,
            NODE_RESOURCES_LEAST,
            NODE_RESOURCES_MOST,
            REQUESTED_TO_CAPACITY_RATIO);

    /** The limits of disks that a node attaches without a CSI driver. */
    public static final Set<String> IN_TREE_VOLUME_LIMITS =
            ImmutableSet.of(EBS_LIMITS, GCE_PD_LIMITS, AZURE_DISK_LIMITS, CINDER_LIMITS);

    /** The first release of plugins that {@code v1} configurations can contain, for those added after 1.25. */
    private static final Map<String, Integer> FIRST = Map.of(
            NODE_DECLARED_FEATURES,
            35,
            GANG_SCHEDULING,
            35,
            TOPOLOGY_PLACEMENT_GENERATOR,
            36,
            POD_GROUP_PODS_COUNT,
            36);

    private PluginNames() {}

    /** The last version that has a plugin which is no longer part of kube-scheduler, and its replacement. */
    private record Removed(ConfigVersion last, String successor) {}

    private static final Map<String, Removed> REMOVED = Map.of(
            NODE_LABEL, new Removed(ConfigVersion.V1BETA1, "addedAffinity in the args of NodeAffinity"),
            SERVICE_AFFINITY, new Removed(ConfigVersion.V1BETA1, "PodTopologySpread"),
            NODE_PREFER_AVOID_PODS, new Removed(ConfigVersion.V1BETA1, "a taint with the effect PreferNoSchedule"),
            NODE_RESOURCES_LEAST,
                    new Removed(ConfigVersion.V1BETA1, "NodeResourcesFit with scoringStrategy type LeastAllocated"),
            NODE_RESOURCES_MOST,
                    new Removed(ConfigVersion.V1BETA1, "NodeResourcesFit with scoringStrategy type MostAllocated"),
            REQUESTED_TO_CAPACITY_RATIO,
                    new Removed(
                            ConfigVersion.V1BETA1,
                            "NodeResourcesFit with scoringStrategy type RequestedToCapacityRatio"),
            SELECTOR_SPREAD, new Removed(ConfigVersion.V1BETA3, POD_TOPOLOGY_SPREAD),
            DEFAULT_POD_TOPOLOGY_SPREAD, new Removed(ConfigVersion.V1ALPHA2, "PodTopologySpread"));

    /** Whether the releases that support a version have a plugin of this name; true for out-of-tree plugins. */
    public static boolean isIn(String plugin, ConfigVersion version) {
        Removed removed = REMOVED.get(plugin);
        return removed == null || removed.last.atLeast(version);
    }

    /** The replacement of a plugin in versions that do not have it; null for none. */
    public static @Nullable String successor(String plugin) {
        Removed removed = REMOVED.get(plugin);
        return removed == null ? null : removed.successor;
    }

    /** Whether a release has the plugin; false if a later release added it. */
    public static boolean isIn(String plugin, Release release) {
        return release.atLeast(FIRST.getOrDefault(plugin, 0));
    }
}
