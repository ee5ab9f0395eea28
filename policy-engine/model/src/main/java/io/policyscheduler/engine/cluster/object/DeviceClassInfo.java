package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceSelector;
import java.util.List;

/**
 * A DeviceClass. Mirrors {@code resource.k8s.io/v1}.
 *
 * @param selectors all must match; a class without any contains every device
 * @param config configuration for drivers
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
