package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.policy.HistoricName.HistoricTable;
import io.policyscheduler.engine.policy.HistoricName.Kind;
import java.util.List;
import java.util.Optional;

/**
 * Every predicate and priority that a policy of the releases 1.0 to 1.22 could name. Mirrors {@code
 * algorithmprovider/defaults} of each release and its compatibility test, and from 1.18 on {@code
 * plugins/legacy_registry.go}.
 */
public final class HistoricNames {
    private static final int LAST = HistoricTable.LAST;
    private static final int LAST_WITH_CONDITIONS = 16;
    private static final List<String> TAINTS = ImmutableList.of("PodToleratesNodeTaints");
    private static final String SPREAD_GATE = "only releases up to 1.17 required the gate EvenPodsSpread";

    private static final ImmutableMap<String, HistoricName> PREDICATES = new HistoricTable(Kind.PREDICATE)
            .same("PodFitsResources", 0)
            .renamed("PodFitsPorts", 0, LAST, "PodFitsHostPorts")
            .same("HostName", 0)
            .same("MatchNodeSelector", 0)
            .same("NoDiskConflict", 0)
            .same("PodFitsHostPorts", 1)
            .same("GeneralPredicates", 3)
            .same("NoVolumeZoneConflict", 2)
            .same("MaxEBSVolumeCount", 2)
            .same("MaxGCEPDVolumeCount", 2)
            .same("PodToleratesNodeTaints", 3)
            .same("MatchInterPodAffinity", 3)
            .covered(
                    "CheckNodeMemoryPressure",
                    3,
                    LAST_WITH_CONDITIONS,
                    TAINTS,
                    "the condition is a taint since 1.12, for pods of every QoS class")
            .covered("CheckNodeDiskPressure", 4, LAST_WITH_CONDITIONS, TAINTS, "the condition is a taint since 1.12")
            .same("MaxAzureDiskVolumeCount", 7)
            .renamed("NoVolumeNodeConflict", 7, 9, "CheckVolumeBinding")
            .covered(
                    "CheckNodeCondition",
                    8,
                    LAST_WITH_CONDITIONS,
                    ImmutableList.of("PodToleratesNodeTaints", "CheckNodeUnschedulable"),
                    "the conditions are taints since 1.12")
            .same("CheckVolumeBinding", 9)
            .covered("CheckNodePIDPressure", 10, LAST_WITH_CONDITIONS, TAINTS, "the condition is a taint since 1.12")
            .same("CheckNodeUnschedulable", 10)
            .same("MaxCSIVolumeCountPred", 12)
            .same("MaxCinderVolumeCount", 14)
            .ungated("EvenPodsSpread", 16, LAST, SPREAD_GATE)
            .nothing("CheckNodeLabelPresence", 18, LAST, "without labelsPresence there are no labels to check")
            .nothing("CheckServiceAffinity", 18, LAST, "without serviceAffinity there are no labels to compare")
            .build();

    private static final ImmutableMap<String, HistoricName> PRIORITIES = new HistoricTable(Kind.PRIORITY)
            .same("LeastRequestedPriority", 0)
            .same("BalancedResourceAllocation", 0)
            .renamed("ServiceSpreadingPriority", 0, LAST, "SelectorSpreadPriority")
            .nothing("EqualPriority", 0, LAST, "it gives every node the same score")
            .same("SelectorSpreadPriority", 1)
            .same("NodeAffinityPriority", 2)
            .same("ImageLocalityPriority", 2)
            .same("TaintTolerationPriority", 3)
            .same("InterPodAffinityPriority", 3)
            .same("NodePreferAvoidPodsPriority", 4)
            .same("MostRequestedPriority", 4)
            .ungated("ResourceLimitsPriority", 9, 18, "releases required the gate ResourceLimitsPriorityFunction")
            .same("RequestedToCapacityRatioPriority", 11, 17)
            .ungated("EvenPodsSpreadPriority", 16, LAST, SPREAD_GATE)
            .build();

    private HistoricNames() {}

    /** What releases meant by a predicate without argument; empty for names that none had. Case counts. */
    public static Optional<HistoricName> predicate(String name) {
        return Optional.ofNullable(PREDICATES.get(name));
    }

    /** What releases meant by a priority without argument; empty for names that none had. Case counts. */
    public static Optional<HistoricName> priority(String name) {
        return Optional.ofNullable(PRIORITIES.get(name));
    }

    /** All predicates and then all priorities, each in the order in which releases brought them. */
    public static List<HistoricName> all() {
        return ImmutableList.<HistoricName>builder()
                .addAll(PREDICATES.values())
                .addAll(PRIORITIES.values())
                .build();
    }
}
