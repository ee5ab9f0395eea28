package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceSelector;
import java.util.List;

/**
 * A DeviceClass: a name for devices of a kind. Mirrors {@code resource.k8s.io/v1}.
 *
 * @param selectors all must hold; a class without any has every device
 * @param config what drivers are told about devices of the class
 * @param extendedResourceName the extended resource that devices of the class satisfy; empty when absent
 * @param createdMillis {@code metadata.creationTimestamp} in epoch milliseconds, or {@link PodInfo#NO_TIME}
 */
public record DeviceClassInfo(
        String name,
        List<DeviceSelector> selectors,
        List<DeviceConfig> config,
        String extendedResourceName,
        long createdMillis)
        implements ClusterObject {
    public DeviceClassInfo {
        selectors = List.copyOf(selectors);
        config = List.copyOf(config);
    }

    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.DEVICE_CLASSES;
    }

    @Override
    public String namespace() {
        return "";
    }
}
