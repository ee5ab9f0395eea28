package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.scheduler.backend.PodBackoff.RequeueStrategy;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.SpecChange;
import io.policyscheduler.framework.scheduler.backend.SubQueues.PodHeap;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Requeues the pods of policies and providers, which wait for any change that moves pods. Mirrors {@code PriorityQueue} of
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

    /** Requeues a failed pod; see {@link SchedulingQueue#addUnschedulableIfNotPresent}. */
    Part fail(QueuedPod entry, long podCycle, long sequence) {
        String key = entry.key();
        Instant now = clock.instant();
        QueuedPod failed = entry.failedAt(now, sequence);
        waits.failed(key, now);
        keepNomination(entry.pod());
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

    /** Requeues a pod whose spec changed since it was popped. */
    void readmitChanged(QueuedPod entry) {
        waits.endBackoff(entry.key());
        if (readmit(entry)) {
            keepNomination(entry.pod());
        }
    }

    /** The pod may have been read before its last nomination was written. */
    private void keepNomination(PodInfo pod) {
        String node = nominated.nodeOf(pod);
        nominated.nominate(pod, node == null ? "" : node);
    }

    /** Adds a pod to the active queue, or to the backoff queue during the backoff of a slow pod; false if it is gated. */
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

    /** Updates a pod in the backoff or unschedulable queue; false if it is in neither. */
    boolean updated(PodInfo old, PodInfo newer) {
        String key = newer.key();
        QueuedPod entry = parts.backingOff().remove(key);
        if (entry != null) {
            nominated.renominate(old, newer);
            if (SpecChange.isBetween(old, newer)) {
                readmit(entry.withPod(newer));
            } else {
                // v1.17 ends the backoff here, so its own status update of the last attempt starts the next one.
                parts.backingOff().put(entry.withPod(newer));
            }
            return true;
        }
        entry = parts.gated().remove(key);
        if (entry != null) {
            if (parts.enter(entry.withPod(newer))) {
                nominated.nominate(newer, newer.nominatedNodeName());
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

    /**
     * Moves pods out of the unschedulable and backoff queues, after changes of the cluster or timeouts. Mirrors the {@code move...}
     * functions of {@code PriorityQueue}.
     */
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

        /** Moves all unschedulable pods that a change may help. */
        void helpAll(ClusterEvent event, @Nullable ClusterObject changed) {
            List<QueuedPod> helped =
                    parts.unschedulable().those(entry -> parts.policy().mayHelp(entry, event, changed));
            if (ClusterEvent.ONLY_WHERE_ASKED_FOR.contains(event)
                    && !parts.policy().isRegistered(event)) {
                return;
            }
            move(helped, event);
            parts.admitGated(event);
        }

        /**
         * A nomination has ended.
         *
         * @param concerns the pods that it affected
         */
        void nominationEnded(PodInfo nominee, Predicate<PodInfo> concerns) {
            List<QueuedPod> helped = parts.unschedulable()
                    .those(entry -> concerns.test(entry.pod())
                            && parts.policy().mayHelp(entry, ClusterEvent.ASSIGNED_POD_DELETE, nominee));
            move(helped, ClusterEvent.ASSIGNED_POD_DELETE);
        }

        /** A pod was assigned, or changed on its node: moves the pods whose required pod affinity it matches. */
        void helpByPod(ClusterEvent event, PodInfo assigned) {
            List<QueuedPod> helped = parts.unschedulable().waitingFor(assigned);
            helped.removeIf(entry -> !parts.policy().mayHelp(entry, event, assigned));
            move(helped, event);
            parts.admitGated(event);
        }

        /** Activates the pods whose backoff has ended. */
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

        /** Moves one pod, which may also be in an attempt. */
        void retry(String key) {
            QueuedPod entry = parts.unschedulable().get(key);
            move(entry == null ? List.of() : List.of(entry), ClusterEvent.FORCE_ACTIVATE);
        }

        private void move(List<QueuedPod> entries, ClusterEvent event) {
            // Most events move nothing, and need no clock.
            Instant now = entries.isEmpty() ? Instant.MIN : clock.instant();
            for (QueuedPod entry : entries) {
                if (parts.unschedulable().remove(entry.key()) == null) {
                    // Already moved: gating an earlier entry ended its nomination, which moved this one.
                    continue;
                }
                Instant end = waits.end(entry.key());
                if (end != null && end.isAfter(now)) {
                    parts.putBackingOff(entry.backingOffUntil(end), event);
                } else {
                    parts.enter(entry, event);
                }
            }
            // Even without pods to move: the pod in the current attempt must not miss this change.
            moveRequestCycle = schedulingCycle;
        }

        /** Increments the scheduling cycle: a pod is popped, or its nomination ends. */
        void nextCycle() {
            schedulingCycle++;
        }

        long schedulingCycle() {
            return schedulingCycle;
        }

        /** The scheduling cycle of the last move request, -1 at first. */
        long moveRequestCycle() {
            return moveRequestCycle;
        }
    }
}
