package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * What a cluster looks like once a way of deciding has placed its pods. Utilisation is the share of allocatable that pods
 * ask for, 1 being full; nodes without any allocatable are left out of it.
 *
 * @param name name of the way of deciding, or {@link #BEFORE}
 * @param placed pods that it found a node for
 * @param unplaced pods that it found none for
 * @param nodes over all nodes
 * @param zones over all zones, each taken as one big node
 * @param zoneLoads each zone, by name
 * @param emptied nodes that have only pods of daemon sets left and had others before
 */
public record ClusterSummary(
        String name,
        int placed,
        int unplaced,
        Balance nodes,
        Balance zones,
        List<ZoneLoad> zoneLoads,
        List<String> emptied) {
    /** The cluster as it was. */
    public static final String BEFORE = "before";

    public ClusterSummary {
        zoneLoads = ImmutableList.copyOf(zoneLoads);
        emptied = ImmutableList.copyOf(emptied);
    }

    /** How evenly the pods are spread. */
    public record Balance(Spread cpu, Spread memory, Spread pods) {}

    /**
     * A zone.
     *
     * @param zone region and zone, empty for nodes without
     * @param cpu utilisation
     * @param memory utilisation
     */
    public record ZoneLoad(String zone, int nodes, double cpu, double memory, long pods) {}
}
