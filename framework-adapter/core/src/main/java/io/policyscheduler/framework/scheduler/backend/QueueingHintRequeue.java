package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.scheduler.backend.PodBackoff.RequeueStrategy;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.PodChanges;
import io.policyscheduler.framework.scheduler.backend.SubQueues.EventPools;
import io.policyscheduler.framework.scheduler.backend.SubQueues.PodHeap;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Requeues the pods of profiles, which wait for events that the plugins which rejected them are registered for. Mirrors
 * {@code PriorityQueue} of {@code pkg/scheduler/backend/queue/scheduling_queue.go} of 1.34.
 */
final class QueueingHintRequeue {
    private static final String POP_FROM_BACKOFF = "PopFromBackoffQ";
    private static final EventKind FREED = new EventKind(EventResource.ASSIGNED_POD, EventAction.DELETE);

    /** Changes that are not events of current releases, but can affect pods. */
    private static final Set<ClusterEvent> NOT_IN_KUBERNETES = Set.of(
            ClusterEvent.NODE_WAIT_OVER,
            ClusterEvent.TABLE_CHANGE,
            ClusterEvent.BUDGET_CHANGE,
            ClusterEvent.NAMESPACE_CHANGE,
            ClusterEvent.POD_TERMINATION,
            ClusterEvent.RESOURCE_SLICE_DELETE,
            ClusterEvent.STORAGE_LIMIT_CHANGE);

    private final Clock clock;
    private final SubQueues parts;
    private final EventPools pools;
    private final RequeueStrategy waits;
    private final PodBackoff backoff;
    private final Duration longest;
    private final InFlightEvents inFlight = new InFlightEvents();

    /** @param longest how long a pod waits for an event before it is requeued without one */
    QueueingHintRequeue(Clock clock, SubQueues parts, RequeueStrategy waits, PodBackoff backoff, Duration longest) {
        this.clock = clock;
        this.parts = parts;
        this.pools = parts.pools();
        this.waits = waits;
        this.backoff = backoff;
        this.longest = longest;
    }

    /** The first pod in backoff, if no pod is active; errors always back off to the end. */
    @Nullable
    QueuedPod popFromBackoff() {
        QueuedPod head = pools.backoff().poll();
        if (head != null) {
            parts.entered(Part.ACTIVE, POP_FROM_BACKOFF);
        }
        return head;
    }

    /** An attempt for a pod begins. */
    void begin(String key) {
        inFlight.begin(key);
    }

    /** The attempt of a pod ends without a requeue. */
    void done(String key) {
        inFlight.end(key);
    }

    /** The keys of the pods in an attempt, for which events are stored. */
    Set<String> inFlightPods() {
        return inFlight.pods();
    }

    /** Requeues a failed pod: rejected by the plugins in the entry, or failed with an error if there are none. */
    Part fail(QueuedPod entry, long sequence) {
        String key = entry.key();
        List<Optional<ObjectEvent>> meanwhile = inFlight.end(key);
        QueuedPod failed = entry.failedAt(clock.instant(), sequence).counted();
        Help help = failed.rejectedBy().isEmpty() ? Help.AFTER_BACKOFF : Help.NONE;
        for (Optional<ObjectEvent> event : meanwhile) {
            help = help.or(event.isEmpty() ? Help.AFTER_BACKOFF : meanwhile(failed, event.get()));
        }
        if (help != Help.NONE) {
            return goOn(failed, ClusterEvent.SCHEDULE_ATTEMPT_FAILURE.label(), help);
        }
        pools.wait(failed);
        parts.entered(Part.UNSCHEDULABLE, ClusterEvent.SCHEDULE_ATTEMPT_FAILURE.label());
        return Part.UNSCHEDULABLE;
    }

    /** Whether the event is about resources that the pod itself releases, which help only others. */
    private static boolean isOwnNomination(QueuedPod entry, ObjectEvent event) {
        return event.kind().equals(FREED) && event.old() instanceof PodInfo freed && freed.isSame(entry.pod());
    }

    /** The effect of an event on a pod. A pod that a plugin rejected as {@code PENDING} needs no backoff. */
    private enum Help {
        NONE,
        AFTER_BACKOFF,
        AT_ONCE;

        Help or(Help other) {
            return compareTo(other) >= 0 ? this : other;
        }
    }

