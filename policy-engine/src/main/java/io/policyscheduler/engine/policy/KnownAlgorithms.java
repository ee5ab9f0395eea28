package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The algorithm names of kube-scheduler v1.17: evaluation order, weights, and the framework plugins they turn into.
 * Mirrors {@code algorithm/predicates}, {@code algorithm/priorities} and {@code plugins/default_registry.go}.
 */
public final class KnownAlgorithms {
    public static final String GENERAL_PREDICATES = "GeneralPredicates";
    public static final String POD_FITS_RESOURCES = "PodFitsResources";
    public static final String POD_FITS_HOST_PORTS = "PodFitsHostPorts";
    /** Registered, but in no order list and without a plugin: never evaluated. */
    public static final String POD_FITS_PORTS = "PodFitsPorts";

    public static final String CHECK_NODE_LABEL_PRESENCE = "CheckNodeLabelPresence";
    public static final String CHECK_SERVICE_AFFINITY = "CheckServiceAffinity";
    public static final String EVEN_PODS_SPREAD = "EvenPodsSpread";
    /** Not of v1.17: looks at resource claims, in clusters that have them. */
    public static final String DYNAMIC_RESOURCES = "DynamicResources";

    public static final String EVEN_PODS_SPREAD_PRIORITY = "EvenPodsSpreadPriority";
    public static final String RESOURCE_LIMITS_PRIORITY = "ResourceLimitsPriority";
    /** Accepted in a Policy and skipped. */
    public static final String EQUAL_PRIORITY = "EqualPriority";

    public static final String SERVICE_SPREADING_PRIORITY = "ServiceSpreadingPriority";
    /** Both a priority key and a plugin, made by labelPreference or labelsPresence. */
    public static final String NODE_LABEL = "NodeLabel";
    /** Both a priority key and a plugin, made by serviceAntiAffinity or serviceAffinity. */
    public static final String SERVICE_AFFINITY = "ServiceAffinity";
    /** Both a priority key and a plugin, made by requestedToCapacityRatioArguments. */
    public static final String REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio";

    private static final ImmutableList<String> PREDICATE_ORDER = ImmutableList.of(
            "CheckNodeUnschedulable",
            GENERAL_PREDICATES,
            "HostName",
            POD_FITS_HOST_PORTS,
            "MatchNodeSelector",
            POD_FITS_RESOURCES,
            "NoDiskConflict",
            "PodToleratesNodeTaints",
            "PodToleratesNodeNoExecuteTaints",
            CHECK_NODE_LABEL_PRESENCE,
            CHECK_SERVICE_AFFINITY,
            "MaxEBSVolumeCount",
            "MaxGCEPDVolumeCount",
            "MaxCSIVolumeCountPred",
            "MaxAzureDiskVolumeCount",
            "MaxCinderVolumeCount",
            "CheckVolumeBinding",
            "NoVolumeZoneConflict",
            EVEN_PODS_SPREAD,
            "MatchInterPodAffinity");

    private static final ImmutableMap<String, List<String>> FILTER_PLUGINS = filterTable();
    private static final ImmutableMap<String, String> SCORE_PLUGINS = scoreTable();
    private static final ImmutableMap<String, Long> PRIORITY_WEIGHTS = weightTable();

    private KnownAlgorithms() {}

    /** The order in which v1.17 evaluates predicates on a node. */
    public static List<String> predicateOrder() {
        return PREDICATE_ORDER;
    }

    /** All predicate names that a Policy can lead to, argument and gate ones included, in evaluation order. */
    public static Set<String> predicates() {
        return FILTER_PLUGINS.keySet();
    }

    /** The filter plugins of a predicate, in order; empty for PodFitsPorts and for unknown names. */
    public static List<String> filterPlugins(String predicate) {
        return FILTER_PLUGINS.getOrDefault(predicate, ImmutableList.of());
    }

    /** All priority names that a Policy can lead to, with their registered weights; 0 for those made by an argument. */
    public static Map<String, Long> priorityWeights() {
        return PRIORITY_WEIGHTS;
    }

    /** The score plugin of each priority that has one; the others stay functions. */
    public static Map<String, String> scorePlugins() {
        return SCORE_PLUGINS;
    }

