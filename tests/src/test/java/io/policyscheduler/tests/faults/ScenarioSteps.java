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

/** Steps that users take on a cluster: each one waits for its result and records the state of all pods and claims. */
final class ScenarioSteps {
    static final String MERGE = "application/merge-patch+json";
    static final String PODS = "/api/v1/namespaces/default/pods/";

    private final FaultServer server;
    private final List<String> lines = new ArrayList<>();

    ScenarioSteps(FaultServer server) {
        this.server = server;
    }

    /** Returns the recorded states, in order. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    /** @param spec JSON with single quotes */
    static ObjectNode node(String name, String cpu, String spec) {
        ObjectNode node = Manifest.node(name, cpu);
        node.set("spec", Manifest.json(spec));
        return node;
    }

    /** Sends a request that the scheduler does not see; the body may have single quotes. */
    void call(String method, String path, String contentType, String body) {
        int code = server.call(method, path, contentType, body.replace('\'', '"'));
        if (code >= 300) {
            throw new IllegalStateException(method + " " + path + " " + body + ": " + code);
        }
    }

    void merge(String path, String patch) {
        call("PATCH", path, MERGE, patch);
    }

    void delete(String pod) {
        server.call("DELETE", PODS + pod, "application/json", "{\"gracePeriodSeconds\":0}");
    }

    boolean isBound(String pod) {
        return server.get("pods", "default", pod)
                .filter(found -> !found.path("spec").path("nodeName").asText("").isEmpty())
                .isPresent();
    }

    /** Waits until the scheduler has reported the reason. */
    boolean waits(String pod) {
        return says(pod, "nodes are available") && hasEvent(pod, "FailedScheduling");
    }

    /** Waits until the scheduler has set the condition with this reason. */
    boolean saysWith(String pod, String reason, String text) {
        return says(pod, reason + ": ") && says(pod, text) && hasEvent(pod, "FailedScheduling");
    }

    boolean isGoing(String pod) {
        return server.get("pods", "default", pod)
                .filter(found -> found.path("metadata").has("deletionTimestamp"))
                .isPresent();
    }

    /** Waits until a pod is nominated and everything about it is reported. */
    boolean hasEvicted(String pod, String victim) {
        return waits(pod) && !nominated(pod).isEmpty() && isGoing(victim) && hasEvent(victim, "Preempted");
    }

    void awaitGone(String... pods) {
        for (String pod : pods) {
            await(pod + " is gone", () -> server.get("pods", "default", pod).isEmpty());
        }
    }

    String annotation(String resource, String name, String annotation) {
        return server.get(resource, "default", name)
                .map(found -> found.path("metadata")
                        .path("annotations")
                        .path(annotation)
                        .asText(""))
                .orElse("");
    }

    /** Waits until a claim has a volume. */
    boolean hasVolume(String claim) {
        return server.get("persistentvolumeclaims", "default", claim)
                .filter(found ->
                        !found.path("spec").path("volumeName").asText("").isEmpty())
                .isPresent();
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

    /** Returns the pod of an event; empty if it is about something else. */
    private static String regarded(JsonNode event) {
        JsonNode object = event.path(event.has("regarding") ? "regarding" : "involvedObject");
        return object.path("kind").asText().equals("Pod") ? object.path("name").asText() : "";
    }

    void await(String what, BooleanSupplier condition) {
        Await.until(
                FaultFixture.PATIENCE,
                what,
                condition,
                () -> String.join("\n", state()) + "\n" + String.join("\n", claims()));
    }

    void step(String what, BooleanSupplier condition) {
        await(what, condition);
        List<String> state = new ArrayList<>(state());
        state.addAll(claims());
        state.addAll(volumeClaims());
        lines.add(what + ": " + String.join("; ", state));
    }

    /** Returns the state of all resource claims. */
    List<String> claims() {
        return server.list("resourceclaims").stream()
                .map(ScenarioSteps::claim)
                .sorted()
                .toList();
    }

    private List<String> volumeClaims() {
        return server.list("persistentvolumeclaims").stream()
                .map(claim -> {
                    String name = claim.path("metadata").path("name").asText();
                    String volume = claim.path("spec").path("volumeName").asText("");
                    String node = annotation("persistentvolumeclaims", name, "volume.kubernetes.io/selected-node");
                    return "volume of " + name + ": " + (volume.isEmpty() ? "none" : volume)
                            + (node.isEmpty() ? "" : " chosen for " + node);
                })
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

    /** Returns all pods with their conditions and events. */
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

    /** Returns empty if there is none. */
    private static String condition(JsonNode pod, String type) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals(type)
                    && !condition.path("reason").asText("").isEmpty()) {
                return " [" + condition.path("status").asText() + " "
                        + condition.path("reason").asText() + ": "
                        + condition.path("message").asText().replaceAll("127\\.0\\.0\\.1:[0-9]+", "EXTENDER") + "]";
            }
        }
        return "";
    }
}
