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
 * How the pods of profiles wait: for events that the plugins which rejected them ask for. Mirrors {@code PriorityQueue} of
 * {@code pkg/scheduler/backend/queue/scheduling_queue.go} of 1.34.
 */
final class QueueingHintRequeue {
    private static final String POP_FROM_BACKOFF = "PopFromBackoffQ";
    private static final EventKind FREED = new EventKind(EventResource.ASSIGNED_POD, EventAction.DELETE);

    /** What is no event of current releases and concerns pods all the same. */
    private static final Set<ClusterEvent> OUR_OWN = Set.of(
            ClusterEvent.NODE_WAIT_OVER,
            ClusterEvent.TABLE_CHANGE,
            ClusterEvent.BUDGET_CHANGE,
            ClusterEvent.NAMESPACE_CHANGE);

    private final Clock clock;
    private final SubQueues parts;
    private final EventPools pools;
    private final RequeueStrategy waits;
    private final PodBackoff backoff;
    private final Duration longest;
    private final InFlightEvents inFlight = new InFlightEvents();

    /** @param longest how long a pod waits for an event before it is tried again anyway */
    QueueingHintRequeue(Clock clock, SubQueues parts, RequeueStrategy waits, PodBackoff backoff, Duration longest) {
        this.clock = clock;
        this.parts = parts;
        this.pools = parts.pools();
        this.waits = waits;
        this.backoff = backoff;
        this.longest = longest;
    }

    /** The first of those that back off, if nobody else is to be tried; an error is waited out. */
    @Nullable
    QueuedPod popEarly() {
        QueuedPod head = pools.backoff().poll();
        if (head != null) {
            parts.entered(Part.ACTIVE, POP_FROM_BACKOFF);
        }
        return head;
    }

    /** A pod is being tried from now on. */
    void begin(String key) {
        inFlight.begin(key);
    }

    /** A pod is no longer being tried, and does not come back to wait for what has happened meanwhile. */
    void done(String key) {
        inFlight.end(key);
    }

    /** The keys of the pods that are being tried, for which events are kept. */
    Set<String> inFlightPods() {
        return inFlight.pods();
    }

    /** Takes a pod back that failed: by the plugins that it says have rejected it, or by an error if it names none. */
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

    /** The room that the pod itself gives back helps others only. */
    private static boolean isOwnRoom(QueuedPod entry, ObjectEvent event) {
        return event.kind().equals(FREED) && event.old() instanceof PodInfo freed && freed.isSame(entry.pod());
    }

    /** What an event does for a pod: a plugin that waits for something outside of the cluster has no need of a backoff. */
    private enum Help {
        NONE,
        AFTER_BACKOFF,
        AT_ONCE;

        Help or(Help other) {
            return compareTo(other) >= 0 ? this : other;
        }
    }

