package io.policyscheduler.framework.config;

/** Names of in-tree plugins that configurations treat specially. */
final class PluginNames {
    static final String AZURE_DISK_LIMITS = "AzureDiskLimits";
    static final String CINDER_LIMITS = "CinderLimits";
    static final String DEFAULT_BINDER = "DefaultBinder";
    static final String DEFAULT_POD_TOPOLOGY_SPREAD = "DefaultPodTopologySpread";
    static final String DEFAULT_PREEMPTION = "DefaultPreemption";
    static final String DYNAMIC_RESOURCES = "DynamicResources";
    static final String EBS_LIMITS = "EBSLimits";
    static final String GCE_PD_LIMITS = "GCEPDLimits";
    static final String IMAGE_LOCALITY = "ImageLocality";
    static final String INTER_POD_AFFINITY = "InterPodAffinity";
    static final String NODE_AFFINITY = "NodeAffinity";
    static final String NODE_LABEL = "NodeLabel";
    static final String NODE_NAME = "NodeName";
    static final String NODE_PORTS = "NodePorts";
    static final String NODE_PREFER_AVOID_PODS = "NodePreferAvoidPods";
    static final String NODE_RESOURCES_BALANCED = "NodeResourcesBalancedAllocation";
    static final String NODE_RESOURCES_FIT = "NodeResourcesFit";
    static final String NODE_RESOURCES_LEAST = "NodeResourcesLeastAllocated";
    static final String NODE_RESOURCES_MOST = "NodeResourcesMostAllocated";
    static final String NODE_UNSCHEDULABLE = "NodeUnschedulable";
    static final String NODE_VOLUME_LIMITS = "NodeVolumeLimits";
    static final String POD_TOPOLOGY_SPREAD = "PodTopologySpread";
    static final String PRIORITY_SORT = "PrioritySort";
    static final String REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio";
    static final String SCHEDULING_GATES = "SchedulingGates";
    static final String SELECTOR_SPREAD = "SelectorSpread";
    static final String SERVICE_AFFINITY = "ServiceAffinity";
    static final String TAINT_TOLERATION = "TaintToleration";
    static final String VOLUME_BINDING = "VolumeBinding";
    static final String VOLUME_RESTRICTIONS = "VolumeRestrictions";
    static final String VOLUME_ZONE = "VolumeZone";

    private PluginNames() {}
}
