package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.backend.Cache;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks between two steps of a {@link Scheduler} that no pod is lost, handled twice or counted incorrectly. Compares the complete
 * state.
 */
public final class SchedulerAudit {
    private final Scheduler scheduler;
    private final List<String> violations = new ArrayList<>();

    private SchedulerAudit(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** All violations, one line each; empty if there are none. */
    public static List<String> violations(Scheduler scheduler) {
        SchedulerAudit audit = new SchedulerAudit(scheduler);
        audit.checkPendingPods();
        audit.checkQueue();
        audit.checkInFlightPods();
        audit.checkAssumedPods();
        audit.checkAssignedPods();
        return List.copyOf(audit.violations);
    }

    private void checkPendingPods() {
        for (PodInfo pod : scheduler.state().store().pods().values()) {
            if (scheduler.isPending(pod) && !pod.terminating()) {
                List<String> places = places(pod);
                if (places.size() != 1) {
                    violations.add("pod " + pod.key() + " (" + pod.uid() + ") is "
                            + (places.isEmpty() ? "lost" : "in several places: " + places));
                }
            }
        }
    }

    private List<String> places(PodInfo pod) {
        List<String> places = new ArrayList<>();
        for (Part part : Part.values()) {
            if (scheduler.queue().entries(part).stream()
                    .anyMatch(entry -> entry.pod().isSame(pod))) {
                places.add(part.label());
            }
        }
        places.addAll(scheduler.inFlight().placesOf(pod));
        return places;
    }

    private void checkQueue() {
        for (Part part : Part.values()) {
            for (QueuedPod entry : scheduler.queue().entries(part)) {
                PodInfo shown = scheduler.state().store().current(entry.pod());
                if (shown == null || !scheduler.isPending(shown)) {
                    violations.add("pod " + entry.key() + " is in the " + part.label() + " queue but not pending");
                }
                if (scheduler.cache().isAssumed(entry.pod().uid())) {
                    violations.add("pod " + entry.key() + " is in the " + part.label() + " queue but assumed");
                }
            }
        }
    }

    /** Storing events for pods that are never requeued would be a memory leak. */
    private void checkInFlightPods() {
        for (String key : scheduler.queue().inFlightPods()) {
            if (!scheduler.inFlight().mayFail(key)) {
                violations.add("pod " + key + " is not being tried, but events are kept for it");
            }
        }
    }

    private void checkAssumedPods() {
        Cache cache = scheduler.cache();
        for (PodInfo pod : cache.assumedPods()) {
            if (!scheduler.inFlight().keepsReservation(pod.uid()) && cache.deadline(pod.uid()) == null) {
                violations.add("pod " + pod.key() + " is assumed without a bind or a deadline");
            }
            if (scheduler.state().store().current(pod) == null) {
                violations.add("pod " + pod.key() + " is assumed but gone");
            }
            checkCounted(pod);
        }
    }

    private void checkAssignedPods() {
        Set<String> assigned = new HashSet<>();
        for (PodInfo pod : scheduler.state().store().pods().values()) {
            if (pod.nodeName().isEmpty() || pod.uid().isEmpty()) {
                continue;
            }
            assigned.add(pod.uid());
            PodInfo cached = scheduler.cache().get(pod.uid());
            if (cached == null || !cached.nodeName().equals(pod.nodeName())) {
                violations.add("pod " + pod.key() + " is on " + pod.nodeName() + " but cached as " + cached);
            } else {
                checkCounted(cached);
            }
        }
        int known = assigned.size() + scheduler.cache().assumedCount();
        if (scheduler.cache().podCount() != known) {
            violations.add("the cache has " + scheduler.cache().podCount() + " pods instead of " + known);
        }
    }

    private void checkCounted(PodInfo pod) {
        NodeInfo node = scheduler.state().cluster().node(pod.nodeName());
        if (node != null) {
            long count = node.pods().stream().filter(pod::isSame).count();
            if (count != 1) {
                violations.add("pod " + pod.key() + " is counted " + count + " times on " + pod.nodeName());
            }
        }
    }
}
