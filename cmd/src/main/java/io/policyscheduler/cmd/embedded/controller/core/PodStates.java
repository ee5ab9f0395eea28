package io.policyscheduler.cmd.embedded.controller.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What controllers ask of pods (pkg/api/v1/pod, pkg/controller/controller_utils.go). */
public final class PodStates {
    private static final Set<String> TERMINAL = Set.of("Succeeded", "Failed");

    private PodStates() {}

    public static String phase(JsonNode pod) {
        return Json.text(pod, "status", "phase");
    }

    public static boolean isFinished(JsonNode pod) {
        return TERMINAL.contains(phase(pod));
    }

    /** Neither finished nor on its way out. */
    public static boolean isActive(JsonNode pod) {
        return !isFinished(pod) && !ApiObjects.isDeleted(pod);
    }

    public static boolean isScheduled(JsonNode pod) {
        return !Json.text(pod, "spec", "nodeName").isEmpty();
    }

    public static boolean isReady(JsonNode pod) {
        return Json.text(readyCondition(pod), "status").equals("True");
    }

    private static JsonNode readyCondition(JsonNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (Json.text(condition, "type").equals("Ready")) {
                return condition;
            }
        }
        return MissingNode.getInstance();
    }

    /** When a ready pod counts as available; empty for a pod that is not ready. */
    public static Optional<Instant> availableAt(JsonNode pod, long minReadySeconds) {
        return isReady(pod)
                ? Optional.of(instant(Json.text(readyCondition(pod), "lastTransitionTime"))
                        .plusSeconds(minReadySeconds))
                : Optional.empty();
    }

    public static boolean isAvailable(JsonNode pod, long minReadySeconds, Instant now) {
        return isReady(pod)
                && (minReadySeconds == 0
                        || availableAt(pod, minReadySeconds)
                                .filter(at -> !at.isAfter(now))
                                .isPresent());
    }

    /** A time of an object; that of the epoch when it is empty. */
    public static Instant instant(String time) {
        return time.isEmpty() ? Instant.EPOCH : OffsetDateTime.parse(time).toInstant();
    }

    public static <T extends JsonNode> List<T> active(List<T> pods) {
        return pods.stream().filter(PodStates::isActive).toList();
    }
}
