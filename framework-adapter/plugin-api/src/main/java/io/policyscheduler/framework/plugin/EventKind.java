package io.policyscheduler.framework.plugin;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The resource and action of an event. Mirrors {@code ClusterEvent} of {@code k8s.io/kube-scheduler/framework} of 1.34. */
public record EventKind(EventResource resource, EventAction action) {
    /** The name in metrics, such as {@code NodeUpdateNodeTaint}. */
    public String label() {
        return resource.label() + action.label();
    }

    /** The action of an event. Mirrors {@code ActionType} of {@code k8s.io/kube-scheduler/framework} of 1.34. */
    public enum EventAction {
        ADD("Add"),
        DELETE("Delete"),
        /** A general update: of a pod, one that is none of the following. */
        UPDATE("Update"),
        UPDATE_NODE_ALLOCATABLE("UpdateNodeAllocatable"),
        UPDATE_NODE_LABEL("UpdateNodeLabel"),
        /** Taints, including uncordoning. */
        UPDATE_NODE_TAINT("UpdateNodeTaint"),
        UPDATE_NODE_CONDITION("UpdateNodeCondition"),
        UPDATE_NODE_ANNOTATION("UpdateNodeAnnotation"),
        UPDATE_NODE_DECLARED_FEATURE("UpdateNodeDeclaredFeature"),
        UPDATE_POD_LABEL("UpdatePodLabel"),
        UPDATE_POD_SCALE_DOWN("UpdatePodScaleDown"),
        UPDATE_POD_SCHEDULING_GATES_ELIMINATED("UpdatePodSchedulingGatesEliminated"),
        UPDATE_POD_TOLERATION("UpdatePodToleration"),
        UPDATE_POD_GENERATED_RESOURCE_CLAIM("UpdatePodGeneratedResourceClaim");

        /** All actions. */
        public static final Set<EventAction> ALL = Sets.immutableEnumSet(EnumSet.allOf(EventAction.class));

        /** All actions that update pods. */
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

    /** The resource of an event. Mirrors {@code EventResource} of {@code k8s.io/kube-scheduler/framework} of 1.34. */
    public enum EventResource {
        /** For registrations only: assigned and unscheduled pods. */
        POD("Pod", ""),
        /** A pod with a node. */
        ASSIGNED_POD("AssignedPod", ""),
        /** A pod without a node. */
        UNSCHEDULED_POD("UnschedulablePod", ""),
        NODE("Node", "Node"),
        PERSISTENT_VOLUME("PersistentVolume", "PersistentVolume"),
        PERSISTENT_VOLUME_CLAIM("PersistentVolumeClaim", "PersistentVolumeClaim"),
        STORAGE_CLASS("storage.k8s.io/StorageClass", "StorageClass"),
        CSI_NODE("storage.k8s.io/CSINode", "CSINode"),
        CSI_DRIVER("storage.k8s.io/CSIDriver", "CSIDriver"),
        CSI_STORAGE_CAPACITY("storage.k8s.io/CSIStorageCapacity", "CSIStorageCapacity"),
        VOLUME_ATTACHMENT("storage.k8s.io/VolumeAttachment", "VolumeAttachment"),
        RESOURCE_CLAIM("resource.k8s.io/ResourceClaim", "ResourceClaim"),
        RESOURCE_SLICE("resource.k8s.io/ResourceSlice", "ResourceSlice"),
        DEVICE_CLASS("resource.k8s.io/DeviceClass", "DeviceClass");

        private static final ImmutableMap<String, EventResource> BY_OBJECT_KIND = Maps.uniqueIndex(
                Arrays.stream(values())
                        .filter(resource -> !resource.objectKind.isEmpty())
                        .toList(),
                resource -> resource.objectKind);

        private final String label;
        private final String objectKind;

        EventResource(String label, String objectKind) {
            this.label = label;
            this.objectKind = objectKind;
        }

        /** The name in metrics. */
        public String label() {
            return label;
        }

        /** True for pods, with a node or without. */
        public boolean isPod() {
            return this == POD || this == ASSIGNED_POD || this == UNSCHEDULED_POD;
        }

        /**
         * The resource of objects with this {@code kind} field, such as {@code CSINode}; null for kinds without events, and for
         * pods, which have two resources.
         */
        public static @Nullable EventResource ofObjectKind(String objectKind) {
            return BY_OBJECT_KIND.get(objectKind);
        }
    }
}
