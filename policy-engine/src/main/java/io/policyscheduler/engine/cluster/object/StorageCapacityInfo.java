package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import org.jspecify.annotations.Nullable;

/**
 * A CSIStorageCapacity: how much storage of a class is left in a part of the cluster.
 *
 * @param nodeTopology nodes that can reach the storage; null = none, empty = all
 * @param capacity bytes left; null when not said
 * @param maximumVolumeSize bytes of the largest volume that can be made; null when not said
 */
public record StorageCapacityInfo(
        String namespace,
        String name,
        String storageClassName,
        @Nullable LabelSelector nodeTopology,
        @Nullable Long capacity,
        @Nullable Long maximumVolumeSize)
        implements ClusterObject {
    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.STORAGE_CAPACITIES;
    }

    @Override
    public StorageCapacityInfo withNamespace(String other) {
        return new StorageCapacityInfo(other, name, storageClassName, nodeTopology, capacity, maximumVolumeSize);
    }

    /** True when a volume of this many bytes can be made for a node with these labels. */
    public boolean suffices(long bytes, Labels nodeLabels) {
        Long limit = maximumVolumeSize != null ? maximumVolumeSize : capacity;
        return limit != null && limit >= bytes && nodeTopology != null && nodeTopology.matches(nodeLabels);
    }
}
