package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The merge rules of the lists in Kubernetes types, by the name of the field. A list has two kinds of keys in Kubernetes, which differ
 * for a few fields: {@code patchMergeKey} for strategic merge patches, and {@code listMapKeys} for server-side apply and managed fields.
 *
 * @param patchMergeKeys the fields that identify an element in a strategic merge patch; an element has any of them. Empty if a patch
 *     replaces the list
 * @param listMapKeys the fields that together identify an element in server-side apply; empty if an apply replaces the list
 */
public record ListSchema(List<String> patchMergeKeys, List<String> listMapKeys) {
    private static final ListSchema ATOMIC_LIST = new ListSchema(List.of(), List.of());
    private static final ListSchema BY_NAME = both("name");
    private static final Map<String, ListSchema> LISTS = ImmutableMap.<String, ListSchema>builder()
            .put("containers", BY_NAME)
            .put("initContainers", BY_NAME)
            .put("ephemeralContainers", BY_NAME)
            .put("env", BY_NAME)
            .put("volumes", BY_NAME)
            .put("imagePullSecrets", BY_NAME)
            .put("secrets", BY_NAME)
            .put("resourceClaims", BY_NAME)
            .put("schedulingGates", BY_NAME)
            .put("volumeMounts", both("mountPath"))
            .put("volumeDevices", both("devicePath"))
            .put("hostAliases", both("ip"))
            .put("conditions", both("type"))
            .put("ownerReferences", both("uid"))
            .put(
                    "topologySpreadConstraints",
                    new ListSchema(List.of("topologyKey"), List.of("topologyKey", "whenUnsatisfiable")))
            // Ports of containers, and of services.
            .put("ports", new ListSchema(List.of("containerPort", "port"), List.of()))
            .put("podIPs", new ListSchema(List.of("ip"), List.of()))
            .put("hostIPs", new ListSchema(List.of("ip"), List.of()))
            .put("resourceClaimStatuses", BY_NAME)
            .put("addresses", new ListSchema(List.of("type"), List.of()))
            .put("drivers", new ListSchema(List.of("name"), List.of()))
            .buildOrThrow();
    private static final Set<String> PATCHED_SETS = Set.of("finalizers", "podCIDRs", "volumesInUse");
    private static final Set<String> APPLIED_SETS = Set.of("finalizers");
    private static final Set<String> ATOMIC_STRUCTS =
            Set.of("selector", "labelSelector", "namespaceSelector", "nodeSelector", "valueFrom");

    private static ListSchema both(String key) {
        return new ListSchema(List.of(key), List.of(key));
    }

    /** Returns the rules for lists in fields of this name. */
    public static ListSchema of(String field) {
        return LISTS.getOrDefault(field, ATOMIC_LIST);
    }

    /** Returns whether a strategic merge patch adds the texts in a list of this name one by one. */
    public static boolean isPatchedSet(String field) {
        return PATCHED_SETS.contains(field);
    }

    /** Returns whether the texts in a list of this name have owners of their own in server-side apply. */
    public static boolean isSet(String field) {
        return APPLIED_SETS.contains(field);
    }

    /** Returns whether server-side apply replaces an object in a field of this name as a whole. */
    public static boolean isAtomic(String field) {
        return ATOMIC_STRUCTS.contains(field);
    }

    /** Returns the keys of an element as an object; empty if an apply replaces its list as a whole. */
    public static Optional<ObjectNode> key(String field, JsonNode item) {
        if (!item.isObject()) {
            return Optional.empty();
        }
        List<String> names = field.equals("ports")
                ? List.of(item.has("containerPort") ? "containerPort" : "port", "protocol")
                : of(field).listMapKeys();
        ObjectNode key = Json.object();
        for (String name : names) {
            if (item.has(name)) {
                key.set(name, item.get(name));
            } else if (name.equals("protocol")) {
                key.put(name, "TCP");
            } else {
                return Optional.empty();
            }
        }
        return key.isEmpty() ? Optional.empty() : Optional.of(key);
    }
}
