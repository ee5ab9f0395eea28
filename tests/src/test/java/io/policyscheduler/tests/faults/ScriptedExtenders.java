package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.SmallExtender;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Two extenders in one server. The first filters, scores, and filters victims; the second, whose verbs start with {@code spare-}, filters pods and
 * victims and is ignorable. By default they accept everything.
 */
final class ScriptedExtenders implements AutoCloseable {
    /** The response has status 500. */
    static final String FAILURE = "";

    /** The requests about victims, with the responses. */
    static final String VICTIMS = "NodeNameToMetaVictims";

    private static final String NODES = "NodeNames";

    private final SmallExtender server = new SmallExtender();
    private final Map<String, UnaryOperator<JsonNode>> orders = new ConcurrentHashMap<>();

    ScriptedExtenders() {
        for (String prefix : List.of("", "spare-")) {
            serve(prefix + "filter", request -> same(request, NODES));
            serve(prefix + "preempt", request -> same(request, VICTIMS));
        }
        serve("prioritize", request -> JsonNodeFactory.instance.arrayNode());
    }

    private static JsonNode same(JsonNode request, String field) {
        ObjectNode answer = Manifest.json("{}");
        answer.set(field, request.path(field));
        return answer;
    }

    private void serve(String verb, UnaryOperator<JsonNode> otherwise) {
        server.on(
                verb,
                request -> orders.getOrDefault(
                                verb + " "
                                        + request.path("Pod")
                                                .path("metadata")
                                                .path("name")
                                                .asText(),
                                otherwise)
                        .apply(request));
    }

    /**
     * Sets the response to a verb for a pod.
     *
     * @param answer JSON with single quotes, or {@link #FAILURE}
     */
    void on(String verb, String pod, String answer) {
        on(verb, pod, request -> answer.equals(FAILURE) ? SmallExtender.FAILURE : Manifest.any(answer));
    }

    /** Sets a response that depends on the request. */
    void on(String verb, String pod, UnaryOperator<JsonNode> answer) {
        orders.put(verb + " " + pod, answer);
    }

    /** Returns their list for a KubeSchedulerConfiguration. */
    String configuration() {
        return """
            [{"urlPrefix": "%s", "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 10,
              "preemptVerb": "preempt", "nodeCacheCapable": true},
             {"urlPrefix": "%s", "filterVerb": "spare-filter", "preemptVerb": "spare-preempt",
              "nodeCacheCapable": true, "ignorable": true}]\
            """.formatted(server.url(), server.url());
    }

    @Override
    public void close() {
        server.close();
    }
}
