package io.policyscheduler.cmd.embedded.api;

import java.util.List;

/**
 * One kind of object that the server stores.
 *
 * @param group API group; empty for the core group
 * @param versions served versions, the preferred one first
 * @param plural resource name in paths, for example {@code pods}
 * @param singular resource name in the singular
 * @param kind kind, for example {@code Pod}
 * @param shortNames abbreviations that kubectl accepts
 * @param namespaced whether objects live in namespaces
 * @param hasStatus whether status is written through the status subresource only
 */
public record ResourceType(
        String group,
        List<String> versions,
        String plural,
        String singular,
        String kind,
        List<String> shortNames,
        boolean namespaced,
        boolean hasStatus) {

    /** Copies the lists. */
    public ResourceType {
        versions = List.copyOf(versions);
        shortNames = List.copyOf(shortNames);
    }

    /** The name used as storage key and in messages: {@code pods}, {@code replicasets.apps}. */
    public String qualifiedName() {
        return group.isEmpty() ? plural : plural + "." + group;
    }

    /** The {@code apiVersion} text of the given version: {@code v1}, {@code apps/v1}. */
    public String apiVersion(String version) {
        return group.isEmpty() ? version : group + "/" + version;
    }

    public boolean isPod() {
        return group.isEmpty() && plural.equals("pods");
    }

    public boolean isNamespace() {
        return group.isEmpty() && plural.equals("namespaces");
    }

    public boolean isPriorityClass() {
        return plural.equals("priorityclasses");
    }

    /** Whether controllers create pods for its objects. */
    public boolean isWorkload() {
        return List.of("apps", "batch").contains(group) && hasStatus || plural.equals("replicationcontrollers");
    }

    /** Whether the status of a new object is dropped. */
    public boolean beginsWithoutStatus() {
        return isWorkload()
                || List.of("pods", "persistentvolumes", "persistentvolumeclaims", "resourceclaims.resource.k8s.io")
                        .contains(qualifiedName());
    }

    /** Whether {@code kubectl get all} lists its objects. */
    public boolean isInCategoryAll() {
        return isWorkload() || List.of("pods", "services").contains(plural);
    }

    /** Whether the number of its pods is also set by the subresource {@code scale}. */
    public boolean hasScale() {
        return List.of("deployments", "replicasets", "statefulsets", "replicationcontrollers")
                .contains(plural);
    }

    /** Whether names may have colons and capitals, as those of roles may. */
    public boolean hasPathSegmentNames() {
        return group.equals(ResourceCatalog.RBAC_GROUP);
    }

    /** Whether a PUT without resourceVersion replaces the current version. */
    public boolean allowsUnconditionalUpdate() {
        return !List.of("leases", "poddisruptionbudgets", "csinodes").contains(plural);
    }

    /** Whether a PUT of an absent object creates it. */
    public boolean allowsCreateOnUpdate() {
        return List.of("leases", "endpoints", "events").contains(plural);
    }

    /** Whether metadata.generation counts changes of the spec. */
    public boolean hasGeneration() {
        return List.of("apps", "batch", "networking.k8s.io", "policy").contains(group);
    }
}
