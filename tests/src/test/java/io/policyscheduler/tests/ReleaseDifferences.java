package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Finds what a later release decides otherwise than v1.17 in a snapshot: fields that v1.17 dropped, and the few changed rules. A snapshot without any
 * of it is decided alike by all releases.
 */
final class ReleaseDifferences {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    /** Keys of a volume that say nothing about the location of its data. */
    private static final Set<String> LOCAL = Set.of("name", "emptyDir", "configMap", "secret", "hostPath");
    /** Resources that v1.17 compared even for pods that do not request them. */
    private static final Set<String> ALWAYS_CHECKED = Set.of("cpu", "memory", "ephemeral-storage");

    private final SortedSet<String> found = new TreeSet<>();
    /** Free amount of each requested resource, by node. */
    private final Map<String, Map<String, BigDecimal>> left = new HashMap<>();

    private ReleaseDifferences() {}

    /** Returns what was found; empty if v1.17 reads the snapshot as a later release does. */
    static SortedSet<String> in(JsonNode scenario) {
        ReleaseDifferences differences = new ReleaseDifferences();
        for (JsonNode object : scenario.path("cluster")) {
            differences.node(object);
        }
        for (JsonNode object : scenario.path("cluster")) {
            differences.pod(object);
            differences.take(object);
        }
        for (JsonNode pod : scenario.path("pending")) {
            differences.pod(pod);
            differences.pending(pod);
        }
        return differences.found;
    }

    private void node(JsonNode object) {
        if (object.path("kind").asText().equals("Node")) {
            Map<String, BigDecimal> amounts = new HashMap<>();
            object.path("status")
                    .path("allocatable")
                    .properties()
                    .forEach(entry -> amounts.put(
                            entry.getKey(), Amounts.of(entry.getValue().asText())));
            left.put(object.path("metadata").path("name").asText(), amounts);
        }
    }

    private void pod(JsonNode object) {
        if (!object.path("kind").asText().equals("Pod")) {
            return;
        }
        JsonNode spec = object.path("spec");
        for (String field : new String[] {
            "overhead",
            "preemptionPolicy",
            "resources",
            "resourceClaims",
            "schedulingGates",
            "topologySpreadConstraints"
        }) {
            if (!spec.path(field).isEmpty() || spec.path(field).isTextual()) {
                found.add(field);
            }
        }
        for (JsonNode container : spec.path("initContainers")) {
            if (container.has("restartPolicy")) {
                found.add("sidecars");
            }
        }
        for (JsonNode status : object.path("status").path("containerStatuses")) {
            if (status.has("resources") || status.has("allocatedResources")) {
                found.add("resize");
            }
        }
        // In-tree volumes are counted, translated to their CSI drivers, and bound differently.
        for (JsonNode volume : spec.path("volumes")) {
            volume.fieldNames().forEachRemaining(kind -> {
                if (!LOCAL.contains(kind)) {
                    found.add("volumes");
                }
            });
        }
        if (spec.path("affinity").findValue("namespaceSelector") != null) {
            found.add("namespaceSelector");
        }
    }

    private void pending(JsonNode pod) {
        // The first pod of a group must be placed where all of its topology keys exist.
        if (!pod.path("spec")
                .path("affinity")
                .path("podAffinity")
                .path(REQUIRED)
                .isEmpty()) {
            found.add("required pod affinity");
        }
        // Affinity is no longer evaluated a second time for nominated pods.
        if (pod.path("status").has("nominatedNodeName")) {
            found.add("nomination");
        }
        Map<String, BigDecimal> requests = requests(pod);
        if (requests.values().stream().anyMatch(amount -> amount.signum() > 0)) {
            overcommitted(requests);
        }
    }

    private void take(JsonNode object) {
        Map<String, BigDecimal> amounts =
                left.get(object.path("spec").path("nodeName").asText());
        if (amounts != null && object.path("kind").asText().equals("Pod")) {
            requests(object).forEach((resource, amount) -> amounts.merge(resource, amount.negate(), BigDecimal::add));
        }
    }

    private static Map<String, BigDecimal> requests(JsonNode pod) {
        Map<String, BigDecimal> requests = Amounts.sum(pod.path("spec").path("containers"));
        for (JsonNode container : pod.path("spec").path("initContainers")) {
            Amounts.of(container.path("resources").path("requests"))
                    .forEach((resource, amount) -> requests.merge(resource, amount, BigDecimal::max));
        }
        return requests;
    }

    /** On a node where too much of a resource is in use, a current release accepts pods that request only others. */
    private void overcommitted(Map<String, BigDecimal> requests) {
        for (Map<String, BigDecimal> amounts : left.values()) {
            amounts.forEach((resource, amount) -> {
                boolean asked = requests.getOrDefault(resource, BigDecimal.ZERO).signum() > 0;
                if (amount.signum() < 0
                        && !asked
                        && (ALWAYS_CHECKED.contains(resource) || requests.containsKey(resource))) {
                    found.add("overcommitted " + resource);
                }
            });
        }
    }
}