    private Help meanwhile(QueuedPod failed, ObjectEvent event) {
        return isOwnRoom(failed, event) ? Help.NONE : help(failed, event);
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

    /** To be tried again, unless a plugin holds it back. */
    private Part goOn(QueuedPod entry, String event, Help help) {
        QueuedPod asked = entry.gatedBy(parts.policy().heldBackBy(entry.pod(), entry.gatedBy()));
        if (!asked.gatedBy().isEmpty()) {
            pools.wait(asked);
            return Part.GATED;
        }
        Instant now = clock.instant();
        Instant slow = waits.endOfSlow(entry.key());
        boolean isSlow = slow != null && slow.isAfter(now);
        if (!isSlow && (help == Help.AT_ONCE || !backoff.isBackingOff(asked, now))) {
            parts.active().put(asked);
            parts.entered(Part.ACTIVE, event);
            return Part.ACTIVE;
        }
        Instant expiry = backoff.expiry(asked);
        if (isSlow || asked.rejectedBy().isEmpty()) {
            Instant end = slow != null && slow.isAfter(expiry) ? slow : expiry;
            pools.errorBackoff().put(asked.backingOffUntil(end));
        } else {
            pools.backoff().put(asked.backingOffUntil(expiry));
        }
        parts.entered(Part.BACKOFF, event);
        return Part.BACKOFF;
    }

    /** Something has happened in the cluster. */
    void happened(ObjectEvent event) {
        happened(event, pod -> true);
    }

    /**
     * The same, where it concerns some pods only.
     *
     * @param concerns the waiting pods that it may help
     */
    void happened(ObjectEvent event, Predicate<PodInfo> concerns) {
        if (!parts.policy().isOfInterest(event.kind())) {
            return;
        }
        for (QueuedPod entry : pools.those(entry -> mayOpen(entry, event.kind()) && concerns.test(entry.pod()))) {
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

    /** A pod that is held back is not looked at for events of other plugins. */
    private boolean mayOpen(QueuedPod entry, EventKind kind) {
        return entry.gatedBy().isEmpty() || parts.policy().mayOpen(entry, kind);
    }

    /** A change that current releases do not tell apart as an event, or do not know. */
    void changed(ClusterEvent event, @Nullable ClusterObject changed) {
        if (event == ClusterEvent.PROFILE_CHANGE) {
            pools.those(entry -> true).forEach(entry -> move(entry, event.label()));
            inFlight.addWildcard();
            return;
        }
        if (!OUR_OWN.contains(event) && !parts.policy().asksForChanges()) {
            return;
        }
        List<QueuedPod> helped = pools.those(entry -> parts.policy().mayHelpBesides(entry, event, changed));
        helped.forEach(entry -> move(entry, event.label()));
        if (OUR_OWN.contains(event) || !helped.isEmpty()) {
            inFlight.addWildcard();
        }
    }

    /** Room is there again, of which no more can be said. */
    void roomFreed() {
        pools.those(entry -> entry.gatedBy().isEmpty()).forEach(entry -> move(entry, FREED.label()));
        inFlight.addWildcard();
    }

    private void move(QueuedPod entry, String event) {
        pools.remove(entry.key());
        goOn(entry, event);
    }

    /** Something waited for has become of this pod; it is tried at once, or, if it is being tried, again. */
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

    /** Lets go those whose backoff is over. */
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

    /** Moves the pods that have waited for events for too long; gated ones go on waiting. */
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

    /** A pod that is being tried has changed. */
    void updatedInFlight(PodInfo old, PodInfo newer) {
        PodChanges.of(EventResource.UNSCHEDULED_POD, old, newer).stream()
                .filter(event -> parts.policy().isOfInterest(event.kind()))
                .forEach(inFlight::add);
    }

    /** A pod that backs off or waits has changed; false when it does neither. */
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
     * What has happened while pods were being tried: a pod that fails must not wait for what came meanwhile. Nothing is kept while no pod
     * is being tried. Mirrors {@code inFlightPods} and {@code inFlightEvents} of {@code active_queue.go} of 1.34.
     */
    static final class InFlightEvents {
        /** Pod to the number of the first event after it was taken. */
        private final Map<String, Long> since = new LinkedHashMap<>();
        /** Empty for what may help every pod. */
        private final List<Optional<ObjectEvent>> log = new ArrayList<>();
        /** Number of the first event in the log. */
        private long first;

        /** A pod is taken from the queue. */
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

        /** Something has happened that may help every pod. */
        void addWildcard() {
            if (!since.isEmpty()) {
                log.add(Optional.empty());
            }
        }

        /** The attempt has ended: what has happened since it began, in order; empty for a pod that was not taken. */
        List<Optional<ObjectEvent>> end(String key) {
            Long begun = since.remove(key);
            List<Optional<ObjectEvent>> happened =
                    begun == null ? List.of() : List.copyOf(log.subList((int) (begun - first), log.size()));
            // In the order in which they were taken, so that the eldest is the first.
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
