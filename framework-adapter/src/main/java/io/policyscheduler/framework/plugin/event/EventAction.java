package io.policyscheduler.framework.plugin.event;

import com.google.common.collect.Sets;
import java.util.EnumSet;
import java.util.Set;

/** What happened. Mirrors {@code ActionType} of {@code k8s.io/kube-scheduler/framework} of 1.34. */
public enum EventAction {
    ADD("Add"),
    DELETE("Delete"),
    /** A change of which no more is said: of a pod, one that is none of the following. */
    UPDATE("Update"),
    UPDATE_NODE_ALLOCATABLE("UpdateNodeAllocatable"),
    UPDATE_NODE_LABEL("UpdateNodeLabel"),
    /** Taints, and that the node is no longer cordoned. */
    UPDATE_NODE_TAINT("UpdateNodeTaint"),
    UPDATE_NODE_CONDITION("UpdateNodeCondition"),
    UPDATE_NODE_ANNOTATION("UpdateNodeAnnotation"),
    UPDATE_POD_LABEL("UpdatePodLabel"),
    UPDATE_POD_SCALE_DOWN("UpdatePodScaleDown"),
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED("UpdatePodSchedulingGatesEliminated"),
    UPDATE_POD_TOLERATION("UpdatePodToleration"),
    UPDATE_POD_GENERATED_RESOURCE_CLAIM("UpdatePodGeneratedResourceClaim");

    /** All of them. */
    public static final Set<EventAction> ALL = Sets.immutableEnumSet(EnumSet.allOf(EventAction.class));

    /** All ways in which pods change. */
    static final Set<EventAction> POD_UPDATES = Sets.immutableEnumSet(
            UPDATE,
            UPDATE_POD_LABEL,
            UPDATE_POD_SCALE_DOWN,
            UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
            UPDATE_POD_TOLERATION,
            UPDATE_POD_GENERATED_RESOURCE_CLAIM);

    private final String label;

    EventAction(String label) {
        this.label = label;
    }

    /** The name in metrics. */
    public String label() {
        return label;
    }
}
