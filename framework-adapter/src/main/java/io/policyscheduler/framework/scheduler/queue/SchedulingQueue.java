package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pods waiting to be scheduled: those to be tried next (active), those sitting out a backoff, and those that no known
 * change has helped yet (unschedulable). Owned by the scheduling thread, no locks. Mirrors {@code PriorityQueue} of
 * {@code pkg/scheduler/internal/queue/scheduling_queue.go}.
 */
public final class SchedulingQueue {
    private static final Logger log = LoggerFactory.getLogger(SchedulingQueue.class);

    private final Clock clock;
    private final NominatedPodMap nominated = new NominatedPodMap();
    private final PodWaits waits;
    private final QueueParts parts;
    private final QueueMoves moves;
    private long sequence;

    /**
     * An empty queue.
     *
     * @param unschedulableTimeout how long an unschedulable pod waits before it is tried again anyway
     */
    public SchedulingQueue(Clock clock, PodBackoff backoff, Duration unschedulableTimeout, QueueListener listener) {
        this(clock, backoff, unschedulableTimeout, listener, QueuePolicy.BY_PRIORITY);
    }

    /** The same with an order, gates and hints. */
    public SchedulingQueue(
            Clock clock,
            PodBackoff backoff,
            Duration unschedulableTimeout,
            QueueListener listener,
            QueuePolicy policy) {
        this.clock = clock;
        this.waits = new PodWaits(backoff);
        this.parts = new QueueParts(policy, listener, nominated);
        this.moves = new QueueMoves(clock, parts, waits, unschedulableTimeout);
    }

    /** Other profiles are in force: the order is made anew, and everything waiting gets another chance. */
    public void policyChanged(QueuePolicy newPolicy) {
        parts.follow(newPolicy);
        moveAll(ClusterEvent.PROFILE_CHANGE);
    }

    /** A new unassigned pod. */
    public void add(PodInfo pod) {
        if (parts.unschedulable().remove(pod.key()) != null) {
            log.atError().addKeyValue("pod", pod.key()).log("the pod is already in the unschedulable queue");
        }
        if (parts.backingOff().remove(pod.key()) != null) {
            log.atError().addKeyValue("pod", pod.key()).log("the pod is already in the backoff queue");
        }
        if (parts.gated().remove(pod.key()) != null) {
            log.atError().addKeyValue("pod", pod.key()).log("the pod is already among the gated");
        }
        if (parts.enter(QueuedPod.arriving(pod, clock.instant(), sequence++), ClusterEvent.POD_ADD)) {
            nominated.nominate(pod, "");
        }
    }

    /**
     * Takes the next pod, which is then in no part of the queue; null when there is none. Starts a scheduling cycle.
     */
    public @Nullable QueuedPod pop() {
        QueuedPod head = parts.active().poll();
        if (head == null) {
            return null;
        }
        moves.nextCycle();
        return head.popped();
    }

    /**
     * Takes back a pod that failed: into the backoff queue when something moved since {@code podCycle}, because the
     * failure may be out of date, else among the unschedulable.
     *
     * @param podCycle {@link #schedulingCycle()} when the failure was reported
     * @return where it went; null when the queue already has a pod of this name, which then stays
     */
    public @Nullable QueuePart addUnschedulableIfNotPresent(QueuedPod entry, long podCycle) {
        String key = entry.key();
        QueuePart present = parts.of(key);
        if (present != null) {
            log.atError().addKeyValue("pod", key).log("the pod is already present in the {} queue", present.label());
            return null;
        }
        Instant now = clock.instant();
        QueuedPod failed = entry.failedAt(now, sequence++);
        waits.failed(key, now);
        // The pod may have been read before its nomination was written; what is known here then still holds.
        String promised = nominated.nodeOf(entry.pod());
        nominated.nominate(entry.pod(), entry.pod().nominatedNodeName().isEmpty() && promised != null ? promised : "");
        if (!parts.policy().mayEnter(failed.pod())) {
            parts.putGated(failed);
            return QueuePart.GATED;
        }
        if (moves.moveRequestCycle() >= podCycle) {
            Instant end = waits.end(key);
            parts.putBackingOff(failed.backingOffUntil(end == null ? now : end), ClusterEvent.SCHEDULE_ATTEMPT_FAILURE);
            return QueuePart.BACKOFF;
        }
        parts.putUnschedulable(failed, ClusterEvent.SCHEDULE_ATTEMPT_FAILURE);
        return QueuePart.UNSCHEDULABLE;
    }

    /**
     * Deciding the pod just popped took far more work than deciding others does: when it comes back, it waits for longer each
     * time, up to five minutes, so that others go first. Changing the pod does not end the wait, or whoever made it would.
     *
     * @return how long it will wait at least
     */
    public Duration noteSlow(PodInfo pod) {
        return waits.wasSlow(pod.key(), clock.instant());
    }

