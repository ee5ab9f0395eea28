package io.policyscheduler.cmd.embedded.controller.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelectorText;
import io.policyscheduler.cmd.embedded.controller.core.Tolerations;
import java.util.Map;

/** Which nodes a DaemonSet's pod belongs on (pkg/controller/daemon: nodeShouldRunDaemonPod). */
final class DaemonNodes {
    private DaemonNodes() {}

    /**
     * Whether a new pod belongs on the node.
     *
     * @param pod with the tolerations that all daemon pods have
     */
    static boolean belongs(JsonNode pod, JsonNode node) {
        return selects(pod.path("spec"), node) && untolerated(pod, node, "NoSchedule", "NoExecute") == 0;
    }

    /** Whether a pod that is there may stay. */
    static boolean mayStay(JsonNode pod, JsonNode node) {
        return selects(pod.path("spec"), node) && untolerated(pod, node, "NoExecute") == 0;
    }

    private static boolean selects(JsonNode spec, JsonNode node) {
        JsonNode labels = node.path("metadata").path("labels");
        for (Map.Entry<String, JsonNode> wanted : spec.path("nodeSelector").properties()) {
            if (!wanted.getValue().equals(labels.path(wanted.getKey()))) {
                return false;
            }
        }
        JsonNode required =
                spec.path("affinity").path("nodeAffinity").path("requiredDuringSchedulingIgnoredDuringExecution");
        if (required.isMissingNode()) {
            return true;
        }
        for (JsonNode term : required.path("nodeSelectorTerms")) {
            if (matches(term, node)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(JsonNode term, JsonNode node) {
        if (term.path("matchExpressions").isEmpty() && term.path("matchFields").isEmpty()) {
            return false;
        }
        ObjectNode byName = Json.object();
        byName.putObject("metadata").putObject("labels").put("metadata.name", Json.text(node, "metadata", "name"));
        return LabelSelectorText.ofObject(Json.object().set("matchExpressions", term.path("matchExpressions")))
                        .matches(node)
                && LabelSelectorText.ofObject(Json.object().set("matchExpressions", term.path("matchFields")))
                        .matches(byName);
    }

    /** How many taints with one of the effects the pod does not tolerate. */
    static int untolerated(JsonNode pod, JsonNode node, String... effects) {
        int count = 0;
        for (JsonNode taint : node.path("spec").path("taints")) {
            boolean counts = false;
            for (String effect : effects) {
                counts |= Json.text(taint, "effect").equals(effect);
            }
            boolean tolerated = false;
            for (JsonNode toleration : pod.path("spec").path("tolerations")) {
                tolerated |= Tolerations.tolerates(toleration, taint);
            }
            count += counts && !tolerated ? 1 : 0;
        }
        return count;
    }
}
