package io.policyscheduler.cmd.embedded.printing;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.List;

/** The columns of pods (printPod). */
final class PodColumns {
    private PodColumns() {}

    static List<Column> of(Ages ages) {
        return List.of(
                Column.ofName(),
                Column.text("Ready", PodColumns::readiness),
                Column.text("Status", PodColumns::status),
                Column.text("Restarts", pod -> restarts(pod, ages)),
                ages.column(),
                Column.wide("IP", pod -> Column.orNone(Json.text(pod, "status", "podIP"))),
                Column.wide("Node", pod -> Column.orNone(Json.text(pod, "spec", "nodeName"))),
                Column.wide("Nominated Node", pod -> Column.orNone(Json.text(pod, "status", "nominatedNodeName"))),
                Column.wide("Readiness Gates", PodColumns::gates));
    }

    private static String readiness(JsonNode pod) {
        int ready = 0;
        for (JsonNode container : pod.path("status").path("containerStatuses")) {
            ready += container.path("ready").asBoolean() ? 1 : 0;
        }
        return ready + "/" + pod.path("spec").path("containers").size();
    }

    private static String status(JsonNode pod) {
        String reason = Json.text(pod, "status", "reason");
        for (JsonNode container : pod.path("status").path("containerStatuses")) {
            JsonNode state = container.path("state");
            String waiting = Json.text(state, "waiting", "reason");
            String terminated = Json.text(state, "terminated", "reason");
            if (!waiting.isEmpty() || !terminated.isEmpty()) {
                reason = waiting.isEmpty() ? terminated : waiting;
            }
        }
        if (pod.path("metadata").has("deletionTimestamp")) {
            return reason.equals("NodeLost") ? "Unknown" : "Terminating";
        }
        if (reason.isEmpty() && isGated(pod)) {
            return "SchedulingGated";
        }
        return reason.isEmpty() ? Json.text(pod, "status", "phase") : reason;
    }

    private static boolean isGated(JsonNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (Json.text(condition, "type").equals("PodScheduled")
                    && Json.text(condition, "reason").equals("SchedulingGated")) {
                return true;
            }
        }
        return false;
    }

    private static String restarts(JsonNode pod, Ages ages) {
        int restarts = 0;
        String last = "";
        for (JsonNode container : pod.path("status").path("containerStatuses")) {
            restarts += container.path("restartCount").asInt();
            String ended = Json.text(container, "lastState", "terminated", "finishedAt");
            last = ended.compareTo(last) > 0 ? ended : last;
        }
        return restarts > 0 && !last.isEmpty()
                ? restarts + " (" + ages.since(last) + " ago)"
                : Integer.toString(restarts);
    }

    private static String gates(JsonNode pod) {
        JsonNode gates = pod.path("spec").path("readinessGates");
        if (gates.isEmpty()) {
            return Column.NONE;
        }
        int passed = 0;
        for (JsonNode gate : gates) {
            for (JsonNode condition : pod.path("status").path("conditions")) {
                passed += Json.text(condition, "type").equals(Json.text(gate, "conditionType"))
                                && Json.text(condition, "status").equals("True")
                        ? 1
                        : 0;
            }
        }
        return passed + "/" + gates.size();
    }
}
