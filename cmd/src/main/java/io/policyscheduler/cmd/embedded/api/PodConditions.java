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
        ObjectNode condition = Json.object().put("type", type).put("status", "True");
        condition.putNull("lastProbeTime").put("lastTransitionTime", Json.time(now));
        ArrayNode conditions = Json.list(Json.child(pod, "status"), "conditions");
        for (int i = 0; i < conditions.size(); i++) {
            JsonNode present = conditions.get(i);
            if (Json.text(present, "type").equals(type)) {
                if (!Json.text(present, "status").equals("True")) {
                    conditions.set(i, condition);
                }
                return;
            }
        }
        conditions.add(condition);
    }
}
