package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.Labels;
import org.jspecify.annotations.Nullable;

/**
 * A service.
 *
 * @param selector null = selects no pod; empty = selects every pod of its namespace, as the lister of 1.17 does
 */
public record ServiceInfo(
        String namespace, String name, @Nullable Labels selector) implements ClusterObject {
    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.SERVICES;
    }

    @Override
    public ServiceInfo withNamespace(String other) {
        return new ServiceInfo(other, name, selector);
    }

    /** True when the service selects a pod of its namespace with these labels; nothing is validated. */
    public boolean selects(Labels labels) {
        return selector != null && labels.containsAll(selector);
    }
}
