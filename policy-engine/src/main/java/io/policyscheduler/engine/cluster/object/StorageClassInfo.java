package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A StorageClass.
 *
 * @param bindingMode null when absent
 * @param allowedTopologies ORed terms of {@code In} requirements; empty = every node
 */
public record StorageClassInfo(
        String name, String provisioner, @Nullable String bindingMode, List<List<LabelRequirement>> allowedTopologies)
        implements ClusterObject {
    public StorageClassInfo {
        allowedTopologies = allowedTopologies.stream().map(List::copyOf).toList();
    }

    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.STORAGE_CLASSES;
    }

    @Override
    public String namespace() {
        return "";
    }

    /** True for {@code WaitForFirstConsumer}. */
    public boolean isDelayed() {
        return "WaitForFirstConsumer".equals(bindingMode);
    }
}
