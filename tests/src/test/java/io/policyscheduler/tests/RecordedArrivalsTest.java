package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.Main;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pods that arrived one after the other at kube-scheduler 1.20.2, with policies and with its default profile: each was bound to one
 * of the best nodes, or had the same message, the same nominated node, and the same victims. The policies ran with the gate
 * DefaultPodTopologySpread off, because with it SelectorSpreadPriority is another algorithm than in 1.17.
 */
class RecordedArrivalsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path FOLDER = RepositoryFiles.root().resolve("tests/src/test/resources/arrivals");

    @ParameterizedTest
    @ValueSource(strings = {"demo", "affinity", "selectors", "capacity", "default-profile"})
    void eachPodIsDecidedAsRecorded(String name, @TempDir Path folder) throws IOException {
        JsonNode recorded = JSON.readTree(FOLDER.resolve(name + "-1.20.json").toFile());
        boolean isPolicy = recorded.path("policy").isObject();
        Path policy = folder.resolve("policy.json");
        JSON.writeValue(policy.toFile(), recorded.path("policy"));
        String scheduler = isPolicy ? "policy:" + policy : "modern@1.20";
        ArrayNode objects = (ArrayNode) recorded.path("objects").deepCopy();
        List<String> expected = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (JsonNode arrival : recorded.path("arrivals")) {
            ObjectNode pod = arrival.path("pod").deepCopy();
            pod.put("apiVersion", "v1").put("kind", "Pod");
            pod.withObject("/metadata").put("namespace", "default");
            String podName = pod.at("/metadata/name").asText();
            JsonNode decision = explain(podName, scheduler, objects, pod, folder);
            expected.add(podName + " " + text(arrival, isPolicy));
            found.add(podName + " " + found(arrival, decision, isPolicy));
            arrive(objects, pod, arrival);
        }
        assertEquals(String.join("\n", expected), String.join("\n", found));
    }

    private static JsonNode explain(String name, String scheduler, ArrayNode objects, ObjectNode pod, Path folder)
            throws IOException {
        ObjectNode list = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "List");
        list.putArray("items").addAll(objects).add(pod);
        Path file = folder.resolve("cluster.json");
        JSON.writeValue(file.toFile(), list);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Main.run(
                new String[] {
                    "explain",
                    name,
                    "--cluster",
                    file.toString(),
                    "--scheduler",
                    scheduler,
                    "--release",
                    "1.20",
                    "-o",
                    "json"
                },
                out,
                err);
        return JSON.readTree(out.toString());
    }

    private static String text(JsonNode arrival, boolean isPolicy) {
        if (arrival.has("node")) {
            return "runs on " + arrival.path("node").asText();
        }
        String message = arrival.path("message").asText();
        Set<String> victims = new TreeSet<>();
        arrival.path("victims").forEach(victim -> victims.add(victim.asText()));
        return (isPolicy ? "unschedulable" : message)
                + (arrival.has("nominated") ? " " + arrival.path("nominated").asText() + " " + victims : "");
    }

    /** Policies have the messages of 1.17 in every release, so that only those of the default profile are compared. */
    private static String found(JsonNode arrival, JsonNode decision, boolean isPolicy) {
        List<String> best = new ArrayList<>();
        JsonNode ranking = decision.path("ranking");
        for (JsonNode node : ranking) {
            if (node.path("total").asLong() == ranking.path(0).path("total").asLong()) {
                best.add(node.path("node").asText());
            }
        }
        if (decision.path("fits").asBoolean()) {
            // Both schedulers choose one of the best nodes at random.
            String node = arrival.path("node").asText();
            return "runs on " + (best.contains(node) ? node : best);
        }
        JsonNode preemption = decision.path("preemption");
        String nominated = preemption.path("node").asText();
        Set<String> victims = new TreeSet<>();
        preemption
                .path("candidates")
                .path(nominated)
                .path("victims")
                .forEach(victim -> victims.add(victim.path("pod").asText().replace("default/", "")));
        return (isPolicy ? "unschedulable" : decision.path("message").asText())
                + (victims.isEmpty() ? "" : " " + nominated + " " + victims);
    }

    /** Adds a pod where it was bound, and removes its victims. Pods that did not fit were deleted. */
    private static void arrive(ArrayNode objects, ObjectNode pod, JsonNode arrival) {
        for (JsonNode victim : arrival.path("victims")) {
            for (int i = objects.size() - 1; i >= 0; i--) {
                JsonNode object = objects.path(i);
                if (object.path("kind").asText().equals("Pod")
                        && object.at("/metadata/name").asText().equals(victim.asText())) {
                    objects.remove(i);
                }
            }
        }
        String node = arrival.path("node").asText(arrival.path("boundTo").asText());
        if (!node.isEmpty()) {
            pod.withObject("/spec").put("nodeName", node);
            int number = Integer.parseInt(pod.at("/metadata/name").asText().substring(1));
            pod.withObject("/status")
                    .put("phase", "Running")
                    .put("startTime", String.format("2020-01-01T00:%02d:%02dZ", number / 60, number % 60));
            objects.add(pod);
        }
    }
}
