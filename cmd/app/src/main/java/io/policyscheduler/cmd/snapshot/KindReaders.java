package io.policyscheduler.cmd.snapshot;

import static io.policyscheduler.engine.cluster.object.ResourceKind.CLAIMS;
import static io.policyscheduler.engine.cluster.object.ResourceKind.CSI_DRIVERS;
import static io.policyscheduler.engine.cluster.object.ResourceKind.CSI_NODES;
import static io.policyscheduler.engine.cluster.object.ResourceKind.NAMESPACES;
import static io.policyscheduler.engine.cluster.object.ResourceKind.REPLICATION_CONTROLLERS;
import static io.policyscheduler.engine.cluster.object.ResourceKind.REPLICA_SETS;
import static io.policyscheduler.engine.cluster.object.ResourceKind.SERVICES;
import static io.policyscheduler.engine.cluster.object.ResourceKind.STATEFUL_SETS;
import static io.policyscheduler.engine.cluster.object.ResourceKind.STORAGE_CAPACITIES;
import static io.policyscheduler.engine.cluster.object.ResourceKind.STORAGE_CLASSES;
import static io.policyscheduler.engine.cluster.object.ResourceKind.VOLUMES;
import static io.policyscheduler.engine.cluster.object.ResourceKind.VOLUME_ATTACHMENTS;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Sets;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The kinds that algorithms read besides nodes and pods, by the names of algorithms in evaluations. */
public final class KindReaders {
    private static final Set<ResourceKind> NOTHING = Sets.immutableEnumSet(EnumSet.noneOf(ResourceKind.class));
    private static final Set<ResourceKind> OWNERS =
            Sets.immutableEnumSet(SERVICES, REPLICATION_CONTROLLERS, REPLICA_SETS, STATEFUL_SETS);
    private static final Set<ResourceKind> BINDING =
            Sets.immutableEnumSet(CLAIMS, VOLUMES, STORAGE_CLASSES, CSI_NODES, CSI_DRIVERS, STORAGE_CAPACITIES);
    private static final Set<ResourceKind> ZONES = Sets.immutableEnumSet(CLAIMS, VOLUMES, STORAGE_CLASSES);
    private static final Set<ResourceKind> LIMITS =
            Sets.immutableEnumSet(CLAIMS, VOLUMES, STORAGE_CLASSES, CSI_NODES, CSI_DRIVERS, VOLUME_ATTACHMENTS);

    private static final String DEVICES = "DynamicResources";
    private static final String SPREADING = "PodTopologySpread";

    private static final Map<String, Set<ResourceKind>> READ = ImmutableMap.<String, Set<ResourceKind>>builder()
            .put(SPREADING, OWNERS)
            .put("EvenPodsSpread", NOTHING)
            .put("EvenPodsSpreadPriority", NOTHING)
            .put("SelectorSpread", OWNERS)
            .put("SelectorSpreadPriority", OWNERS)
            .put("DefaultPodTopologySpread", OWNERS)
            .put("ServiceSpreadingPriority", OWNERS)
            .put("ServiceAffinity", Sets.immutableEnumSet(SERVICES))
            .put("CheckServiceAffinity", Sets.immutableEnumSet(SERVICES))
            .put("InterPodAffinity", Sets.immutableEnumSet(NAMESPACES))
            .put("MatchInterPodAffinity", Sets.immutableEnumSet(NAMESPACES))
            .put("InterPodAffinityPriority", Sets.immutableEnumSet(NAMESPACES))
            .put("VolumeBinding", BINDING)
            .put("CheckVolumeBinding", BINDING)
            .put("VolumeZone", ZONES)
            .put("NoVolumeZoneConflict", ZONES)
            .put("VolumeRestrictions", Sets.immutableEnumSet(CLAIMS))
            .put("NoDiskConflict", Sets.immutableEnumSet(CLAIMS))
            .put(
                    DEVICES,
                    Sets.immutableEnumSet(
                            ResourceKind.RESOURCE_CLAIMS, ResourceKind.RESOURCE_SLICES, ResourceKind.DEVICE_CLASSES))
            .put("NodeVolumeLimits", LIMITS)
            .put("MaxCSIVolumeCountPred", LIMITS)
            .put("EBSLimits", LIMITS)
            .put("MaxEBSVolumeCount", LIMITS)
            .put("GCEPDLimits", LIMITS)
            .put("MaxGCEPDVolumeCount", LIMITS)
            .put("AzureDiskLimits", LIMITS)
            .put("MaxAzureDiskVolumeCount", LIMITS)
            .put("CinderLimits", LIMITS)
            .put("MaxCinderVolumeCount", LIMITS)
            .putAll(nodesAndPodsAlone())
            .buildOrThrow();

