package io.policyscheduler.engine.algorithm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm.Availability;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The table of kube-scheduler v1.17's algorithms, one row each; predicates in evaluation order. Mirrors
 * {@code algorithm/predicates}, {@code algorithm/priorities} and {@code plugins/default_registry.go}.
 */
public final class KnownAlgorithms {
    public static final String GENERAL_PREDICATES = "GeneralPredicates";
    public static final String POD_FITS_RESOURCES = "PodFitsResources";
    public static final String HOST_NAME = "HostName";
    public static final String POD_FITS_HOST_PORTS = "PodFitsHostPorts";
    public static final String MATCH_NODE_SELECTOR = "MatchNodeSelector";
    public static final String POD_FITS_PORTS = "PodFitsPorts";

    public static final String CHECK_NODE_LABEL_PRESENCE = "CheckNodeLabelPresence";
    public static final String CHECK_SERVICE_AFFINITY = "CheckServiceAffinity";
    public static final String EVEN_PODS_SPREAD = "EvenPodsSpread";
    /** Not in v1.17: allocates devices for the resource claims of pods, in clusters that have them. */
    public static final String DYNAMIC_RESOURCES = "DynamicResources";

    /** Not in v1.17: rejects nodes whose kubelet lacks a feature that the pod requires. */
    public static final String NODE_DECLARED_FEATURES = "NodeDeclaredFeatures";

    /** Replaces {@link #DYNAMIC_RESOURCES} in policies that do not list it: rejects pods with claims. */
    public static final String NO_RESOURCE_CLAIMS = "NoResourceClaims";

    public static final String EVEN_PODS_SPREAD_PRIORITY = "EvenPodsSpreadPriority";
    public static final String RESOURCE_LIMITS_PRIORITY = "ResourceLimitsPriority";
    /** Accepted in a Policy and skipped. */
    public static final String EQUAL_PRIORITY = "EqualPriority";

    public static final String SERVICE_SPREADING_PRIORITY = "ServiceSpreadingPriority";
    /** Both a priority key and a plugin. */
    public static final String NODE_LABEL = "NodeLabel";
    /** Both a priority key and a plugin. */
    public static final String SERVICE_AFFINITY = "ServiceAffinity";
    /** Both a priority key and a plugin. */
    public static final String REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio";

    private static final ImmutableMap<String, KnownAlgorithm> PREDICATES = table(
            predicate("CheckNodeUnschedulable", "NodeUnschedulable", "NodeUnschedulable", FailureReasons.UNSCHEDULABLE),
            predicate(GENERAL_PREDICATES, "", "")
                    .parts(POD_FITS_RESOURCES, HOST_NAME, POD_FITS_HOST_PORTS, MATCH_NODE_SELECTOR),
            predicate(HOST_NAME, "NodeName", "NodeName", FailureReasons.HOST_NAME),
            predicate(POD_FITS_HOST_PORTS, "NodePorts", "NodePorts", FailureReasons.HOST_PORTS),
            predicate(POD_FITS_PORTS, "", "NodePorts", FailureReasons.HOST_PORTS)
                    .availability(Availability.NEVER_RUN),
            predicate(MATCH_NODE_SELECTOR, "NodeAffinity", "NodeAffinity", FailureReasons.NODE_SELECTOR),
            predicate(POD_FITS_RESOURCES, "NodeResourcesFit", "NodeResourcesFit"),
            predicate("NoDiskConflict", "VolumeRestrictions", "VolumeRestrictions", FailureReasons.DISK_CONFLICT),
            predicate("PodToleratesNodeTaints", "TaintToleration", "TaintToleration", FailureReasons.TAINTS),
            predicate("PodToleratesNodeNoExecuteTaints", "", "TaintToleration", FailureReasons.TAINTS)
                    .availability(Availability.NOT_REGISTERED),
            predicate(CHECK_NODE_LABEL_PRESENCE, NODE_LABEL, NODE_LABEL, FailureReasons.LABEL_PRESENCE)
                    .argument("labelsPresence"),
            predicate(CHECK_SERVICE_AFFINITY, SERVICE_AFFINITY, SERVICE_AFFINITY, FailureReasons.SERVICE_AFFINITY)
                    .argument("serviceAffinity"),
            predicate("MaxEBSVolumeCount", "EBSLimits", "NodeVolumeLimits", FailureReasons.MAX_VOLUME_COUNT),
            predicate("MaxGCEPDVolumeCount", "GCEPDLimits", "NodeVolumeLimits", FailureReasons.MAX_VOLUME_COUNT),
            predicate("MaxCSIVolumeCountPred", "NodeVolumeLimits", "NodeVolumeLimits", FailureReasons.MAX_VOLUME_COUNT),
            predicate(
                    "MaxAzureDiskVolumeCount", "AzureDiskLimits", "NodeVolumeLimits", FailureReasons.MAX_VOLUME_COUNT),
            predicate("MaxCinderVolumeCount", "CinderLimits", "NodeVolumeLimits", FailureReasons.MAX_VOLUME_COUNT),
            predicate(
                    "CheckVolumeBinding",
                    "VolumeBinding",
                    "VolumeBinding",
                    FailureReasons.VOLUME_NODE_AFFINITY_CONFLICT,
                    FailureReasons.VOLUME_BINDING_NO_MATCH),
            predicate("NoVolumeZoneConflict", "VolumeZone", "VolumeZone", FailureReasons.VOLUME_ZONE_CONFLICT),
            predicate(EVEN_PODS_SPREAD, "PodTopologySpread", "PodTopologySpread", FailureReasons.TOPOLOGY_SPREAD)
                    .gate(FeatureGates.EVEN_PODS_SPREAD),
            predicate(
                    "MatchInterPodAffinity",
                    "InterPodAffinity",
                    "InterPodAffinity",
                    FailureReasons.POD_AFFINITY,
                    FailureReasons.POD_AFFINITY_RULES,
                    FailureReasons.POD_ANTI_AFFINITY_RULES,
                    FailureReasons.EXISTING_ANTI_AFFINITY_RULES));

