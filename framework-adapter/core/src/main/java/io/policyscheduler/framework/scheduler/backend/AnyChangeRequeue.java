package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.scheduler.backend.PodBackoff.RequeueStrategy;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.SpecChange;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How the pods of policies and providers wait: for any change that moves pods. Mirrors {@code PriorityQueue} of
 * {@code pkg/scheduler/internal/queue/scheduling_queue.go} of 1.17.
 */
final class AnyChangeRequeue {
    private final Clock clock;
    private final Nominator nominated;
    private final RequeueStrategy waits;
    private final SubQueues parts;
    private final QueueMoves moves;

    AnyChangeRequeue(Clock clock, Nominator nominated, RequeueStrategy waits, SubQueues parts, QueueMoves moves) {
        this.clock = clock;
        this.nominated = nominated;
        this.waits = waits;
        this.parts = parts;
        this.moves = moves;
    }

    /** Takes a failed pod back; see {@link SchedulingQueue#addUnschedulableIfNotPresent}. */
    Part fail(QueuedPod entry, long podCycle, long sequence) {
        String key = entry.key();
        Instant now = clock.instant();
        QueuedPod failed = entry.failedAt(now, sequence);
        waits.failed(key, now);
        // The pod may have been read before its nomination was written; what is known here then still holds.
        String promised = nominated.nodeOf(entry.pod());
        nominated.nominate(entry.pod(), entry.pod().nominatedNodeName().isEmpty() && promised != null ? promised : "");
        if (!parts.policy().mayEnter(failed.pod())) {
            parts.putGated(failed);
            return Part.GATED;
        }
        if (moves.moveRequestCycle() >= podCycle) {
            Instant end = waits.end(key);
            parts.putBackingOff(failed.backingOffUntil(end == null ? now : end), ClusterEvent.SCHEDULE_ATTEMPT_FAILURE);
            return Part.BACKOFF;
        }
        parts.putUnschedulable(failed, ClusterEvent.SCHEDULE_ATTEMPT_FAILURE);
        return Part.UNSCHEDULABLE;
    }

    /** Takes back a pod whose spec changed since it was popped. */
    void readmitChanged(QueuedPod entry) {
        waits.endBackoff(entry.key());
        if (readmit(entry)) {
            nominated.nominate(entry.pod(), "");
        }
    }

    /** Into the active queue, or where it waits for the end of a slow pod's wait; false when held back. */
    private boolean readmit(QueuedPod entry) {
        Instant extra = waits.endOfSlow(entry.key());
        if (extra == null || !extra.isAfter(clock.instant())) {
            return parts.enter(entry);
        }
        if (!parts.policy().mayEnter(entry.pod())) {
            parts.putGated(entry);
            return false;
        }
        parts.backingOff().put(entry.backingOffUntil(extra));
        return true;
    }

    /** A pod that backs off or waits has changed; false when it does neither. */
    boolean updated(PodInfo old, PodInfo newer) {
        String key = newer.key();
        QueuedPod entry = parts.backingOff().remove(key);
        if (entry != null) {
            nominated.renominate(old, newer);
            if (SpecChange.isBetween(old, newer)) {
                readmit(entry.withPod(newer));
            } else {
                // v1.17 ends the backoff here, so that its own message about the last attempt starts the next one.
                parts.backingOff().put(entry.withPod(newer));
            }
            return true;
        }
        entry = parts.gated().remove(key);
        if (entry != null) {
            if (parts.enter(entry.withPod(newer))) {
                nominated.nominate(newer, "");
            }
            return true;
        }
        entry = parts.unschedulable().get(key);
        if (entry == null) {
            return false;
        }
        nominated.renominate(old, newer);
        if (SpecChange.isBetween(old, newer)) {
            waits.endBackoff(key);
            parts.unschedulable().remove(key);
            readmit(entry.withPod(newer));
        } else {
            parts.unschedulable().replace(entry.withPod(newer));
        }
        return true;
    }

