package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Manifest;
import java.util.List;

/** Users' changes on a current cluster, and the resulting states of their pods. In no step can the scheduler choose between equal nodes. */
final class QueueScenario {
    private final FaultServer server;
    private final ScenarioSteps steps;

    QueueScenario(FaultServer server) {
        this.server = server;
        this.steps = new ScenarioSteps(server);
    }

    /** Takes all steps. Returns the state after each one. */
    List<String> run() {
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        room();
        spreading();
        newNode();
        gate();
        preemption();
        return steps.lines();
    }

    private void room() {
        server.load(ScenarioSteps.node("n0", "2", "{}"));
        server.load(Manifest.pod("a", "1500m"));
        steps.step("a pod is placed", () -> steps.isBound("a"));
        server.load(Manifest.pod("b", "1"));
        steps.step("another one waits for its room", () -> steps.waits("b"));
        steps.delete("a");
        steps.step("and gets it at once", () -> steps.isBound("b"));
        steps.delete("b");
        steps.await("b is gone", () -> server.get("pods", "default", "b").isEmpty());
    }

    /** Of the three pods, the one with a spread constraint waits for the one that is placed on the other node. */
    private void spreading() {
        server.load(ScenarioSteps.node("n1", "2", "{'taints':[{'key':'k','value':'v','effect':'NoSchedule'}]}"));
        ObjectNode first = Manifest.podWithSelector("s0", "100m", "name", "n0");
        first.withObject("/metadata/labels").put("app", "s");
        server.load(first);
        steps.await("s0 is placed", () -> steps.isBound("s0"));
        ObjectNode spread = Manifest.pod("s1", "100m");
        spread.withObject("/metadata/labels").put("app", "s");
        ((ObjectNode) spread.path("spec"))
                .putArray("topologySpreadConstraints")
                .add(Manifest.json("{'maxSkew':1,'topologyKey':'name','whenUnsatisfiable':'DoNotSchedule',"
                        + "'labelSelector':{'matchLabels':{'app':'s'}}}"));
        server.load(spread);
        steps.step("a pod waits for another node to have one like it", () -> steps.waits("s1"));
        ObjectNode tolerant = Manifest.podWithSelector("s2", "100m", "name", "n1");
        tolerant.withObject("/metadata/labels").put("app", "s");
        ((ObjectNode) tolerant.path("spec"))
                .putArray("tolerations")
                .add(Manifest.json("{'key':'k','operator':'Exists'}"));
        server.load(tolerant);
        steps.step("and is placed as soon as it has", () -> steps.isBound("s1") && steps.isBound("s2"));
    }

    private void newNode() {
        server.load(Manifest.podWithSelector("c", "100m", "name", "n2"));
        steps.step("a pod waits for a node", () -> steps.waits("c"));
        server.load(ScenarioSteps.node("n2", "2", "{'unschedulable':true}"));
        steps.step("which comes cordoned", () -> steps.says("c", "were unschedulable"));
        server.call("PATCH", "/api/v1/nodes/n2", ScenarioSteps.MERGE, "{\"spec\":{\"unschedulable\":false}}");
        steps.step("and is opened", () -> steps.isBound("c"));
    }

    private void gate() {
        ObjectNode gated = Manifest.podWithSelector("g", "100m", "name", "n2");
        ((ObjectNode) gated.path("spec"))
                .putArray("schedulingGates")
                .addObject()
                .put("name", "example.com/g");
        server.load(gated);
        steps.step(
                "a gated pod is left alone",
                () -> server.get("pods", "default", "g").isPresent());
        server.call("PATCH", ScenarioSteps.PODS + "g", ScenarioSteps.MERGE, "{\"spec\":{\"schedulingGates\":null}}");
        steps.step("until its gate opens", () -> steps.isBound("g"));
    }

    private void preemption() {
        server.load(ScenarioSteps.node("n3", "2", "{}"));
        ObjectNode low = Manifest.podWithSelector("low", "1500m", "name", "n3");
        low.withObject("/spec").put("priorityClassName", "low").put("terminationGracePeriodSeconds", 45);
        server.load(low);
        steps.await("low is placed", () -> steps.isBound("low"));
        ObjectNode high = Manifest.podWithSelector("high", "1500m", "name", "n3");
        high.withObject("/spec").put("priorityClassName", "high");
        server.load(high);
        steps.step(
                "a pod evicts another one",
                () -> steps.waits("high")
                        && !steps.nominated("high").isEmpty()
                        && server.get("pods", "default", "low")
                                .filter(pod -> pod.path("metadata").has("deletionTimestamp"))
                                .isPresent()
                        && steps.hasEvent("low", "Preempted"));
        server.call("DELETE", ScenarioSteps.PODS + "low", "application/json", "{\"gracePeriodSeconds\":0}");
        steps.step("and gets its room when that is gone", () -> steps.isBound("high"));
    }
}