    private static ImmutableMap<String, Long> weightTable() {
        ImmutableMap.Builder<String, Long> weights = ImmutableMap.builder();
        for (String name : List.of(
                "SelectorSpreadPriority",
                "InterPodAffinityPriority",
                "LeastRequestedPriority",
                "MostRequestedPriority",
                "BalancedResourceAllocation",
                "NodeAffinityPriority",
                "TaintTolerationPriority",
                "ImageLocalityPriority",
                SERVICE_SPREADING_PRIORITY,
                "RequestedToCapacityRatioPriority",
                EVEN_PODS_SPREAD_PRIORITY,
                RESOURCE_LIMITS_PRIORITY)) {
            weights.put(name, 1L);
        }
        weights.put("NodePreferAvoidPodsPriority", 10000L);
        weights.put(NODE_LABEL, 0L);
        weights.put(SERVICE_AFFINITY, 0L);
        weights.put(REQUESTED_TO_CAPACITY_RATIO, 0L);
        return weights.buildOrThrow();
    }

    private static ImmutableMap<String, List<String>> filterTable() {
        ImmutableMap.Builder<String, List<String>> plugins = ImmutableMap.builder();
        plugins.put("CheckNodeUnschedulable", ImmutableList.of("NodeUnschedulable"));
        plugins.put(GENERAL_PREDICATES, ImmutableList.of("NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"));
        plugins.put("HostName", ImmutableList.of("NodeName"));
        plugins.put(POD_FITS_HOST_PORTS, ImmutableList.of("NodePorts"));
        plugins.put(POD_FITS_PORTS, ImmutableList.of());
        plugins.put("MatchNodeSelector", ImmutableList.of("NodeAffinity"));
        plugins.put(POD_FITS_RESOURCES, ImmutableList.of("NodeResourcesFit"));
        plugins.put("NoDiskConflict", ImmutableList.of("VolumeRestrictions"));
        plugins.put("PodToleratesNodeTaints", ImmutableList.of("TaintToleration"));
        plugins.put(CHECK_NODE_LABEL_PRESENCE, ImmutableList.of(NODE_LABEL));
        plugins.put(CHECK_SERVICE_AFFINITY, ImmutableList.of(SERVICE_AFFINITY));
        plugins.put("MaxEBSVolumeCount", ImmutableList.of("EBSLimits"));
        plugins.put("MaxGCEPDVolumeCount", ImmutableList.of("GCEPDLimits"));
        plugins.put("MaxCSIVolumeCountPred", ImmutableList.of("NodeVolumeLimits"));
        plugins.put("MaxAzureDiskVolumeCount", ImmutableList.of("AzureDiskLimits"));
        plugins.put("MaxCinderVolumeCount", ImmutableList.of("CinderLimits"));
        plugins.put("CheckVolumeBinding", ImmutableList.of("VolumeBinding"));
        plugins.put("NoVolumeZoneConflict", ImmutableList.of("VolumeZone"));
        plugins.put(EVEN_PODS_SPREAD, ImmutableList.of("PodTopologySpread"));
        plugins.put("MatchInterPodAffinity", ImmutableList.of("InterPodAffinity"));
        return plugins.buildOrThrow();
    }

    private static ImmutableMap<String, String> scoreTable() {
        ImmutableMap.Builder<String, String> plugins = ImmutableMap.builder();
        plugins.put("SelectorSpreadPriority", "DefaultPodTopologySpread");
        plugins.put("InterPodAffinityPriority", "InterPodAffinity");
        plugins.put("LeastRequestedPriority", "NodeResourcesLeastAllocated");
        plugins.put("MostRequestedPriority", "NodeResourcesMostAllocated");
        plugins.put("BalancedResourceAllocation", "NodeResourcesBalancedAllocation");
        plugins.put("NodePreferAvoidPodsPriority", "NodePreferAvoidPods");
        plugins.put("NodeAffinityPriority", "NodeAffinity");
        plugins.put("TaintTolerationPriority", "TaintToleration");
        plugins.put("ImageLocalityPriority", "ImageLocality");
        plugins.put(EVEN_PODS_SPREAD_PRIORITY, "PodTopologySpread");
        plugins.put(NODE_LABEL, NODE_LABEL);
        plugins.put(SERVICE_AFFINITY, SERVICE_AFFINITY);
        plugins.put(REQUESTED_TO_CAPACITY_RATIO, REQUESTED_TO_CAPACITY_RATIO);
        return plugins.buildOrThrow();
    }
}