    private KindReaders() {}

    private static Map<String, Set<ResourceKind>> nodesAndPodsAlone() {
        ImmutableMap.Builder<String, Set<ResourceKind>> none = ImmutableMap.builder();
        for (String name : new String[] {
            "NodeDeclaredFeatures",
            "NodeUnschedulable",
            "CheckNodeUnschedulable",
            "NodeName",
            "HostName",
            "NodePorts",
            "PodFitsHostPorts",
            "PodFitsPorts",
            "GeneralPredicates",
            "NodeAffinity",
            "MatchNodeSelector",
            "NodeAffinityPriority",
            "NodeResourcesFit",
            "PodFitsResources",
            "TaintToleration",
            "PodToleratesNodeTaints",
            "PodToleratesNodeNoExecuteTaints",
            "TaintTolerationPriority",
            "NodeLabel",
            "CheckNodeLabelPresence",
            "NodeResourcesLeastAllocated",
            "LeastRequestedPriority",
            "NodeResourcesMostAllocated",
            "MostRequestedPriority",
            "NodeResourcesBalancedAllocation",
            "BalancedResourceAllocation",
            "ImageLocality",
            "ImageLocalityPriority",
            "NodePreferAvoidPods",
            "NodePreferAvoidPodsPriority",
            "EqualPriority",
            "RequestedToCapacityRatio",
            "RequestedToCapacityRatioPriority",
            "NodeResourceLimits",
            "ResourceLimitsPriority",
            "SchedulingGates"
        }) {
            none.put(name, NOTHING);
        }
        return none.build();
    }

    /**
     * The kinds that a scheduler reads, besides nodes and pods; without claims of devices if it does not support devices, because
     * it rejects such pods anyway.
     */
    public static Set<ResourceKind> of(SchedulerSpec scheduler) {
        List<String> names = new ArrayList<>(scheduler.filters());
        names.addAll(scheduler.scores().keySet());
        if (!scheduler.volumes().givesDevices()) {
            names.removeIf(DEVICES::equals);
        }
        if (scheduler.kind() != SchedulerSpec.Kind.MODERN) {
            // Pods without constraints of their own get none in that case, whatever their owner.
            names.removeIf(SPREADING::equals);
        }
        return of(names);
    }

    /** The kinds that algorithms read, besides nodes and pods; all for an unknown name, which is a rule. */
    public static Set<ResourceKind> of(Collection<String> names) {
        Set<ResourceKind> read = EnumSet.noneOf(ResourceKind.class);
        for (String name : names) {
            Set<ResourceKind> known = READ.get(name);
            if (known == null) {
                return Sets.immutableEnumSet(EnumSet.allOf(ResourceKind.class));
            }
            read.addAll(known);
        }
        return Sets.immutableEnumSet(read);
    }

    /** The warning about fields of pods that are newer than this program. */
    public static final class UnknownFields {
        private UnknownFields() {}

        /** Returns the warning, with its code. */
        public static String warning(String path) {
            if (path.equals("spec.schedulingGroup")) {
                return "W112 pods have the field " + path
                        + ", which is not supported: pods of a live cluster that have it are not scheduled, and files"
                        + " are read without it";
            }
            return "W112 pods have the field " + path + ", which no release up to " + Release.NEWEST
                    + " has: the field is ignored; if it affects scheduling, use a newer policy-scheduler";
        }
    }
}
