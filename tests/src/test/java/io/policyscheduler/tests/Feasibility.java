package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** The feasible nodes of each pod of an outcome: two schedulers with different scores must agree on them. */
final class Feasibility {
    private static final int SHOWN = 300;

    private Feasibility() {}

    /**
     * Returns the pods that the policy accepts on nodes where the real scheduler does not, and the reverse.
     *
     * @param real outcome of the real scheduler
     * @param ours outcome of the policy, for the same sequence of states
     */
    static List<String> differences(JsonNode real, JsonNode ours) {
        List<String> differences = new ArrayList<>();
        int pods = real.path("pods").size();
        if (ours.has("configError") || pods != ours.path("pods").size()) {
            differences.add(pods + " pods, ours: " + shortened(ours));
        }
        for (int i = 0; i < pods && differences.isEmpty(); i++) {
            JsonNode expected = real.path("pods").path(i);
            JsonNode actual = ours.path("pods").path(i);
            String left = verdict(expected);
            String right = verdict(actual);
            if (!left.equals(right)) {
                differences.add(
                        left + " is " + right + "; really: " + reasons(expected) + "; ours: " + reasons(actual));
            }
        }
        return differences;
    }

    private static String verdict(JsonNode pod) {
        List<String> nodes = new ArrayList<>();
        pod.path("feasible").forEach(node -> nodes.add(node.asText()));
        return pod.path("pod").asText() + (pod.has("gated") ? " waits" : " fits " + nodes);
    }

    private static String reasons(JsonNode pod) {
        return shortened(pod.has("error") ? pod.path("error") : pod.path("failures"));
    }

    private static String shortened(JsonNode node) {
        String text = node.toString();
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }
}
