package io.policyscheduler.engine.cluster;

/** A namespace and its labels. */
public record NamespaceInfo(String name, Labels labels) implements ClusterObject {
    @Override
    public String namespace() {
        return "";
    }
}
