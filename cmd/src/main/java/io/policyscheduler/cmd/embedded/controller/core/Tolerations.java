package io.policyscheduler.cmd.embedded.controller.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.List;

/** What tolerations allow, and those that every daemon pod has (pkg/controller/daemon/util). */
public final class Tolerations {
    private static final List<String> EXECUTE = List.of("not-ready", "unreachable");
    private static final List<String> SCHEDULE =
            List.of("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable");

    private Tolerations() {}

    public static boolean tolerates(JsonNode toleration, JsonNode taint) {
        String effect = Json.text(toleration, "effect");
        String key = Json.text(toleration, "key");
        boolean exists = Json.text(toleration, "operator").equals("Exists");
        if (!effect.isEmpty() && !effect.equals(Json.text(taint, "effect"))) {
            return false;
        }
        if (key.isEmpty() ? !exists : !key.equals(Json.text(taint, "key"))) {
            return false;
        }
        return exists || Json.text(toleration, "value").equals(Json.text(taint, "value"));
    }

    public static void addOfDaemons(ObjectNode pod) {
        ArrayNode tolerations = Json.list(Json.child(pod, "spec"), "tolerations");
        EXECUTE.forEach(key -> add(tolerations, key, "NoExecute"));
        SCHEDULE.forEach(key -> add(tolerations, key, "NoSchedule"));
        if (pod.path("spec").path("hostNetwork").asBoolean()) {
            add(tolerations, "network-unavailable", "NoSchedule");
        }
    }

    private static void add(ArrayNode tolerations, String key, String effect) {
        tolerations
                .addObject()
                .put("key", "node.kubernetes.io/" + key)
                .put("operator", "Exists")
                .put("effect", effect);
    }
}
