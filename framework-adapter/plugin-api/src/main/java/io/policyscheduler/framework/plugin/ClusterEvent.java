package io.policyscheduler.framework.plugin;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What happens to a pod or in the cluster that moves pods between the parts of the queue; the label is the value of metric label {@code event}. Mirrors
 * {@code pkg/scheduler/internal/queue/events.go}.
 */
public enum ClusterEvent {
    UNKNOWN("Unknown"),
    POD_ADD("PodAdd"),
    NODE_ADD("NodeAdd"),
    SCHEDULE_ATTEMPT_FAILURE("ScheduleAttemptFailure"),
    BACKOFF_COMPLETE("BackoffComplete"),
    UNSCHEDULABLE_TIMEOUT("UnschedulableTimeout"),
    ASSIGNED_POD_ADD("AssignedPodAdd"),
    ASSIGNED_POD_UPDATE("AssignedPodUpdate"),
    ASSIGNED_POD_DELETE("AssignedPodDelete"),
    PV_ADD("PvAdd"),
    PV_UPDATE("PvUpdate"),
    PVC_ADD("PvcAdd"),
    PVC_UPDATE("PvcUpdate"),
    STORAGE_CLASS_ADD("StorageClassAdd"),
    SERVICE_ADD("ServiceAdd"),
    SERVICE_UPDATE("ServiceUpdate"),
    SERVICE_DELETE("ServiceDelete"),
    CSI_NODE_ADD("CSINodeAdd"),
    CSI_NODE_UPDATE("CSINodeUpdate"),
    NODE_SPEC_UNSCHEDULABLE_CHANGE("NodeSpecUnschedulableChange"),
    NODE_ALLOCATABLE_CHANGE("NodeAllocatableChange"),
    NODE_LABEL_CHANGE("NodeLabelChange"),
    NODE_TAINT_CHANGE("NodeTaintChange"),
    NODE_CONDITION_CHANGE("NodeConditionChange"),
    /** A node is gone, and with it the pods that it counted. */
    NODE_DELETE("NodeDelete"),
    /** A namespace has other labels, by which terms of inter-pod affinity select it. */
    NAMESPACE_CHANGE("NamespaceChange"),
    /** A node that had refused a pod takes such pods again. */
    NODE_WAIT_OVER("NodeWaitOver"),
    /** A disruption budget. */
    BUDGET_CHANGE("BudgetChange"),
    /** What was begun for the pod itself has failed; today's name for what activates a pod by itself. */
    FORCE_ACTIVATE("ForceActivate"),
    /** The pod itself changed. */
    POD_UPDATE("PodUpdate"),
    /** A resource claim, a slice of devices or a class of them. */
    DEVICES_CHANGE("DevicesChange"),
    /** A table that rules read has other values. */
    TABLE_CHANGE("TableChange"),
    /** The scheduler got other profiles, by a reload. */
    PROFILE_CHANGE("ProfileChange");

    /** Events about one node, which only make that node more or less suitable. */
    public static final Set<ClusterEvent> NODE_EVENTS = Collections.unmodifiableSet(EnumSet.of(
            NODE_ADD,
            NODE_SPEC_UNSCHEDULABLE_CHANGE,
            NODE_ALLOCATABLE_CHANGE,
            NODE_LABEL_CHANGE,
            NODE_TAINT_CHANGE,
            NODE_CONDITION_CHANGE));

    /**
     * Events that come often and mean nothing to most pods: only the pods of plugins that ask for them are moved, with hints and
     * without.
     */
    public static final Set<ClusterEvent> ONLY_WHERE_ASKED_FOR =
            Collections.unmodifiableSet(EnumSet.of(BUDGET_CHANGE, DEVICES_CHANGE, TABLE_CHANGE));

    private final String label;

    ClusterEvent(String label) {
        this.label = label;
    }

    /** The name in metrics and logs. */
    public String label() {
        return label;
    }
}
