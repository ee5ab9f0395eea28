package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.devices.PodResourceClaims;
import io.policyscheduler.framework.scheduler.backend.Nominator;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The final state: the scheduler has received all events and assumes nothing, every pod that fits somewhere is bound, and every other one has a
 * reason in its status.
 */
final class RestAudit {
    private final SimulationRun simulation;
    private final SchedulerProcess process;
    private final Consumer<String> violations;

    RestAudit(SimulationRun simulation, SchedulerProcess process, Consumer<String> violations) {
        this.simulation = simulation;
        this.process = process;
        this.violations = violations;
    }

    void check() {
        Counts counts = process.scheduler().counts();
        if (counts.rereading() + counts.binding() + counts.assumed() > 0) {
            violations.accept("at rest, but " + counts);
        }
        for (ResourceKind kind : ResourceKind.values()) {
            ClusterLog.Resource resource = simulation.log().of(kind);
            if (!process.feed(kind).shown().equals(resource.stateAfter(resource.events.size()))) {
                violations.accept("at rest, but not all is shown of " + kind);
            }
        }
        checkPods();
    }

    private void checkPods() {
        ClusterState state = new ClusterState();
        Nominator nominated = new Nominator();
        List<PodInfo> pending = new ArrayList<>();
        for (ResourceKind kind : ResourceKind.values()) {
            for (ObjectNode object : process.feed(kind).shown().values()) {
                ClusterObject decoded = simulation.decode(
                        object, simulation.log().of(kind).watched.objectKind());
                if (decoded instanceof PodInfo pod) {
                    if (!pod.nodeName().isEmpty()) {
                        state.addPod(pod);
                    } else if (Manifests.isOurs(object) && !pod.terminating() && !Manifests.isGated(object)) {
                        if (!isHeldBack(pod)) {
                            nominated.nominate(pod, "");
                        } else if (!promised(pod).isEmpty()) {
                            nominated.nominate(pod, promised(pod));
                        }
                        pending.add(pod);
                    }
                } else if (decoded instanceof Node node) {
                    state.putNode(node);
                } else if (decoded != null) {
                    state.putObject(decoded);
                }
            }
        }
        SchedulingCycle cycle = simulation.shared().cycle(simulation.scenario(), state);
        pending.forEach(pod -> checkPending(cycle, pod, nominated, state.assumedClaims()));
    }

    private void checkPending(SchedulingCycle cycle, PodInfo pod, Nominator nominated, AssumedClaims claims) {
        if (isHeldBack(pod)) {
            if (PodResourceClaims.of(pod, claims).problem().isEmpty()) {
                violations.accept("pod " + pod.name() + " is held back, but all its claims are there");
            }
            return;
        }
        Evaluation evaluation = cycle.evaluate(pod, nominated);
        String error = evaluation.error();
        if (error == null) {
            violations.accept("pod " + pod.name() + " is pending, but fits on " + evaluation.feasible());
            return;
        }
        String message = simulation
                .cluster()
                .get("pods", pod.namespace(), pod.name())
                .map(RestAudit::message)
                .orElse("(gone)");
        boolean isReported = reports(message, error);
        // As in kube-scheduler, a node forgets a port as soon as one of several pods with that port is gone.
        boolean usesPorts = pod.spec().containers().stream()
                .anyMatch(container -> !container.hostPorts().isEmpty());
        isReported |= usesPorts
                && reports(
                        message,
                        simulation
                                .shared()
                                .cycle(
                                        simulation.scenario(),
                                        process.scheduler().cluster())
                                .evaluate(pod, nominated)
                                .error());
        if (!isReported && !withoutDevice(message).equals(withoutDevice(error))) {
            violations.accept(
                    "pod " + pod.name() + " has the message \"" + message + "\" instead of \"" + error + "\"");
        }
        if (simulation.scenario().preemption() && evaluation.fitError()) {
            Map<String, NodeFailure> failures = cycle.failures(pod, nominated);
            PreemptionResult result = failures == null
                    ? null
                    : cycle.preemption().preempt(pod, nominated, failures, new Preemption(false, true, true));
            if (result != null && result.chosen() != null) {
                violations.accept("pod " + pod.name() + " is pending, but could evict "
                        + result.candidates().get(result.chosen()) + " from " + result.chosen());
            }
        }
    }

    /** Modern profiles also report the result of preemption. */
    private boolean reports(String message, @Nullable String error) {
        return message.equals(error) || (simulation.scenario().modern() && message.startsWith(error + " "));
    }

    /** As in 1.34, a nomination of a pod that is gated since, or that was cleared, counts even if its status was never written; empty for none. */
    private String promised(PodInfo pod) {
        String node = simulation.scenario().modern()
                ? process.scheduler().queue().nominated().nodeOf(pod)
                : null;
        return node == null ? "" : node;
    }

    private boolean isHeldBack(PodInfo pod) {
        return process.scheduler().queue().partOf(pod.key()) == Part.GATED;
    }

    /** The order in which the devices of several pools are tried is random. */
    private static String withoutDevice(String message) {
        return message.replaceAll("cannot add device \\S+ because", "cannot add a device because");
    }

    private static String message(JsonNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (Manifests.text(condition, "type").equals("PodScheduled")) {
                return Manifests.text(condition, "message");
            }
        }
        return "(nothing)";
    }
}
