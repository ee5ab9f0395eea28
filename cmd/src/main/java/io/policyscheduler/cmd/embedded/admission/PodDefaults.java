package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.Quantities;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the API server fills in on a pod (pkg/apis/core/v1/defaults.go and the DefaultTolerationSeconds admission). */
final class PodDefaults {
    private static final List<String> CONTAINER_LISTS = List.of("initContainers", "containers");
    private static final List<String> AUTOMATIC_TOLERATIONS =
            List.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");

    private PodDefaults() {}

    /** Defaults that hold for every write of a pod. */
    static void spec(ObjectNode pod) {
        template(pod);
        ObjectNode spec = Json.child(pod, "spec");
        if (!spec.has("enableServiceLinks")) {
            spec.put("enableServiceLinks", true);
        }
        for (JsonNode container : containers(spec).values()) {
            JsonNode limits = container.path("resources").path("limits");
            if (!limits.isEmpty()) {
                ObjectNode requests = Json.child((ObjectNode) container.path("resources"), "requests");
                limits.properties().forEach(limit -> requests.putIfAbsent(limit.getKey(), limit.getValue()));
            }
        }
    }

    /** Defaults that the templates of workloads have too. */
    static void template(ObjectNode pod) {
        ObjectNode spec = Json.child(pod, "spec");
        Json.putIfAbsent(spec, "restartPolicy", "Always");
        if (!spec.has("terminationGracePeriodSeconds")) {
            spec.put("terminationGracePeriodSeconds", 30);
        }
        Json.putIfAbsent(spec, "dnsPolicy", "ClusterFirst");
        Json.child(spec, "securityContext");
        Json.putIfAbsent(spec, "schedulerName", "default-scheduler");
        boolean hostNetwork = spec.path("hostNetwork").asBoolean();
        for (String list : CONTAINER_LISTS) {
            for (JsonNode container : spec.path(list)) {
                if (container instanceof ObjectNode object) {
                    container(object, hostNetwork);
                }
            }
        }
    }

    private static void container(ObjectNode container, boolean hostNetwork) {
        String image = Json.text(container, "image");
        boolean latest = image.endsWith(":latest") || image.lastIndexOf(':') <= image.lastIndexOf('/');
        Json.putIfAbsent(container, "imagePullPolicy", latest && !image.contains("@") ? "Always" : "IfNotPresent");
        Json.putIfAbsent(container, "terminationMessagePath", "/dev/termination-log");
        Json.putIfAbsent(container, "terminationMessagePolicy", "File");
        Json.child(container, "resources");
        for (JsonNode port : container.path("ports")) {
            if (port instanceof ObjectNode object) {
                Json.putIfAbsent(object, "protocol", "TCP");
                if (hostNetwork && object.path("hostPort").asInt() == 0) {
                    object.set("hostPort", object.path("containerPort"));
                }
            }
        }
    }

    /** Defaults of a new pod only. */
    static void onCreate(ObjectNode pod) {
        ObjectNode spec = Json.child(pod, "spec");
        Json.putIfAbsent(spec, "serviceAccountName", "default");
        Json.putIfAbsent(spec, "serviceAccount", Json.text(spec, "serviceAccountName"));
        ArrayNode tolerations = Json.list(spec, "tolerations");
        for (String key : AUTOMATIC_TOLERATIONS) {
            if (!toleratesNoExecute(tolerations, key)) {
                tolerations
                        .addObject()
                        .put("key", key)
                        .put("operator", "Exists")
                        .put("effect", "NoExecute")
                        .put("tolerationSeconds", 300);
            }
        }
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

    private static boolean toleratesNoExecute(ArrayNode tolerations, String key) {
        for (JsonNode toleration : tolerations) {
            String effect = Json.text(toleration, "effect");
            String tolerated = Json.text(toleration, "key");
            boolean everyKey =
                    tolerated.isEmpty() && Json.text(toleration, "operator").equals("Exists");
            if ((tolerated.equals(key) || everyKey) && (effect.isEmpty() || effect.equals("NoExecute"))) {
                return true;
            }
        }
        return false;
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