    /** Into the active queue, or where it waits for the end of what {@link #noteSlow} started; false when held back. */
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

    /** Takes back a pod whose spec changed since it was popped: tried again at once, with its history. */
    public void readmitChanged(QueuedPod entry) {
        waits.endBackoff(entry.key());
        if (readmit(entry)) {
            nominated.nominate(entry.pod(), "");
        }
    }

    /** An unassigned pod changed. One that is in no part of the queue comes in as new. */
    public void update(PodInfo old, PodInfo newer) {
        String key = newer.key();
        QueuedPod entry = parts.active().get(key);
        if (entry != null) {
            nominated.renominate(old, newer);
            parts.active().remove(key);
            parts.enter(entry.withPod(newer));
            return;
        }
        entry = parts.backingOff().remove(key);
        if (entry != null) {
            nominated.renominate(old, newer);
            if (SpecChange.isBetween(old, newer)) {
                readmit(entry.withPod(newer));
            } else {
                // v1.17 ends the backoff here, so that its own message about the last attempt starts the next one.
                parts.backingOff().put(entry.withPod(newer));
            }
            return;
        }
        entry = parts.gated().remove(key);
        if (entry != null) {
            if (parts.enter(entry.withPod(newer))) {
                nominated.nominate(newer, "");
            }
            return;
        }
        entry = parts.unschedulable().get(key);
        if (entry == null) {
            if (parts.enter(QueuedPod.arriving(newer, clock.instant(), sequence++))) {
                nominated.nominate(newer, "");
            }
            return;
        }
        nominated.renominate(old, newer);
        if (SpecChange.isBetween(old, newer)) {
            waits.endBackoff(key);
            parts.unschedulable().remove(key);
            readmit(entry.withPod(newer));
        } else {
            parts.unschedulable().put(entry.withPod(newer));
        }
    }

    /**
     * A pod is gone or no longer waits for a node. The backoff record of a pod in the active queue survives, as in
     * v1.17.
     */
    public void delete(PodInfo pod) {
        nominated.drop(pod);
        waits.endSlow(pod.key());
        parts.gated().remove(pod.key());
        if (parts.active().remove(pod.key()) == null) {
            waits.endBackoff(pod.key());
            parts.backingOff().remove(pod.key());
            parts.unschedulable().remove(pod.key());
        }
    }

    /** Something changed that may help any unschedulable pod. */
    public void moveAll(ClusterEvent event) {
        moveAll(event, null);
    }

    /**
     * The same, for a change of one object.
     *
     * @param changed the object as it is now; null when it is gone
     */
    public void moveAll(ClusterEvent event, @Nullable ClusterObject changed) {
        moves.helpAll(event, changed);
    }

    /**
     * Room that was held for a pod is free again. Helps others, but not the pod itself: when it comes back, nothing has moved since
     * it failed.
     */
    public void roomFreed(PodInfo pod) {
        moveAll(ClusterEvent.ASSIGNED_POD_DELETE, pod);
        moves.nextCycle();
    }

    /** A pod got a node: helps those whose required pod affinity means it. */
    public void assignedPodAdded(PodInfo pod) {
        moves.helpByPod(ClusterEvent.ASSIGNED_POD_ADD, pod);
    }

    /** An assigned pod changed: helps those whose required pod affinity means it. */
    public void assignedPodUpdated(PodInfo pod) {
        moves.helpByPod(ClusterEvent.ASSIGNED_POD_UPDATE, pod);
    }

    /** Activates the pods whose backoff is over. */
    public void flushBackoff() {
        moves.flushBackoff();
    }

    /** Moves the pods that have been unschedulable for longer than the timeout. */
    public void flushUnschedulable() {
        moves.flushUnschedulable();
    }

    /** What was begun so that this pod gets a node has failed: nothing else may ever happen that would have it tried again. */
    public void retry(PodInfo pod) {
        moves.retry(pod.key());
    }

    /** Where a pod of this {@code namespace/name} waits; null when nowhere. */
    public @Nullable QueuePart partOf(String key) {
        return parts.of(key);
    }

    /** Number of the pod being tried: how many have been popped, or have lost their place since. */
    public long schedulingCycle() {
        return moves.schedulingCycle();
    }

    /** The scheduling cycle in which pods were last moved, -1 at first. */
    public long moveRequestCycle() {
        return moves.moveRequestCycle();
    }

    /** Promised places. */
    public NominatedPodMap nominated() {
        return nominated;
    }

    /** Pods in one part. */
    public int size(QueuePart part) {
        return parts.size(part);
    }

    /** A copy of one part: in order of service, the unschedulable by time of failure. */
    public List<QueuedPod> entries(QueuePart part) {
        return List.copyOf(parts.entries(part));
    }

    /** All pods: active, backing off, unschedulable, gated. */
    public List<PodInfo> pendingPods() {
        return parts.pods();
    }
}
