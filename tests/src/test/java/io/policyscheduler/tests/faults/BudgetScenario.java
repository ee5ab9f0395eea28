package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Manifest;
import java.util.List;

/** Victims with a budget, victims with finalizers, and nominations that are cleared. In no step can the scheduler choose between equal nodes. */
final class BudgetScenario {
    private final FaultServer server;
    private final ScenarioSteps steps;

    BudgetScenario(FaultServer server) {
        this.server = server;
        this.steps = new ScenarioSteps(server);
    }

    /** Takes all steps. Returns the state after each one. */
    List<String> run() {
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "middle", 20));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        budget();
        nominees();
        otherNode();
        return steps.lines();
    }

    private void budget() {
        server.load(Manifest.json(
                "{'apiVersion':'policy/v1','kind':'PodDisruptionBudget','metadata':{'name':'keep','namespace':'default'},"
                        + "'spec':{'minAvailable':1,'selector':{'matchLabels':{'app':'kept'}}},"
                        + "'status':{'disruptionsAllowed':0,'currentHealthy':1,'desiredHealthy':1,'expectedPods':1}}"));
        server.load(ScenarioSteps.node("n0", "2", "{}"));
        ObjectNode kept = pod("a", "2", "low", "name", "n0");
        kept.withObject("/metadata/labels").put("app", "kept");
        kept.withObject("/metadata").putArray("finalizers").add("example.com/keep");
        server.load(kept);
        server.load(ScenarioSteps.node("n1", "2", "{}"));
        server.load(pod("b", "2", "middle", "name", "n1"));
        steps.step("a budget protects one of two pods", () -> steps.isBound("a") && steps.isBound("b"));
        server.load(pod("high", "2", "high", "", ""));
        steps.step("the more important one has to go", () -> steps.hasEvicted("high", "b"));
        steps.delete("b");
        steps.step("and makes room", () -> steps.isBound("high"));
        server.load(pod("second", "2", "high", "", ""));
        steps.step("then there is no choice", () -> steps.hasEvicted("second", "a"));
        steps.delete("a");
        steps.step("a pod that somebody keeps keeps its room", () -> steps.isGoing("a"));
        steps.merge(ScenarioSteps.PODS + "a", "{'metadata':{'finalizers':null}}");
        steps.step("until it is let go", () -> steps.isBound("second"));
        steps.delete("high");
        steps.delete("second");
        steps.awaitGone("high", "second");
    }

    /** A nomination, and other pods of lower and higher priority. */
    private void nominees() {
        server.load(pod("c", "2", "low", "name", "n0"));
        steps.await("c is placed", () -> steps.isBound("c"));
        server.load(pod("middle", "2", "middle", "name", "n0"));
        steps.step("a pod is promised room", () -> steps.hasEvicted("middle", "c"));
        server.load(pod("late", "1", "low", "name", "n0"));
        steps.step("one of less priority does not get it", () -> steps.waits("late"));
        // Which of two waiting pods is tried first when the room is free depends on their backoffs.
        steps.delete("late");
        steps.awaitGone("late");
        server.load(pod("top", "2", "high", "name", "n0"));
        steps.step(
                "one of more priority is promised the same",
                () -> steps.waits("top") && !steps.nominated("top").isEmpty());
        steps.delete("c");
        steps.step(
                "and gets it",
                () -> steps.isBound("top") && steps.nominated("middle").isEmpty());
        steps.delete("top");
        steps.step("what it leaves is for the next", () -> steps.isBound("middle"));
        steps.delete("middle");
        steps.awaitGone("middle");
    }

    /** The nominated node becomes infeasible. */
    private void otherNode() {
        server.load(pod("d", "2", "low", "name", "n0"));
        server.load(pod("e", "2", "middle", "name", "n1"));
        steps.await("d and e are placed", () -> steps.isBound("d") && steps.isBound("e"));
        server.load(pod("mover", "2", "high", "", ""));
        steps.step("a pod is promised a node", () -> steps.hasEvicted("mover", "d"));
        steps.merge("/api/v1/nodes/n0", "{'spec':{'taints':[{'key':'k','value':'v','effect':'NoSchedule'}]}}");
        steps.step(
                "which takes it no more",
                () -> steps.nominated("mover").equals("n1") && steps.isGoing("e") && steps.hasEvent("e", "Preempted"));
        steps.delete("e");
        steps.step("so that it goes to another", () -> steps.isBound("mover"));
    }

    private static ObjectNode pod(String name, String cpu, String priority, String label, String value) {
        ObjectNode pod = Manifest.podWithPriority(name, cpu, priority);
        pod.withObject("/spec").put("terminationGracePeriodSeconds", 45);
        if (!label.isEmpty()) {
            pod.withObject("/spec/nodeSelector").put(label, value);
        }
        return pod;
    }
}