    private static final ImmutableMap<String, KnownAlgorithm> PRIORITIES = table(
            priority("SelectorSpreadPriority", 1, "DefaultPodTopologySpread", "PodTopologySpread")
                    .laterPlugin("SelectorSpread"),
            priority("InterPodAffinityPriority", 1, "InterPodAffinity", "InterPodAffinity"),
            priority("LeastRequestedPriority", 1, "NodeResourcesLeastAllocated", "NodeResourcesFit"),
            priority("MostRequestedPriority", 1, "NodeResourcesMostAllocated", "NodeResourcesFit"),
            priority(
                    "BalancedResourceAllocation",
                    1,
                    "NodeResourcesBalancedAllocation",
                    "NodeResourcesBalancedAllocation"),
            priority("NodeAffinityPriority", 1, "NodeAffinity", "NodeAffinity"),
            priority("TaintTolerationPriority", 1, "TaintToleration", "TaintToleration"),
            priority("ImageLocalityPriority", 1, "ImageLocality", "ImageLocality"),
            priority(SERVICE_SPREADING_PRIORITY, 1, "", "PodTopologySpread"),
            priority("RequestedToCapacityRatioPriority", 1, "", "NodeResourcesFit"),
            priority(EVEN_PODS_SPREAD_PRIORITY, 1, "PodTopologySpread", "PodTopologySpread")
                    .gate(FeatureGates.EVEN_PODS_SPREAD),
            priority(RESOURCE_LIMITS_PRIORITY, 1, "", "NodeResourceLimits")
                    .gate(FeatureGates.RESOURCE_LIMITS_PRIORITY_FUNCTION),
            priority("NodePreferAvoidPodsPriority", 10_000, "NodePreferAvoidPods", "NodePreferAvoidPods"),
            priority(NODE_LABEL, 0, NODE_LABEL, NODE_LABEL).argument("labelPreference"),
            priority(SERVICE_AFFINITY, 0, SERVICE_AFFINITY, "PodTopologySpread").argument("serviceAntiAffinity"),
            priority(REQUESTED_TO_CAPACITY_RATIO, 0, REQUESTED_TO_CAPACITY_RATIO, "NodeResourcesFit")
                    .argument("requestedToCapacityRatioArguments"));

    private static final ImmutableSet<String> LISTABLE_PREDICATES = PREDICATES.values().stream()
            .filter(row -> row.availability() != Availability.NOT_REGISTERED)
            .map(KnownAlgorithm::name)
            .collect(ImmutableSet.toImmutableSet());

    private KnownAlgorithms() {}

    private static ImmutableMap<String, KnownAlgorithm> table(Row... rows) {
        return Arrays.stream(rows)
                .map(Row::build)
                .collect(ImmutableMap.toImmutableMap(KnownAlgorithm::name, Function.identity()));
    }

    /** The rows of predicates, in the evaluation order of v1.17. */
    public static Collection<KnownAlgorithm> predicateRows() {
        return PREDICATES.values();
    }

    /** The rows of priorities. */
    public static Collection<KnownAlgorithm> priorityRows() {
        return PRIORITIES.values();
    }

    /** The row of a predicate; null for a name that v1.17 does not have. */
    public static @Nullable KnownAlgorithm predicateRow(String name) {
        return PREDICATES.get(name);
    }

    /** The row of a priority; null for a name that v1.17 does not have. */
    public static @Nullable KnownAlgorithm priorityRow(String name) {
        return PRIORITIES.get(name);
    }

    /** All predicate names that a Policy can create, including those with arguments and gates, in evaluation order. */
    public static Set<String> predicates() {
        return LISTABLE_PREDICATES;
    }

    /** All priority names that a Policy can create, including those with arguments and gates. */
    public static Set<String> priorities() {
        return PRIORITIES.keySet();
    }

