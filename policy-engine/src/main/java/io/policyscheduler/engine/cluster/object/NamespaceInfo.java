package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.Labels;

/** A namespace and its labels. */
public record NamespaceInfo(String name, Labels labels) implements ClusterObject {
    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.NAMESPACES;
    }

    @Override
    public String namespace() {
        return "";
    }
}
