package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** An extender that rejects fixed combinations of pod and node, and sometimes fails. */
final class SimulatedExtender {
    static final String URL = "http://extender.test/api";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    static final long TIMEOUT_MILLIS = 5_000;

    private final SimulationRun simulation;
    private final RandomChoices random;

    SimulatedExtender(SimulationRun simulation) {
        this.simulation = simulation;
        this.random = simulation.random();
    }

    /** Returns its result for a pod on a node; never changes. */
    static boolean likes(String pod, String node) {
        return Math.floorMod(pod.hashCode() * 31 + node.hashCode(), 5) != 0;
    }

    SimulatedApi.Answer call(String path, byte[] body) throws IOException {
        String verb = path.substring(path.lastIndexOf('/') + 1);
        simulation.pause(random.skewedMillis(simulation.isCalm() ? 5 : 1000));
        if (verb.equals("bind")) {
            simulation.maybeCrash("before extender bind");
        }
        if (random.percent(simulation.faultPercent())) {
            simulation.trace().add("extender " + verb + ": fault");
            switch (random.between(0, verb.equals("bind") ? 5 : 4)) {
                case 0 -> throw new ConnectException("Connection refused");
                case 1 -> {
                    simulation.pause(TIMEOUT_MILLIS);
                    throw new SocketTimeoutException("timeout");
                }
                case 2 -> {
                    return answer(500, "oops");
                }
                case 3 -> {
                    return answer(200, "{\"Nodes\": garbage");
                }
                case 4 -> {
                    return answer(200, "{\"Error\":\"not today\"}");
                }
                default -> {
                    bind(MAPPER.readTree(body));
                    simulation.pause(TIMEOUT_MILLIS);
                    throw new SocketTimeoutException("timeout");
                }
            }
        }
        JsonNode request = MAPPER.readTree(body);
        JsonNode answer = switch (verb) {
            case "filter" -> filter(request);
            case "prioritize" -> prioritize(request);
            case "preempt" -> preempt(request);
            default -> bind(request);
        };
        if (verb.equals("bind")) {
            simulation.maybeCrash("after extender bind");
        }
        return answer(200, answer.toString());
    }

    private static SimulatedApi.Answer answer(int code, String body) {
        return new SimulatedApi.Answer(code, body);
    }

    private static List<String> nodes(JsonNode request) {
        List<String> names = new ArrayList<>();
        request.path("NodeNames").forEach(name -> names.add(name.asText()));
        request.path("Nodes").path("items").forEach(node -> names.add(Manifests.name(node)));
        return names;
    }

    private static ObjectNode filter(JsonNode request) {
        String pod = Manifests.name(request.path("Pod"));
        boolean namesOnly = !request.path("NodeNames").isNull();
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode kept = namesOnly
                ? answer.putArray("NodeNames")
                : answer.putObject("Nodes").putArray("items");
        ObjectNode failed = answer.putObject("FailedNodes");
        for (String node : nodes(request)) {
            if (!likes(pod, node)) {
                failed.put(node, "disliked");
            } else if (namesOnly) {
                kept.add(node);
            } else {
                kept.addObject().putObject("metadata").put("name", node);
            }
        }
        return answer;
    }

    private static ArrayNode prioritize(JsonNode request) {
        ArrayNode scores = JsonNodeFactory.instance.arrayNode();
        for (String node : nodes(request)) {
            scores.addObject().put("Host", node).put("Score", Math.floorMod(node.hashCode(), 11));
        }
        return scores;
    }

    private static ObjectNode preempt(JsonNode request) {
        String pod = Manifests.name(request.path("Pod"));
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ObjectNode kept = answer.putObject("NodeNameToMetaVictims");
        JsonNode full = request.path("NodeNameToVictims");
        JsonNode candidates = full.isObject() ? full : request.path("NodeNameToMetaVictims");
        candidates.properties().forEach(candidate -> {
            if (likes(pod, candidate.getKey())) {
                ArrayNode pods = kept.putObject(candidate.getKey()).putArray("Pods");
                for (JsonNode victim : candidate.getValue().path("Pods")) {
                    pods.addObject()
                            .put(
                                    "UID",
                                    full.isObject()
                                            ? Manifests.uid(victim)
                                            : victim.path("UID").asText());
                }
            }
        });
        return answer;
    }

    private ObjectNode bind(JsonNode request) throws IOException {
        String pod = request.path("PodName").asText();
        ObjectNode binding = Manifests.object("v1", "Binding", pod);
        binding.withObject("/metadata").put("uid", request.path("PodUID").asText());
        binding.putObject("target")
                .put("kind", "Node")
                .put("name", request.path("Node").asText());
        SimulatedApi.Answer answer = simulation
                .api()
                .serve(
                        "POST",
                        Manifests.podPath(pod) + "/binding",
                        "application/json",
                        binding.toString().getBytes(StandardCharsets.UTF_8));
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        return result.put(
                "Error",
                answer.code() < 300
                        ? ""
                        : MAPPER.readTree(answer.body()).path("message").asText());
    }
}