    /**
     * The rows with a plugin for a predicate: the parts of GeneralPredicates, in order, or itself; none for one without a plugin
     * and for names that are not of v1.17.
     */
    public static List<KnownAlgorithm> pluginRows(String predicate) {
        KnownAlgorithm row = PREDICATES.get(predicate);
        if (row == null) {
            return ImmutableList.of();
        }
        if (!row.plugin().isEmpty()) {
            return ImmutableList.of(row);
        }
        return row.parts().stream().flatMap(part -> pluginRows(part).stream()).collect(ImmutableList.toImmutableList());
    }

    /** The filter plugins of a predicate, in order; empty for one without a plugin and for unknown names. */
    public static List<String> filterPlugins(String predicate) {
        return pluginRows(predicate).stream().map(KnownAlgorithm::plugin).collect(ImmutableList.toImmutableList());
    }

    /** The score plugin of a priority; empty for those that stay functions and for unknown names. */
    public static String scorePlugin(String priority) {
        KnownAlgorithm row = PRIORITIES.get(priority);
        return row == null ? "" : row.plugin();
    }

    /** The parts of GeneralPredicates, or the predicate itself. */
    public static List<String> parts(String predicate) {
        KnownAlgorithm row = PREDICATES.get(predicate);
        return row == null || row.parts().isEmpty() ? ImmutableList.of(predicate) : row.parts();
    }

    /**
     * A row of the table of v1.17's algorithms: the metadata of a predicate or priority.
     *
     * @param name its key in a Policy
     * @param weight of a priority in a provider; 0 for predicates and for priorities that an argument creates
     * @param argument the argument in a Policy that creates it; empty if a plain entry does
     * @param gate the feature gate that it requires; empty for none
     * @param availability whether a Policy can list it, and whether it then runs
     * @param plugin its framework plugin in v1.17; empty for none
     * @param laterPlugin the name of that plugin from 1.18 on, if it was renamed; empty otherwise
     * @param concept the plugin of current releases with the same purpose; its own name if there is none
     * @param parts the predicates that it consists of, in their order; empty for itself
     * @param reasons its rejection reasons, except {@code Insufficient RESOURCE}
     */
    public record KnownAlgorithm(
            String name,
            long weight,
            String argument,
            String gate,
            Availability availability,
            String plugin,
            String laterPlugin,
            String concept,
            List<String> parts,
            List<FailureReason> reasons) {
        /** The behavior of v1.17 for an algorithm in a Policy. */
        public enum Availability {
            /** Runs. */
            RUN,
            /** Accepted but never runs, because it is not in the predicate order. */
            NEVER_RUN,
            /** Rejected: it is in the predicate order, but not registered. */
            NOT_REGISTERED
        }

        public KnownAlgorithm {
            parts = ImmutableList.copyOf(parts);
            reasons = ImmutableList.copyOf(reasons);
        }

        /** Whether v1.17 accepts its name without an argument. */
        public boolean isListable(FeatureGates gates) {
            return availability != Availability.NOT_REGISTERED && argument.isEmpty() && isEnabled(gates);
        }

        /** Whether its gate, if any, is on. */
        public boolean isEnabled(FeatureGates gates) {
            return gate.isEmpty() || gates.enabled(gate);
        }

        /** Whether one of its reasons begins with this text. */
        public boolean gives(String reason) {
            return reasons.stream().anyMatch(own -> reason.startsWith(own.text()))
                    || (name.equals(KnownAlgorithms.POD_FITS_RESOURCES)
                            && reason.startsWith(FailureReasons.INSUFFICIENT));
        }
    }

    /** Builds a row. */
    private static final class Row {
        private final String name;
        private final long weight;
        private final String plugin;
        private final String concept;
        private final List<FailureReason> reasons;
        private String argument = "";
        private String gate = "";
        private Availability availability = Availability.RUN;
        private String laterPlugin = "";
        private List<String> parts = ImmutableList.of();

        private Row(String name, long weight, String plugin, String concept, FailureReason... reasons) {
            this.name = name;
            this.weight = weight;
            this.plugin = plugin;
            this.concept = concept;
            this.reasons = ImmutableList.copyOf(reasons);
        }

        Row argument(String kind) {
            argument = kind;
            return this;
        }

        Row gate(String featureGate) {
            gate = featureGate;
            return this;
        }

        Row availability(Availability other) {
            availability = other;
            return this;
        }

        Row laterPlugin(String pluginName) {
            laterPlugin = pluginName;
            return this;
        }

        Row parts(String... predicates) {
            parts = ImmutableList.copyOf(predicates);
            return this;
        }

        KnownAlgorithm build() {
            return new KnownAlgorithm(
                    name, weight, argument, gate, availability, plugin, laterPlugin, concept, parts, reasons);
        }
    }

    private static Row predicate(String name, String plugin, String concept, FailureReason... reasons) {
        return new Row(name, 0, plugin, concept, reasons);
    }

    private static Row priority(String name, long weight, String plugin, String concept) {
        return new Row(name, weight, plugin, concept);
    }
}