    private Help meanwhile(QueuedPod failed, ObjectEvent event) {
        return isOwnNomination(failed, event) ? Help.NONE : help(failed, event);
    }

    private Help help(QueuedPod entry, ObjectEvent event) {
        boolean isAwaited =
                !entry.pendingOn().isEmpty() && parts.policy().mayHelp(entry.withRejectedBy(entry.pendingOn()), event);
        if (isAwaited) {
            return Help.AT_ONCE;
        }
        return entry.rejectedBy().isEmpty() || parts.policy().mayHelp(entry, event) ? Help.AFTER_BACKOFF : Help.NONE;
    }

    private Part goOn(QueuedPod entry, String event) {
        return goOn(entry, event, Help.AFTER_BACKOFF);
    }

    /** Moves a pod to the active or backoff queue, unless a plugin gates it. */
    private Part goOn(QueuedPod entry, String event, Help help) {
        QueuedPod retried = entry.gatedBy(parts.policy().gatingPlugin(entry.pod(), entry.gatedBy()));
        if (!retried.gatedBy().isEmpty()) {
            pools.wait(retried);
            return Part.GATED;
        }
        Instant now = clock.instant();
        Instant slow = waits.endOfSlow(entry.key());
        boolean isSlow = slow != null && slow.isAfter(now);
        if (!isSlow && (help == Help.AT_ONCE || !backoff.isBackingOff(retried, now))) {
            parts.active().put(retried);
            parts.entered(Part.ACTIVE, event);
            return Part.ACTIVE;
        }
        Instant expiry = backoff.expiry(retried);
        if (isSlow || retried.rejectedBy().isEmpty()) {
            Instant end = slow != null && slow.isAfter(expiry) ? slow : expiry;
            pools.errorBackoff().put(retried.backingOffUntil(end));
        } else {
            pools.backoff().put(retried.backingOffUntil(expiry));
        }
        parts.entered(Part.BACKOFF, event);
        return Part.BACKOFF;
    }

    /** An event has occurred in the cluster. */
    void happened(ObjectEvent event) {
        happened(event, pod -> true);
    }

    /**
     * The same for some pods only.
     *
     * @param concerns the waiting pods that it may help
     */
    void happened(ObjectEvent event, Predicate<PodInfo> concerns) {
        if (!parts.policy().isOfInterest(event.kind())) {
            return;
        }
        for (QueuedPod entry : pools.those(entry -> mayUngate(entry, event.kind()) && concerns.test(entry.pod()))) {
            helpBy(event, entry);
        }
        inFlight.add(event);
    }

    private boolean helpBy(ObjectEvent event, QueuedPod entry) {
        Help help = help(entry, event);
        if (help != Help.NONE) {
            pools.remove(entry.key());
            goOn(entry, event.kind().label(), help);
        }
        return help != Help.NONE;
    }

    /** Gated pods ignore events that other plugins are registered for. */
    private boolean mayUngate(QueuedPod entry, EventKind kind) {
        return entry.gatedBy().isEmpty() || parts.policy().mayUngate(entry, kind);
    }

    /** Handles a change that current releases do not distinguish as an event, or do not have. */
    void changed(ClusterEvent event, @Nullable ClusterObject changed) {
        if (event == ClusterEvent.PROFILE_CHANGE) {
            pools.those(entry -> true).forEach(entry -> move(entry, event.label()));
            inFlight.addWildcard();
            return;
        }
        if (!NOT_IN_KUBERNETES.contains(event) && !parts.policy().registersChanges()) {
            return;
        }
        List<QueuedPod> helped = pools.those(entry -> parts.policy().mayHelpByOtherChange(entry, event, changed));
        helped.forEach(entry -> move(entry, event.label()));
        if (NOT_IN_KUBERNETES.contains(event) || !helped.isEmpty()) {
            inFlight.addWildcard();
        }
    }

    /** Resources were released, without further details. */
    void resourcesFreed() {
        pools.those(entry -> entry.gatedBy().isEmpty()).forEach(entry -> move(entry, FREED.label()));
        inFlight.addWildcard();
    }

    private void move(QueuedPod entry, String event) {
        pools.remove(entry.key());
        goOn(entry, event);
    }

    /** Activates a pod; if it is in an attempt, it is requeued immediately after. */
    void activate(String key) {
        if (inFlight.contains(key)) {
            inFlight.addWildcard();
            return;
        }
        QueuedPod entry = pools.remove(key);
        if (entry != null) {
            parts.enter(entry, ClusterEvent.FORCE_ACTIVATE);
        }
    }

