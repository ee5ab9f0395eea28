package io.policyscheduler.framework.profile;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Sets;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.framework.plugin.ClusterEvent;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Which events may help a pod that a filter plugin of Kubernetes rejected. Mirrors the plugins' {@code EventsToRegister}. */
final class PluginEvents {
    private static final Set<ClusterEvent> ALL = Sets.immutableEnumSet(
            Sets.difference(EnumSet.allOf(ClusterEvent.class), ClusterEvent.ONLY_WHERE_ASKED_FOR));
    private static final Set<ClusterEvent> NODES = ClusterEvent.NODE_EVENTS;
    private static final Set<ClusterEvent> ROOM =
            and(NODES, ClusterEvent.ASSIGNED_POD_DELETE, ClusterEvent.ASSIGNED_POD_UPDATE);
    private static final Set<ClusterEvent> PODS =
            and(ROOM, ClusterEvent.ASSIGNED_POD_ADD, ClusterEvent.NODE_DELETE, ClusterEvent.NAMESPACE_CHANGE);
    private static final Set<ClusterEvent> SERVICES =
            and(PODS, ClusterEvent.SERVICE_ADD, ClusterEvent.SERVICE_UPDATE, ClusterEvent.SERVICE_DELETE);
    private static final Set<ClusterEvent> CLAIMS = and(
            ROOM,
            ClusterEvent.PVC_ADD,
            ClusterEvent.PVC_UPDATE,
            ClusterEvent.PV_ADD,
            ClusterEvent.PV_UPDATE,
            ClusterEvent.STORAGE_CLASS_ADD,
            ClusterEvent.CSI_NODE_ADD,
            ClusterEvent.CSI_NODE_UPDATE);

    private static final Map<String, Set<ClusterEvent>> BY_PLUGIN = ImmutableMap.<String, Set<ClusterEvent>>builder()
            .put("NodeUnschedulable", NODES)
            .put("NodeName", NODES)
            .put("TaintToleration", NODES)
            .put("NodeAffinity", NODES)
            .put("NodeLabel", NODES)
            .put("NodePorts", ROOM)
            .put("NodeResourcesFit", ROOM)
            .put("VolumeRestrictions", CLAIMS)
            .put("EBSLimits", CLAIMS)
            .put("GCEPDLimits", CLAIMS)
            .put("AzureDiskLimits", CLAIMS)
            .put("CinderLimits", CLAIMS)
            .put("NodeVolumeLimits", CLAIMS)
            .put("VolumeBinding", CLAIMS)
            .put("VolumeZone", CLAIMS)
            .put("PodTopologySpread", PODS)
            .put("InterPodAffinity", PODS)
            .put("ServiceAffinity", SERVICES)
            .buildOrThrow();

    private PluginEvents() {}

    private static Set<ClusterEvent> and(Set<ClusterEvent> events, ClusterEvent... more) {
        return Sets.immutableEnumSet(Sets.union(events, Set.of(more)));
    }

    /** The events of a predicate: those of its plugin, and what it reads besides. */
    static Set<ClusterEvent> of(String name, Predicate predicate) {
        Set<ClusterEvent> events = EnumSet.noneOf(ClusterEvent.class);
        events.addAll(of(name));
        if (predicate.readsBudgets()) {
            events.add(ClusterEvent.BUDGET_CHANGE);
        }
        if (predicate.readsTables()) {
            events.add(ClusterEvent.TABLE_CHANGE);
        }
        return Collections.unmodifiableSet(events);
    }

    /** The events of a plugin; for one that is not known all that need not be asked for. */
    static Set<ClusterEvent> of(String plugin) {
        return BY_PLUGIN.getOrDefault(plugin, ALL);
    }
}
