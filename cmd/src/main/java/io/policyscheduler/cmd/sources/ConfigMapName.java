package io.policyscheduler.cmd.sources;

/** Names a ConfigMap. */
public record ConfigMapName(String namespace, String name) {
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
