package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Manifest;
import java.util.List;

/** A pod that needs the room of several others, one of which may stay. In no step can the scheduler choose between equal nodes. */
final class VictimScenario {
    private final FaultServer server;
    private final ScenarioSteps steps;

    VictimScenario(FaultServer server) {
        this.server = server;
        this.steps = new ScenarioSteps(server);
    }

    /** Takes all steps. Returns the state after each one. */
    List<String> run() {
        ObjectNode polite = Manifest.priorityClass("scheduling.k8s.io/v1", "polite", 1000);
        server.load(polite.put("preemptionPolicy", "Never"));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "lowest", 5));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "middle", 20));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        server.load(ScenarioSteps.node("n0", "4", "{}"));
        pod("a", "1", "lowest");
        pod("b", "1", "low");
        pod("c", "2", "middle");
        steps.step("a node is full", () -> steps.isBound("a") && steps.isBound("b") && steps.isBound("c"));
        pod("never", "3", "polite");
        steps.step("a pod that may not preempt waits", () -> steps.waits("never"));
        steps.delete("never");
        steps.await(
                "never is gone", () -> server.get("pods", "default", "never").isEmpty());
        pod("high", "3", "high");
        steps.step(
                "a pod evicts two of three",
                () -> steps.waits("high")
                        && !steps.nominated("high").isEmpty()
                        && steps.isGoing("a")
                        && steps.isGoing("c")
                        && steps.hasEvent("a", "Preempted")
                        && steps.hasEvent("c", "Preempted"));
        pod("late", "500m", "low");
        steps.step("one of less priority waits behind it", () -> steps.waits("late"));
        steps.delete("late");
        steps.delete("a");
        steps.delete("c");
        steps.await("late is gone", () -> server.get("pods", "default", "late").isEmpty());
        steps.step("the pod gets its room when both are gone", () -> steps.isBound("high"));
        return steps.lines();
    }

    private void pod(String name, String cpu, String priority) {
        ObjectNode pod = Manifest.podWithPriority(name, cpu, priority);
        pod.withObject("/spec").put("terminationGracePeriodSeconds", 45);
        server.load(pod);
    }
}
