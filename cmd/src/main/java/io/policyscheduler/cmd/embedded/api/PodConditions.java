package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/** Writes conditions into a pod's status. */
public final class PodConditions {
    private PodConditions() {}

    /** Sets the condition to True; the transition time changes with the status only. */
    public static void setTrue(ObjectNode pod, String type, Instant now) {
        set(pod, type, "True", "", now);
    }

    /** Sets the condition to False; the transition time changes with the status only. */
    public static void setFalse(ObjectNode pod, String type, String reason, Instant now) {
        set(pod, type, "False", reason, now);
    }

    private static void set(ObjectNode pod, String type, String status, String reason, Instant now) {
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
