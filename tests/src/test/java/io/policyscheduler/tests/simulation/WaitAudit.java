package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.Cache;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** No pod waits longer than allowed: in any part of the queue, on its way back to it, or assumed on a node. */
final class WaitAudit {
    private static final SchedulerOptions OPTIONS = SchedulerOptions.defaults();
    /** The longest time between two steps of the scheduler, without waiting for an extender. */
    private static final long LAG_MILLIS = 100;
    /** An extender is called three times for a pod: to filter, to prioritize, and to preempt. */
    private static final long EXTENDER_LAG_MILLIS = 4 * SimulatedExtender.TIMEOUT_MILLIS;

    /** A pod stays in the backoff queue until its backoff has expired and the next short tick. */
    static final long BACKOFF_MILLIS =
            OPTIONS.maxBackoff().plus(SchedulerOptions.SHORT_PERIOD).toMillis();
    /** A pod stays unschedulable until its time limit and the next long tick. */
    static final long UNSCHEDULABLE_MILLIS = SchedulerOptions.UNSCHEDULABLE_TIMEOUT
            .plus(SchedulerOptions.LONG_PERIOD)
            .toMillis();
    /** The same for a pod that waits for events. */
    private static final long EVENT_MILLIS =
            OPTIONS.eventTimeout().plus(SchedulerOptions.LONG_PERIOD).toMillis();

    /** How long a pod stays unschedulable when nothing happens. */
    static long unschedulableMillis(Scenario scenario) {
        return scenario.modern() ? EVENT_MILLIS : UNSCHEDULABLE_MILLIS;
    }

    /**
     * A failed pod is read until the server responds: during an outage, plus the last delay, which is at most the whole wait before it, and single
     * calls that time out.
     */
    static final long REREAD_MILLIS = 9 * Audit.OUTAGE_MILLIS;
    /**
     * Volumes are written and awaited; then the bind is sent up to three times. Without a response, the pod remains assumed until the server has
     * surely given up the request and the next read, at most a minute later, shows the result.
     */
    static final long BINDING_MILLIS = SchedulerProcess.VOLUME_TIMEOUT.toMillis()
            + SchedulerOptions.BIND_DOUBT.toMillis()
            + SchedulerOptions.MAX_REREAD_DELAY.toMillis()
            + REREAD_MILLIS;

    /** Two claims, each read and written twice, five times, with calls that time out. */
    private static final long CLAIMS_MILLIS = 2 * 2 * 5 * 2 * 12_000;

    private static final long LOOK_MILLIS = 1000;

    private final SimulationRun simulation;
    private final Consumer<String> violations;
    /** When a pod was first found in its current place. */
    private final Map<String, Long> since = new HashMap<>();

    private long looked;
    private long lastDecision;
    private long restarted;

    WaitAudit(SimulationRun simulation, Consumer<String> violations) {
        this.simulation = simulation;
        this.violations = violations;
    }

    void decided(PodInfo pod) {
        lastDecision = simulation.time().now();
        since.remove("elsewhere " + pod.uid());
    }

    void restart() {
        since.clear();
        restarted = simulation.time().now();
    }

    void afterStep() {
        long now = simulation.time().now();
        if (now - looked < LOOK_MILLIS) {
            return;
        }
        looked = now;
        SchedulerProcess process = simulation.process();
        if (process == null
                || process.isRunning()
                || process.isPaused()
                || !process.scheduler().isSynced()) {
            restart();
            return;
        }
        Scheduler scheduler = process.scheduler();
        Set<String> present = new HashSet<>();
        checkQueue(scheduler, present);
        checkAssumed(scheduler.cache(), present);
        checkOthers(process, present);
        since.keySet().retainAll(present);
    }

    private void checkQueue(Scheduler scheduler, Set<String> present) {
        for (Part part : Part.values()) {
            for (QueuedPod entry : scheduler.queue().entries(part)) {
                present.add("queued " + entry.pod().uid());
                long due = switch (part) {
                    case ACTIVE -> Math.max(lastDecision, restarted) + LOOK_MILLIS;
                    case BACKOFF ->
                        VirtualTime.millis(entry.backoffExpiry()) + SchedulerOptions.SHORT_PERIOD.toMillis();
                    case UNSCHEDULABLE ->
                        VirtualTime.millis(entry.timestamp()) + unschedulableMillis(simulation.scenario());
                    case GATED -> Long.MAX_VALUE / 2;
                };
                if (part == Part.ACTIVE) {
                    long seen = since.computeIfAbsent(
                            "active " + entry.pod().uid(),
                            key -> simulation.time().now());
                    present.add("active " + entry.pod().uid());
                    due = Math.max(due, seen + LOOK_MILLIS);
                }
                check(due, "pod " + entry.key() + " stays " + part.label());
            }
        }
    }

    private void checkAssumed(Cache cache, Set<String> present) {
        for (PodInfo pod : cache.assumedPods()) {
            String key = "assumed " + pod.uid();
            present.add(key);
            long seen = since.computeIfAbsent(key, k -> simulation.time().now());
            Instant deadline = cache.deadline(pod.uid());
            long due = deadline == null
                    ? seen + BINDING_MILLIS + (simulation.scenario().devices() ? CLAIMS_MILLIS : 0)
                    : VirtualTime.millis(deadline) + SchedulerOptions.SHORT_PERIOD.toMillis();
            check(due, "pod " + pod.key() + " stays assumed on " + pod.nodeName());
        }
    }

    /** Returns the pods that wait, but neither in the queue nor on a node. */
    private void checkOthers(SchedulerProcess process, Set<String> present) {
        for (ObjectNode pod : process.feed(ResourceKind.PODS).shown().values()) {
            String uid = Manifests.uid(pod);
            boolean isPending =
                    Manifests.isOurs(pod) && Manifests.nodeOf(pod).isEmpty() && !Manifests.isTerminating(pod);
            if (!isPending || present.contains("queued " + uid) || present.contains("assumed " + uid)) {
                continue;
            }
            boolean isPendingInFact = simulation
                    .cluster()
                    .get("pods", Manifests.namespaceOf(Manifests.name(pod)), Manifests.name(pod))
                    .filter(actual -> Manifests.uid(actual).equals(uid)
                            && Manifests.nodeOf(actual).isEmpty())
                    .isPresent();
            if (isPendingInFact) {
                String key = "elsewhere " + uid;
                present.add(key);
                long seen = since.computeIfAbsent(key, k -> simulation.time().now());
                check(seen + REREAD_MILLIS, "pod " + Manifests.name(pod) + " stays out of the queue");
            }
        }
    }

    private void check(long due, String text) {
        long lag = simulation.scenario().extender() ? EXTENDER_LAG_MILLIS : LAG_MILLIS;
        if (simulation.time().now() > Math.max(due, restarted + LOOK_MILLIS) + lag) {
            violations.accept(text + " since " + due);
        }
    }
}
