package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Fields of pods that came after v1.17, which its API server drops without a word ({@code pkg/api/pod/util.go}). */
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
