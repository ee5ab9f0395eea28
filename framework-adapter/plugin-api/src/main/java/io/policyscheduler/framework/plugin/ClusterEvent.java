package io.policyscheduler.framework.plugin;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A change of a pod or of the cluster that moves pods between the parts of the queue; the label is the value of metric label
 * {@code event}. Mirrors {@code pkg/scheduler/internal/queue/events.go}.
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
    /** A node and its pods were deleted. */
    NODE_DELETE("NodeDelete"),
    /** The labels of a namespace changed, which namespace selectors of inter-pod affinity refer to. */
    NAMESPACE_CHANGE("NamespaceChange"),
    /** A node is no longer excluded after its kubelet rejected a pod. */
    NODE_WAIT_OVER("NodeWaitOver"),
    /** An assigned pod is being deleted. It still uses its node, but topology spread constraints do not count it. */
    POD_TERMINATION("AssignedPodTermination"),
    /** A disruption budget. */
    BUDGET_CHANGE("BudgetChange"),
    /** Preemption or binding of the pod itself failed; the name is that of current releases for explicit activation. */
    FORCE_ACTIVATE("ForceActivate"),
    /** The pod itself changed. */
    POD_UPDATE("PodUpdate"),
    /** A resource claim, resource slice or device class. */
    DEVICES_CHANGE("DevicesChange"),
    /** A resource slice was deleted, so that an older generation of its pool may be complete. */
    RESOURCE_SLICE_DELETE("ResourceSliceDelete"),
    /** Free capacity of a storage driver. */
    STORAGE_CAPACITY_CHANGE("StorageCapacityChange"),
    /** A limit on volumes ended, or volumes may be made elsewhere: a CSINode, driver, storage class, or attachment. */
    STORAGE_LIMIT_CHANGE("StorageLimitChange"),
    /** A table that rules read has other values. */
    TABLE_CHANGE("TableChange"),
    /** The profiles were replaced by a reload. */
    PROFILE_CHANGE("ProfileChange");

    /** Events of one node, which only affect the feasibility of that node. */
    public static final Set<ClusterEvent> NODE_EVENTS = Collections.unmodifiableSet(EnumSet.of(
            NODE_ADD,
            NODE_SPEC_UNSCHEDULABLE_CHANGE,
            NODE_ALLOCATABLE_CHANGE,
            NODE_LABEL_CHANGE,
            NODE_TAINT_CHANGE,
            NODE_CONDITION_CHANGE));

    /**
     * Frequent events that are irrelevant for most pods: they only move pods of plugins that register them, with hints and without.
     */
    public static final Set<ClusterEvent> ONLY_WHERE_ASKED_FOR = Collections.unmodifiableSet(EnumSet.of(
            BUDGET_CHANGE,
            DEVICES_CHANGE,
            RESOURCE_SLICE_DELETE,
            STORAGE_CAPACITY_CHANGE,
            STORAGE_LIMIT_CHANGE,
            TABLE_CHANGE));

    private final String label;

    ClusterEvent(String label) {
        this.label = label;
    }

    /** The name in metrics and logs. */
    public String label() {
        return label;
    }
}
