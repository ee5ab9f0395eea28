package io.policyscheduler.cmd.embedded.fields;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which lists of the Kubernetes types are merged by keys, and which fields are taken as a whole ({@code x-kubernetes-list-type}). */
final class ListKeys {
    private static final List<String> BY_NAME = List.of("name");
    private static final Map<String, List<String>> KEYS = ImmutableMap.<String, List<String>>builder()
            .put("containers", BY_NAME)
            .put("initContainers", BY_NAME)
            .put("ephemeralContainers", BY_NAME)
            .put("env", BY_NAME)
            .put("volumes", BY_NAME)
            .put("imagePullSecrets", BY_NAME)
            .put("secrets", BY_NAME)
            .put("resourceClaims", BY_NAME)
            .put("schedulingGates", BY_NAME)
            .put("volumeMounts", List.of("mountPath"))
            .put("volumeDevices", List.of("devicePath"))
            .put("hostAliases", List.of("ip"))
            .put("conditions", List.of("type"))
            .put("ownerReferences", List.of("uid"))
            .put("topologySpreadConstraints", List.of("topologyKey", "whenUnsatisfiable"))
            .buildOrThrow();
    private static final Set<String> SETS = ImmutableSet.of("finalizers");
    private static final Set<String> ATOMIC =
            ImmutableSet.of("selector", "labelSelector", "namespaceSelector", "nodeSelector", "valueFrom");

    private ListKeys() {}

    static boolean isAtomic(String field) {
        return ATOMIC.contains(field);
    }

    static boolean isSet(String field) {
        return SETS.contains(field);
    }

    /** The keys of an item as an object; empty when its list is replaced as a whole. */
    static Optional<ObjectNode> key(String field, JsonNode item) {
        if (!item.isObject()) {
            return Optional.empty();
        }
        List<String> names = field.equals("ports")
                ? List.of(item.has("containerPort") ? "containerPort" : "port", "protocol")
                : KEYS.getOrDefault(field, List.of());
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