    /** Activates the pods whose backoff has ended. */
    void flushBackoff() {
        Instant now = clock.instant();
        for (PodHeap pool : List.of(pools.backoff(), pools.errorBackoff())) {
            for (QueuedPod head = pool.peek(); head != null && isOver(head, now); head = pool.peek()) {
                pool.poll();
                parts.active().put(head);
                parts.entered(Part.ACTIVE, ClusterEvent.BACKOFF_COMPLETE.label());
            }
        }
    }

    private boolean isOver(QueuedPod entry, Instant now) {
        Instant slow = waits.endOfSlow(entry.key());
        return !backoff.isBackingOff(entry, now) && (slow == null || !slow.isAfter(now));
    }

    /** Moves the pods that have waited for events for too long; gated ones stay. */
    void flushUnschedulable() {
        Instant now = clock.instant();
        boolean moved = false;
        for (QueuedPod entry : new ArrayList<>(pools.entries(Part.UNSCHEDULABLE))) {
            if (entry.timestamp().plus(longest).isBefore(now)) {
                move(entry, ClusterEvent.UNSCHEDULABLE_TIMEOUT.label());
                moved = true;
            }
        }
        if (moved) {
            inFlight.addWildcard();
        }
    }

    /** Updates a pod that is in an attempt. */
    void updatedInFlight(PodInfo old, PodInfo newer) {
        PodChanges.of(EventResource.UNSCHEDULED_POD, old, newer).stream()
                .filter(event -> parts.policy().isOfInterest(event.kind()))
                .forEach(inFlight::add);
    }

    /** Updates a pod in the backoff or unschedulable queue; false if it is in neither. */
    boolean updated(PodInfo old, PodInfo newer) {
        String key = newer.key();
        PodHeap pool = pools.backingOff(key);
        if (pool != null) {
            QueuedPod entry = pool.remove(key);
            if (entry != null) {
                pool.put(entry.withPod(newer));
            }
            return true;
        }
        QueuedPod waiting = pools.waiting(key);
        if (waiting == null) {
            return false;
        }
        QueuedPod entry = waiting.withPod(newer);
        pools.wait(entry);
        for (ObjectEvent event : PodChanges.of(EventResource.UNSCHEDULED_POD, old, newer)) {
            if (helpBy(event, entry)) {
                break;
            }
        }
        return true;
    }

    void remove(String key) {
        inFlight.end(key);
        pools.remove(key);
    }

    /**
     * The events during attempts: a failed pod must not miss events that occurred during its attempt. Events are stored only while
     * there are attempts. Mirrors {@code inFlightPods} and {@code inFlightEvents} of {@code active_queue.go} of 1.34.
     */
    static final class InFlightEvents {
        /** By pod, the number of the first event after it was popped. */
        private final Map<String, Long> since = new LinkedHashMap<>();
        /** Empty for an event that may help every pod. */
        private final List<Optional<ObjectEvent>> log = new ArrayList<>();
        /** The number of the first event in the log. */
        private long first;

        /** A pod is popped. */
        void begin(String key) {
            since.remove(key);
            since.put(key, first + log.size());
        }

        boolean contains(String key) {
            return since.containsKey(key);
        }

        Set<String> pods() {
            return Set.copyOf(since.keySet());
        }

        void add(ObjectEvent event) {
            if (!since.isEmpty()) {
                log.add(Optional.of(event));
            }
        }

        /** Adds an event that may help every pod. */
        void addWildcard() {
            if (!since.isEmpty()) {
                log.add(Optional.empty());
            }
        }

        /** The attempt has ended. Returns the events since it began, in order; empty for a pod without an attempt. */
        List<Optional<ObjectEvent>> end(String key) {
            Long begun = since.remove(key);
            List<Optional<ObjectEvent>> happened =
                    begun == null ? List.of() : List.copyOf(log.subList((int) (begun - first), log.size()));
            // In pop order, so that the oldest is the first.
            long needed = since.isEmpty()
                    ? first + log.size()
                    : since.values().iterator().next();
            log.subList(0, (int) (needed - first)).clear();
            first = needed;
            return happened;
        }

        int size() {
            return log.size();
        }
    }
}
