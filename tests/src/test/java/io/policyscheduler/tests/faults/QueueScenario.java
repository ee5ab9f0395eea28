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

/**
 * What users do to a cluster of today, and what becomes of their pods when the scheduler has done its part: each step waits for what
 * must come of it and is told as the state of all pods. No step leaves the scheduler a choice.
 */
final class QueueScenario {
    private static final String MERGE = "application/merge-patch+json";
    private static final String PODS = "/api/v1/namespaces/default/pods/";

    private final FaultServer server;
    private final List<String> told = new ArrayList<>();

    QueueScenario(FaultServer server) {
        this.server = server;
    }

    /** Does everything; what is told of the steps, in order. */
    List<String> run() {
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        room();
        spreading();
        newNode();
        gate();
        preemption();
        return List.copyOf(told);
    }

    private void room() {
        server.load(node("n0", "2", "{}"));
        server.load(Manifest.pod("a", "1500m"));
        step("a pod is placed", () -> isBound("a"));
        server.load(Manifest.pod("b", "1"));
        step("another one waits for its room", () -> waits("b"));
        delete("a");
        step("and gets it at once", () -> isBound("b"));
        delete("b");
        await("b is gone", () -> server.get("pods", "default", "b").isEmpty());
    }

    /** Of the three pods, the one that spreads waits for the one that comes to the other node. */
    private void spreading() {
        server.load(node("n1", "2", "{'taints':[{'key':'k','value':'v','effect':'NoSchedule'}]}"));
        ObjectNode first = Manifest.podWithSelector("s0", "100m", "name", "n0");
        first.withObject("/metadata/labels").put("app", "s");
        server.load(first);
        await("s0 is placed", () -> isBound("s0"));
        ObjectNode spread = Manifest.pod("s1", "100m");
        spread.withObject("/metadata/labels").put("app", "s");
        ((ObjectNode) spread.path("spec"))
                .putArray("topologySpreadConstraints")
                .add(Manifest.json("{'maxSkew':1,'topologyKey':'name','whenUnsatisfiable':'DoNotSchedule',"
                        + "'labelSelector':{'matchLabels':{'app':'s'}}}"));
        server.load(spread);
        step("a pod waits for another node to have one like it", () -> waits("s1"));
        ObjectNode tolerant = Manifest.podWithSelector("s2", "100m", "name", "n1");
        tolerant.withObject("/metadata/labels").put("app", "s");
        ((ObjectNode) tolerant.path("spec"))
                .putArray("tolerations")
                .add(Manifest.json("{'key':'k','operator':'Exists'}"));
        server.load(tolerant);
        step("and is placed as soon as it has", () -> isBound("s1") && isBound("s2"));
    }

    private void newNode() {
        server.load(Manifest.podWithSelector("c", "100m", "name", "n2"));
        step("a pod waits for a node", () -> waits("c"));
        server.load(node("n2", "2", "{'unschedulable':true}"));
        step("which comes cordoned", () -> says("c", "were unschedulable"));
        server.call("PATCH", "/api/v1/nodes/n2", MERGE, "{\"spec\":{\"unschedulable\":false}}");
        step("and is opened", () -> isBound("c"));
    }

    private void gate() {
        ObjectNode gated = Manifest.podWithSelector("g", "100m", "name", "n2");
        ((ObjectNode) gated.path("spec"))
                .putArray("schedulingGates")
                .addObject()
                .put("name", "example.com/g");
        server.load(gated);
        step(
                "a gated pod is left alone",
                () -> server.get("pods", "default", "g").isPresent());
        server.call("PATCH", PODS + "g", MERGE, "{\"spec\":{\"schedulingGates\":null}}");
        step("until its gate opens", () -> isBound("g"));
    }

    private void preemption() {
        server.load(node("n3", "2", "{}"));
        ObjectNode low = Manifest.podWithSelector("low", "1500m", "name", "n3");
        low.withObject("/spec").put("priorityClassName", "low").put("terminationGracePeriodSeconds", 45);
        server.load(low);
        await("low is placed", () -> isBound("low"));
        ObjectNode high = Manifest.podWithSelector("high", "1500m", "name", "n3");
        high.withObject("/spec").put("priorityClassName", "high");
        server.load(high);
        step(
                "a pod evicts another one",
                () -> waits("high")
                        && !nominated("high").isEmpty()
                        && server.get("pods", "default", "low")
                                .filter(pod -> pod.path("metadata").has("deletionTimestamp"))
                                .isPresent()
                        && hasEvent("low", "Preempted"));
        server.call("DELETE", PODS + "low", "application/json", "{\"gracePeriodSeconds\":0}");
        step("and gets its room when that is gone", () -> isBound("high"));
    }

    private static ObjectNode node(String name, String cpu, String spec) {
        ObjectNode node = Manifest.node(name, cpu);
        node.set("spec", Manifest.json(spec));
        return node;
    }

    private void delete(String pod) {
        server.call("DELETE", PODS + pod, "application/json", "{\"gracePeriodSeconds\":0}");
    }

    private boolean isBound(String pod) {
        return server.get("pods", "default", pod)
                .filter(found -> !found.path("spec").path("nodeName").asText("").isEmpty())
                .isPresent();
    }

    /** The scheduler has said why. */
    private boolean waits(String pod) {
        return says(pod, "nodes are available") && hasEvent(pod, "FailedScheduling");
    }

    private boolean says(String pod, String text) {
        return server.get("pods", "default", pod)
                .filter(found -> condition(found, "PodScheduled").contains(text))
                .isPresent();
    }

    private String nominated(String pod) {
        return server.get("pods", "default", pod)
                .map(found -> found.path("status").path("nominatedNodeName").asText(""))
                .orElse("");
    }

    private boolean hasEvent(String pod, String reason) {
        return server.list("events").stream()
                .anyMatch(event -> pod.equals(regarded(event))
                        && reason.equals(event.path("reason").asText()));
    }

    private static String regarded(JsonNode event) {
        return event.path(event.has("regarding") ? "regarding" : "involvedObject")
                .path("name")
                .asText();
    }

    private void await(String what, BooleanSupplier condition) {
        Await.until(FaultWorld.PATIENCE, what, condition, () -> String.join("\n", state()));
    }

    private void step(String what, BooleanSupplier condition) {
        await(what, condition);
        told.add(what + ": " + String.join("; ", state()));
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
