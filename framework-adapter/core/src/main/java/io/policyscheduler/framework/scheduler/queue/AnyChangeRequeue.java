package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.scheduler.queue.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.queue.QueuedPod.SpecChange;
import java.time.Clock;
import java.time.Instant;

/**
 * How the pods of policies and providers wait: for any change that moves pods. Mirrors {@code PriorityQueue} of
 * {@code pkg/scheduler/internal/queue/scheduling_queue.go} of 1.17.
 */
final class AnyChangeRequeue {
    private final Clock clock;
    private final Nominator nominated;
    private final RequeueStrategy waits;
    private final QueueParts parts;
    private final QueueMoves moves;

    AnyChangeRequeue(Clock clock, Nominator nominated, RequeueStrategy waits, QueueParts parts, QueueMoves moves) {
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
}
