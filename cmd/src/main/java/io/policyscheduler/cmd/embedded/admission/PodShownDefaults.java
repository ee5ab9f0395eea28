package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.Quantities;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the API server fills in on a pod, and no decision reads (admission ServiceAccount, the pod's strategy). */
final class PodShownDefaults {
    private static final List<String> CONTAINER_LISTS = List.of("initContainers", "containers");

    private PodShownDefaults() {}

    /** Completes a pod in place that has its other defaults. */
    static void complete(ObjectNode pod) {
        ObjectNode spec = Json.child(pod, "spec");
        Json.putIfAbsent(spec, "serviceAccountName", "default");
        Json.putIfAbsent(spec, "serviceAccount", Json.text(spec, "serviceAccountName"));
        ObjectNode status = Json.child(pod, "status");
        Json.putIfAbsent(status, "phase", "Pending");
        Json.putIfAbsent(status, "qosClass", qosClass(spec));
        if (!spec.path("schedulingGates").isEmpty() && !status.has("conditions")) {
            status.putArray("conditions")
                    .addObject()
                    .put("type", "PodScheduled")
                    .put("status", "False")
                    .put("reason", "SchedulingGated")
                    .put("message", "Scheduling is blocked due to non-empty scheduling gates")
                    .putNull("lastProbeTime")
                    .putNull("lastTransitionTime");
        }
    }

    private static String qosClass(ObjectNode spec) {
        boolean any = false;
        boolean guaranteed = true;
        for (String list : CONTAINER_LISTS) {
            for (JsonNode container : spec.path(list)) {
                for (String resource : List.of("cpu", "memory")) {
                    BigDecimal request = amount(container, "requests", resource);
                    BigDecimal limit = amount(container, "limits", resource);
                    any |= request.signum() > 0 || limit.signum() > 0;
                    guaranteed &= limit.signum() > 0 && limit.compareTo(request) == 0;
                }
            }
        }
        if (!any) {
            return "BestEffort";
        }
        return guaranteed ? "Guaranteed" : "Burstable";
    }

    private static BigDecimal amount(JsonNode container, String kind, String resource) {
        return Quantities.parse(Json.text(container, "resources", kind, resource))
                .orElse(BigDecimal.ZERO);
    }

    /** The containers of all sorts, with the path of each. */
    static Map<String, JsonNode> containers(JsonNode spec) {
        Map<String, JsonNode> result = new LinkedHashMap<>();
        for (String list : CONTAINER_LISTS) {
            for (int i = 0; i < spec.path(list).size(); i++) {
                result.put("spec." + list + "[" + i + "]", spec.path(list).get(i));
            }
        }
        return result;
    }
}
