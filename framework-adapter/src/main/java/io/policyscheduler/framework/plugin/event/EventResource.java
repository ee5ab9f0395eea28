package io.policyscheduler.framework.plugin.event;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What an event is about. Mirrors {@code EventResource} of {@code k8s.io/kube-scheduler/framework} of 1.34. */
public enum EventResource {
    /** To be registered only: assigned and waiting pods alike. */
    POD("Pod", ""),
    /** A pod with a node. */
    ASSIGNED_POD("AssignedPod", ""),
    /** A pod that waits for a node. */
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
     * The resource whose objects have this field {@code kind}, such as {@code CSINode}; null for kinds that raise no events, and for
     * pods, of which it depends on where they are.
     */
    public static @Nullable EventResource ofObjectKind(String objectKind) {
        return BY_OBJECT_KIND.get(objectKind);
    }
}
