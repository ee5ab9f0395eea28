package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.List;

/**
 * What API servers do with fields of pods that came after v1.17: one that does not know them drops them without a word, one that
 * knows them completes some. Mirrors {@code pkg/api/pod/util.go} and {@code pkg/registry/core/pod/strategy.go}.
 */
final class NewerPodFields {
    private static final List<String> SPEC = List.of(
            "topologySpreadConstraints",
            "overhead",
            "preemptionPolicy",
            "schedulingGates",
            "resourceClaims",
            "resources",
            "os",
            "hostUsers",
            "setHostnameAsFQDN");
    private static final List<String> CONTAINER = List.of("restartPolicy", "restartPolicyRules", "resizePolicy");
    private static final List<String> AFFINITY_TERM =
            List.of("namespaceSelector", "matchLabelKeys", "mismatchLabelKeys");
    private static final List<String> CONTAINER_LISTS = List.of("containers", "initContainers");
    private static final List<String> POD_AFFINITIES = List.of("podAffinity", "podAntiAffinity");
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

    private NewerPodFields() {}

    /** As v1.17 with its default gates stores a pod. */
    static void drop(ObjectNode spec) {
        spec.remove(SPEC);
        for (String list : CONTAINER_LISTS) {
            for (JsonNode container : spec.path(list)) {
                if (container instanceof ObjectNode object) {
                    object.remove(CONTAINER);
                }
            }
        }
        for (JsonNode volume : spec.path("volumes")) {
            if (volume instanceof ObjectNode object) {
                object.remove("ephemeral");
            }
        }
        forEachTerm(spec, term -> term.remove(AFFINITY_TERM));
    }

    /** As v1.33 and later store a new pod: label keys of affinity terms have become requirements of their selectors. */
    static void complete(ObjectNode pod) {
        JsonNode labels = pod.path("metadata").path("labels");
        forEachTerm(Json.child(pod, "spec"), term -> {
            if (term.path("labelSelector") instanceof ObjectNode selector) {
                require(selector, term.path("matchLabelKeys"), "In", labels);
                require(selector, term.path("mismatchLabelKeys"), "NotIn", labels);
            }
        });
    }

    private static void require(ObjectNode selector, JsonNode keys, String operator, JsonNode labels) {
        for (JsonNode key : keys) {
            JsonNode value = labels.path(key.asText());
            if (value.isTextual()) {
                ArrayNode expressions = Json.list(selector, "matchExpressions");
                ObjectNode requirement = expressions.addObject();
                requirement.put("key", key.asText()).put("operator", operator);
                requirement.putArray("values").add(value.asText());
            }
        }
    }

    /** What is done with each term of inter-pod affinity. */
    @FunctionalInterface
    private interface TermAction {
        void on(ObjectNode term);
    }

    private static void forEachTerm(ObjectNode spec, TermAction action) {
        for (String kind : POD_AFFINITIES) {
            JsonNode affinity = spec.path("affinity").path(kind);
            for (JsonNode term : affinity.path(REQUIRED)) {
                if (term instanceof ObjectNode object) {
                    action.on(object);
                }
            }
            for (JsonNode weighted : affinity.path(PREFERRED)) {
                if (weighted.path("podAffinityTerm") instanceof ObjectNode object) {
                    action.on(object);
                }
            }
        }
    }
}
