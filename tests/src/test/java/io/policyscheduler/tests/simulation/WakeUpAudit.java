package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.scheduler.backend.Nominator;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * While the API server responds, no pod stays unschedulable for more than two seconds after the watch has shown the change that makes it schedulable, and
 * no pod of a policy stays nominated to a node that it no longer fits. What the
 * scheduler has reserved counts as it does for the scheduler. Pods with volumes or devices are left out, because only the scheduler
 * has the choices that it has not written yet, and so are runs with an extender, which can change its answer at any time.
 */
final class WakeUpAudit {
    private static final long LIMIT_MILLIS = 2_000;
    private static final long LOOK_MILLIS = 1_000;
    /** A preemption without a response is repeated after up to 10 s, and its pod waits for that. */
    private static final long UNAVAILABLE_MILLIS = 12_000;

    private final SimulationRun simulation;
    private final Consumer<String> violations;
    /** When a fault was first found, by the pod that has it. */
    private final Map<String, Long> since = new HashMap<>();
    /** What is wrong about the pod. */
    private final Map<String, String> faults = new HashMap<>();
    /** The number of the last decision about each pod, by UID. */
    private final Map<String, Integer> decisions = new HashMap<>();

    private boolean changed;
    private long looked;
    private int decided;

    WakeUpAudit(SimulationRun simulation, Consumer<String> violations) {
        this.simulation = simulation;
        this.violations = violations;
    }

    /** Called after the scheduler has done something, such as reading an event. */
    void afterRun() {
        changed = true;
    }

    void decided(PodInfo pod) {
        decisions.put(pod.uid(), decided++);
    }

    void restart() {
        since.clear();
        changed = true;
    }

    void afterStep() {
        long now = simulation.time().now();
        if (simulation.scenario().extender() || now - looked < LOOK_MILLIS) {
            return;
        }
        looked = now;
        SchedulerProcess process = simulation.process();
        if (process == null
                || process.isRunning()
                || process.isPaused()
                || !process.scheduler().isSynced()
                || simulation.api().wasUnavailable(UNAVAILABLE_MILLIS)) {
            restart();
            return;
        }
        if (changed) {
            changed = false;
            look(process, now);
        }
        since.forEach((pod, first) -> {
            if (now - first > LIMIT_MILLIS) {
                violations.accept("pod " + pod + " since " + first + ": " + faults.get(pod));
            }
        });
    }

    private void look(SchedulerProcess process, long now) {
        List<PodInfo> waiting = process.scheduler().queue().entries(Part.UNSCHEDULABLE).stream()
                .map(QueuedPod::pod)
                .filter(pod -> pod.spec().volumes().isEmpty()
                        && pod.spec().resourceClaims().isEmpty())
                .toList();
        Set<String> faulty = new HashSet<>();
        if (!waiting.isEmpty()) {
            SchedulingCycle cycle = simulation.shared().cycle(simulation.scenario(), state(process, placed -> true));
            SchedulingCycle shown = null;
            Nominator nominated = process.scheduler().queue().nominated();
            for (PodInfo pod : waiting) {
                String node = nominated.nodeOf(pod);
                Set<String> nodes = new TreeSet<>(feasible(cycle, pod, nominated));
                boolean outdated = isOutdated(cycle, pod, nominated, node);
                if (nodes.isEmpty() && !outdated) {
                    continue;
                }
                shown = shown == null
                        ? simulation.shared().cycle(simulation.scenario(), state(process, placed -> false))
                        : shown;
                nodes.retainAll(feasible(shown, pod, nominated));
                if (!nodes.isEmpty()) {
                    nodes.retainAll(feasible(cycleAsDecided(process, pod), pod, nominated));
                }
                String name = pod.name() + " " + pod.uid();
                if (!nodes.isEmpty()) {
                    faulty.add(name);
                    faults.put(name, "schedulable on " + nodes + ", but stays unschedulable");
                } else if (outdated && isOutdated(shown, pod, nominated, node)) {
                    faulty.add(name);
                    faults.put(name, "nominated to " + node + ", which it does not fit any more");
                }
            }
        }
        since.keySet().retainAll(faulty);
        faulty.forEach(pod -> since.putIfAbsent(pod, now));
    }

    /** Modern profiles keep such a nomination, as kube-scheduler does. */
    private boolean isOutdated(SchedulingCycle cycle, PodInfo pod, Nominator nominated, @Nullable String node) {
        return node != null
                && !simulation.scenario().modern()
                && !cycle.preemption().mayFit(pod, nominated, node);
    }

    private static List<String> feasible(SchedulingCycle cycle, PodInfo pod, Nominator nominated) {
        Evaluation evaluation = cycle.evaluate(pod, nominated);
        return evaluation.error() == null ? evaluation.feasible() : List.of();
    }

    /** With the pods that were placed before the last decision about this pod: no event has shown the others. */
    private SchedulingCycle cycleAsDecided(SchedulerProcess process, PodInfo pod) {
        int last = decisions.getOrDefault(pod.uid(), -1);
        return simulation
                .shared()
                .cycle(
                        simulation.scenario(),
                        state(process, placed -> decisions.getOrDefault(placed.uid(), -1) < last));
    }

    /**
     * The cluster as it has been shown, with the pods on nodes that the scheduler counts there.
     *
     * @param assumed selects the pods to count of those that have been placed, but not shown; they take room, but no event has said
     *     that they meet an affinity
     */
    private ClusterState state(SchedulerProcess process, Predicate<PodInfo> assumed) {
        ClusterState state = new ClusterState();
        for (ResourceKind kind : ResourceKind.values()) {
            for (ObjectNode object : process.feed(kind).shown().values()) {
                ClusterObject shown = simulation.decode(
                        object, simulation.log().of(kind).watched.objectKind());
                if (shown instanceof Node node) {
                    state.putNode(node);
                    NodeInfo counted = process.scheduler().cluster().node(node.name());
                    if (counted != null) {
                        counted.pods().stream()
                                .filter(pod -> !process.scheduler().cache().isAssumed(pod.uid()) || assumed.test(pod))
                                .forEach(state::addPod);
                    }
                } else if (shown != null && !(shown instanceof PodInfo)) {
                    state.putObject(shown);
                }
            }
        }
        return state;
    }
}
