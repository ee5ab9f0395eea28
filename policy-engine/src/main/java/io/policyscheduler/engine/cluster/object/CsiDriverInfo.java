package io.policyscheduler.engine.cluster.object;

/**
 * A CSIDriver.
 *
 * @param storageCapacity {@code spec.storageCapacity}: the driver publishes {@link StorageCapacityInfo} objects
 */
public record CsiDriverInfo(String name, boolean storageCapacity) implements ClusterObject {
    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.CSI_DRIVERS;
    }

    @Override
    public String namespace() {
        return "";
    }
}
