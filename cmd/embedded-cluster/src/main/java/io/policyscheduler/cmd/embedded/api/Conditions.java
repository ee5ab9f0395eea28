package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/** Conditions in a status; the transition time changes only with the status of the condition. */
public final class Conditions {
    private Conditions() {}

    public static JsonNode find(JsonNode status, String type) {
        for (JsonNode condition : status.path("conditions")) {
            if (Json.text(condition, "type").equals(type)) {
                return condition;
            }
        }
        return MissingNode.getInstance();
    }

    public static boolean isTrue(JsonNode status, String type) {
        return Json.text(find(status, type), "status").equals("True");
    }

    /**
     * Sets a condition; a new one is appended.
     *
     * @param more additional fields, for example {@code lastUpdateTime}
     */
    public static void set(
            ObjectNode status, String type, String value, String reason, String message, String now, String... more) {
        JsonNode present = find(status, type);
        boolean same = Json.text(present, "status").equals(value);
        if (same
                && Json.text(present, "reason").equals(reason)
                && Json.text(present, "message").equals(message)) {
            return;
        }
        ObjectNode condition = Json.object().put("type", type).put("status", value);
        for (String field : more) {
            condition.put(field, now);
        }
        condition.put("lastTransitionTime", same ? Json.text(present, "lastTransitionTime") : now);
        if (!reason.isEmpty()) {
            condition.put("reason", reason);
        }
        if (!message.isEmpty()) {
            condition.put("message", message);
        }
        ArrayNode conditions = Json.list(status, "conditions");
        for (int i = 0; i < conditions.size(); i++) {
            if (conditions.get(i).equals(present)) {
                conditions.set(i, condition);
                return;
            }
        }
        conditions.add(condition);
    }

    /** Sets a condition of a pod to True as the kubelet does; the transition time changes with the status only. */
    public static void setTrue(ObjectNode pod, String type, Instant now) {
        setOfPod(pod, type, "True", "", now);
    }

    /** Sets a condition of a pod to False as the kubelet does; the transition time changes with the status only. */
    public static void setFalse(ObjectNode pod, String type, String reason, Instant now) {
        setOfPod(pod, type, "False", reason, now);
    }

    private static void setOfPod(ObjectNode pod, String type, String status, String reason, Instant now) {
        ObjectNode condition = Json.object().put("type", type).put("status", status);
        condition.putNull("lastProbeTime").put("lastTransitionTime", Json.time(now));
        if (!reason.isEmpty()) {
            condition.put("reason", reason);
        }
        ArrayNode conditions = Json.list(Json.child(pod, "status"), "conditions");
        for (int i = 0; i < conditions.size(); i++) {
            JsonNode present = conditions.get(i);
            if (Json.text(present, "type").equals(type)) {
                if (!Json.text(present, "status").equals(status)) {
                    conditions.set(i, condition);
                }
                return;
            }
        }
        conditions.add(condition);
    }
}
