package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/** Steps that users take in a cluster: each waits for what must come of it, and is told as the state of all pods and their claims. */
final class ScenarioSteps {
    static final String MERGE = "application/merge-patch+json";
    static final String PODS = "/api/v1/namespaces/default/pods/";

    private final FaultServer server;
    private final List<String> told = new ArrayList<>();

    ScenarioSteps(FaultServer server) {
        this.server = server;
    }

    /** What has been told of the steps, in order. */
    List<String> told() {
        return List.copyOf(told);
    }

    /** @param spec JSON with single quotes */
    static ObjectNode node(String name, String cpu, String spec) {
        ObjectNode node = Manifest.node(name, cpu);
        node.set("spec", Manifest.json(spec));
        return node;
    }

    void delete(String pod) {
        server.call("DELETE", PODS + pod, "application/json", "{\"gracePeriodSeconds\":0}");
    }

    boolean isBound(String pod) {
        return server.get("pods", "default", pod)
                .filter(found -> !found.path("spec").path("nodeName").asText("").isEmpty())
                .isPresent();
    }

    /** The scheduler has said why. */
    boolean waits(String pod) {
        return says(pod, "nodes are available") && hasEvent(pod, "FailedScheduling");
    }

    boolean says(String pod, String text) {
        return server.get("pods", "default", pod)
                .filter(found -> condition(found, "PodScheduled").contains(text))
                .isPresent();
    }

    String nominated(String pod) {
        return server.get("pods", "default", pod)
                .map(found -> found.path("status").path("nominatedNodeName").asText(""))
                .orElse("");
    }

    boolean hasEvent(String pod, String reason) {
        return server.list("events").stream()
                .anyMatch(event -> pod.equals(regarded(event))
                        && reason.equals(event.path("reason").asText()));
    }

    private static String regarded(JsonNode event) {
        return event.path(event.has("regarding") ? "regarding" : "involvedObject")
                .path("name")
                .asText();
    }

    void await(String what, BooleanSupplier condition) {
        Await.until(
                FaultWorld.PATIENCE,
                what,
                condition,
                () -> String.join("\n", state()) + "\n" + String.join("\n", claims()));
    }

    void step(String what, BooleanSupplier condition) {
        await(what, condition);
        List<String> state = new ArrayList<>(state());
        state.addAll(claims());
        told.add(what + ": " + String.join("; ", state));
    }

    /** The state of all claims on devices. */
    List<String> claims() {
        return server.list("resourceclaims").stream()
                .map(ScenarioSteps::claim)
                .sorted()
                .toList();
    }

    private static String claim(ObjectNode claim) {
        JsonNode metadata = claim.path("metadata");
        JsonNode owner = metadata.path("ownerReferences").path(0).path("name");
        JsonNode allocation = claim.path("status").path("allocation");
        List<String> users = new ArrayList<>();
        for (JsonNode user : claim.path("status").path("reservedFor")) {
            users.add(user.path("resource").asText() + " " + user.path("name").asText());
        }
        List<String> devices = new ArrayList<>();
        for (JsonNode result : allocation.path("devices").path("results")) {
            devices.add(result.path("request").asText() + " "
                    + result.path("driver").asText() + "/" + result.path("pool").asText() + "/"
                    + result.path("device").asText());
        }
        return (owner.isMissingNode() ? metadata.path("name").asText() : "claim of " + owner.asText())
                + (metadata.has("deletionTimestamp") ? " going" : "")
                + (metadata.path("finalizers").isEmpty() ? "" : " " + metadata.path("finalizers"))
                + (devices.isEmpty()
                        ? " free"
                        : " " + devices + " " + allocation.path("nodeSelector").path("nodeSelectorTerms"))
                + " " + users;
    }

    /** All pods, with what is said of them. */
    private List<String> state() {
        List<ObjectNode> pods = new ArrayList<>(server.list("pods"));
        pods.sort(Comparator.comparing(pod -> pod.path("metadata").path("name").asText()));
        return pods.stream().map(this::state).toList();
    }

    private String state(ObjectNode pod) {
        String name = pod.path("metadata").path("name").asText();
        String node = pod.path("spec").path("nodeName").asText("");
        String promised = pod.path("status").path("nominatedNodeName").asText("");
        TreeSet<String> reasons = new TreeSet<>();
        TreeSet<String> evictions = new TreeSet<>();
        for (JsonNode event : server.list("events")) {
            if (name.equals(regarded(event))) {
                String note = event.path(event.has("note") ? "note" : "message").asText();
                String reason = event.path("reason").asText();
                reasons.add(reason);
                if (reason.equals("Preempted")) {
                    evictions.add(note.replaceAll("[0-9a-f-]{36}", "UID"));
                }
            }
        }
        return name
                + (node.isEmpty() ? " waits" : " on " + node)
                + (promised.isEmpty() ? "" : " promised " + promised)
                + (pod.path("metadata").has("deletionTimestamp") ? " going" : "")
                + condition(pod, "PodScheduled")
                + condition(pod, "DisruptionTarget")
                + (node.isEmpty() ? " " + reasons : "")
                + (evictions.isEmpty() ? "" : " " + evictions);
    }

    /** Empty without one. */
    private static String condition(JsonNode pod, String type) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals(type)
                    && !condition.path("reason").asText("").isEmpty()) {
                return " [" + condition.path("status").asText() + " "
                        + condition.path("reason").asText() + ": "
                        + condition.path("message").asText() + "]";
            }
        }
        return "";
    }
}