    /** What gets pods out of waiting: changes of the cluster, and time. Mirrors the {@code move...} functions of {@code PriorityQueue}. */
    static final class QueueMoves {
        private final Clock clock;
        private final SubQueues parts;
        private final RequeueStrategy waits;
        private final Duration unschedulableTimeout;
        private long schedulingCycle;
        private long moveRequestCycle = -1;

        QueueMoves(Clock clock, SubQueues parts, RequeueStrategy waits, Duration unschedulableTimeout) {
            this.clock = clock;
            this.parts = parts;
            this.waits = waits;
            this.unschedulableTimeout = unschedulableTimeout;
        }

        /** Something changed that may help any unschedulable pod. */
        void helpAll(ClusterEvent event, @Nullable ClusterObject changed) {
            List<QueuedPod> helped =
                    parts.unschedulable().those(entry -> parts.policy().mayHelp(entry, event, changed));
            if (ClusterEvent.ONLY_WHERE_ASKED_FOR.contains(event)
                    && !parts.policy().isAskedFor(event)) {
                return;
            }
            move(helped, event);
            parts.admitGated(event);
        }

        /**
         * A nomination has ended.
         *
         * @param concerns the pods that had to respect it
         */
        void nominationEnded(PodInfo nominee, Predicate<PodInfo> concerns) {
            List<QueuedPod> helped = parts.unschedulable()
                    .those(entry -> concerns.test(entry.pod())
                            && parts.policy().mayHelp(entry, ClusterEvent.ASSIGNED_POD_DELETE, nominee));
            move(helped, ClusterEvent.ASSIGNED_POD_DELETE);
        }

        /** A pod got a node, or changed there: helps those whose required pod affinity means it. */
        void helpByPod(ClusterEvent event, PodInfo assigned) {
            List<QueuedPod> helped = parts.unschedulable().waitingFor(assigned);
            helped.removeIf(entry -> !parts.policy().mayHelp(entry, event, assigned));
            move(helped, event);
            parts.admitGated(event);
        }

        /** Activates the pods whose backoff is over. */
        void flushBackoff() {
            Instant now = clock.instant();
            PodHeap backingOff = parts.backingOff();
            for (QueuedPod head = backingOff.peek();
                    head != null && !head.backoffExpiry().isAfter(now);
                    head = backingOff.peek()) {
                backingOff.poll();
                parts.enter(head, ClusterEvent.BACKOFF_COMPLETE);
            }
        }

        /** Moves the pods that have been unschedulable for longer than the timeout. */
        void flushUnschedulable() {
            Instant now = clock.instant();
            List<QueuedPod> leftovers = parts.unschedulable()
                    .those(entry -> entry.timestamp().plus(unschedulableTimeout).isBefore(now));
            if (!leftovers.isEmpty()) {
                move(leftovers, ClusterEvent.UNSCHEDULABLE_TIMEOUT);
            }
        }

        /** Moves one pod, which may also be on its way back to the queue. */
        void retry(String key) {
            QueuedPod entry = parts.unschedulable().get(key);
            move(entry == null ? List.of() : List.of(entry), ClusterEvent.FORCE_ACTIVATE);
        }

        private void move(List<QueuedPod> entries, ClusterEvent event) {
            // Most events move nothing, and need no clock.
            Instant now = entries.isEmpty() ? Instant.MIN : clock.instant();
            for (QueuedPod entry : entries) {
                if (parts.unschedulable().remove(entry.key()) == null) {
                    // Moved already: an entry before this one was held back and lost its nomination.
                    continue;
                }
                Instant end = waits.end(entry.key());
                if (end != null && end.isAfter(now)) {
                    parts.putBackingOff(entry.backingOffUntil(end), event);
                } else {
                    parts.enter(entry, event);
                }
            }
            // Even without pods to move: a pod being tried right now must not wait for the change that just happened.
            moveRequestCycle = schedulingCycle;
        }

        /** A pod is popped, or loses its place. */
        void nextCycle() {
            schedulingCycle++;
        }

        long schedulingCycle() {
            return schedulingCycle;
        }

        /** The scheduling cycle in which pods were last moved, -1 at first. */
        long moveRequestCycle() {
            return moveRequestCycle;
        }
    }
}
