package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** Twice the longest backoff of v1.17, doubling. */
    private static final Duration SLOW_AT_FIRST = Duration.ofSeconds(20);

    private static final Duration SLOW_AT_MOST = Duration.ofMinutes(5);

    private final Clock clock;
    private final PodBackoff backoff;
    private final Duration unschedulableTimeout;
    private final QueueListener listener;
    private QueuePolicy policy;
    private PodHeap active;
    private final PodHeap backingOff = new PodHeap(QueuedPod.BACKOFF_ORDER);
    private final Map<String, QueuedPod> unschedulable = new LinkedHashMap<>();
    private final Map<String, QueuedPod> gated = new LinkedHashMap<>();
    /** Keys of unschedulable pods with required pod affinity: the only ones an assigned pod can help. */
    private final Set<String> waitingForPods = new LinkedHashSet<>();

    /** Besides their backoff, the waits of pods that take far more work than others, whatever becomes of them meanwhile. */
    private final PodBackoff slow = new PodBackoff(SLOW_AT_FIRST, SLOW_AT_MOST);

    private final NominatedPodMap nominated = new NominatedPodMap();
    private long schedulingCycle;
    private long moveRequestCycle = -1;
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
        this.policy = policy;
        this.active = new PodHeap(order(policy));
        this.clock = clock;
        this.backoff = backoff;
        this.unschedulableTimeout = unschedulableTimeout;
        this.listener = listener;
    }

    private static Comparator<QueuedPod> order(QueuePolicy policy) {
        return ((Comparator<QueuedPod>) policy::compare).thenComparingLong(QueuedPod::sequence);
    }

    /** Other profiles are in force: the order is made anew, and everything waiting gets another chance. */
    public void policyChanged(QueuePolicy newPolicy) {
        policy = newPolicy;
        PodHeap old = active;
        active = new PodHeap(order(newPolicy));
        old.entries().forEach(this::enter);
        moveAll(ClusterEvent.PROFILE_CHANGE);
    }

    /** A new unassigned pod. */
    public void add(PodInfo pod) {
        if (removeUnschedulable(pod.key()) != null) {
            log.error("pod {} is already in the unschedulable queue", pod.key());
        }
        if (backingOff.remove(pod.key()) != null) {
            log.error("pod {} is already in the backoff queue", pod.key());
        }
        if (gated.remove(pod.key()) != null) {
            log.error("pod {} is already among the gated", pod.key());
        }
        if (putActive(QueuedPod.arriving(pod, clock.instant(), sequence++), ClusterEvent.POD_ADD)) {
            nominated.nominate(pod, "");
        }
    }

    /**
     * Takes the next pod, which is then in no part of the queue; null when there is none. Starts a scheduling cycle.
     */
    public @Nullable QueuedPod pop() {
        QueuedPod head = active.poll();
        if (head == null) {
            return null;
        }
        schedulingCycle++;
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
        QueuePart present = partOf(key);
        if (present != null) {
            log.error("pod {} is already present in the {} queue", key, present.label());
            return null;
        }
        Instant now = clock.instant();
        QueuedPod failed = entry.failedAt(now, sequence++);
        backoff.backOff(key, now);
        // The pod may have been read before its nomination was written; what is known here then still holds.
        String promised = nominated.nodeOf(entry.pod());
        nominated.nominate(entry.pod(), entry.pod().nominatedNodeName().isEmpty() && promised != null ? promised : "");
        if (!policy.mayEnter(failed.pod())) {
            putGated(failed);
            return QueuePart.GATED;
        }
        if (moveRequestCycle >= podCycle) {
            putBackingOff(failed, now, ClusterEvent.SCHEDULE_ATTEMPT_FAILURE);
            return QueuePart.BACKOFF;
        }
        unschedulable.put(key, failed);
        if (!requiredPodAffinity(failed.pod()).isEmpty()) {
            waitingForPods.add(key);
        }
        listener.onIncoming(QueuePart.UNSCHEDULABLE, ClusterEvent.SCHEDULE_ATTEMPT_FAILURE);
        return QueuePart.UNSCHEDULABLE;
    }

    /**
     * Deciding the pod just popped took far more work than deciding others does: when it comes back, it waits for longer each
     * time, up to five minutes, so that others go first. Changing the pod does not end the wait, or whoever made it would.
     *
     * @return how long it will wait at least
     */
    public Duration noteSlow(PodInfo pod) {
        Instant now = clock.instant();
        slow.backOffAgain(pod.key(), now);
        return slow.duration(slow.attempts(pod.key()));
    }

    /** When the waits of a pod are over; null when it has none. */
    private @Nullable Instant waitsUntil(String key) {
        Instant usual = backoff.expiry(key);
        Instant extra = slow.expiry(key);
        if (usual == null || extra == null) {
            return usual == null ? extra : usual;
        }
        return usual.isAfter(extra) ? usual : extra;
    }

    /** Into the active queue, or where it waits for the end of what {@link #noteSlow} started; false when held back. */
    private boolean readmit(QueuedPod entry) {
        Instant extra = slow.expiry(entry.key());
        if (extra == null || !extra.isAfter(clock.instant())) {
            return enter(entry);
        }
        if (!policy.mayEnter(entry.pod())) {
            putGated(entry);
            return false;
        }
        backingOff.put(entry.backingOffUntil(extra));
        return true;
    }

    /** Takes back a pod whose spec changed since it was popped: tried again at once, with its history. */
    public void readmitChanged(QueuedPod entry) {
        backoff.clear(entry.key());
        if (readmit(entry)) {
            nominated.nominate(entry.pod(), "");
        }
    }

    /** An unassigned pod changed. One that is in no part of the queue comes in as new. */
    public void update(PodInfo old, PodInfo newer) {
        String key = newer.key();
        QueuedPod entry = active.get(key);
        if (entry != null) {
            nominated.renominate(old, newer);
            active.remove(key);
            enter(entry.withPod(newer));
            return;
        }
        entry = backingOff.remove(key);
        if (entry != null) {
            nominated.renominate(old, newer);
            if (SpecChange.isBetween(old, newer)) {
                readmit(entry.withPod(newer));
            } else {
                // v1.17 ends the backoff here, so that its own message about the last attempt starts the next one.
                backingOff.put(entry.withPod(newer));
            }
            return;
        }
        entry = gated.remove(key);
        if (entry != null) {
            if (enter(entry.withPod(newer))) {
                nominated.nominate(newer, "");
            }
            return;
        }
        entry = unschedulable.get(key);
        if (entry == null) {
            if (enter(QueuedPod.arriving(newer, clock.instant(), sequence++))) {
                nominated.nominate(newer, "");
            }
            return;
        }
        nominated.renominate(old, newer);
        if (SpecChange.isBetween(old, newer)) {
            backoff.clear(key);
            removeUnschedulable(key);
            readmit(entry.withPod(newer));
        } else {
            unschedulable.put(key, entry.withPod(newer));
        }
    }

    /**
     * A pod is gone or no longer waits for a node. The backoff record of a pod in the active queue survives, as in
     * v1.17.
     */
    public void delete(PodInfo pod) {
        nominated.drop(pod);
        slow.clear(pod.key());
        gated.remove(pod.key());
        if (active.remove(pod.key()) == null) {
            backoff.clear(pod.key());
            backingOff.remove(pod.key());
            removeUnschedulable(pod.key());
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
        List<QueuedPod> helped = new ArrayList<>(unschedulable.size());
        for (QueuedPod entry : unschedulable.values()) {
            if (policy.mayHelp(entry, event, changed)) {
                helped.add(entry);
            }
        }
        move(helped, event);
        admitGated(event);
    }

    /** Asks again about the pods that are held back. */
    private void admitGated(ClusterEvent event) {
        for (QueuedPod entry : new ArrayList<>(gated.values())) {
            if (policy.mayEnter(entry.pod())) {
                gated.remove(entry.key());
                active.put(entry);
                listener.onIncoming(QueuePart.ACTIVE, event);
                nominated.nominate(entry.pod(), "");
            }
        }
    }

    /**
     * Room that was held for a pod is free again. Helps others, but not the pod itself: when it comes back, nothing has moved since
     * it failed.
     */
    public void roomFreed(PodInfo pod) {
        moveAll(ClusterEvent.ASSIGNED_POD_DELETE, pod);
        schedulingCycle++;
    }

    /** A pod got a node: helps those whose required pod affinity means it. */
    public void assignedPodAdded(PodInfo pod) {
        move(helpedBy(pod, ClusterEvent.ASSIGNED_POD_ADD), ClusterEvent.ASSIGNED_POD_ADD);
        admitGated(ClusterEvent.ASSIGNED_POD_ADD);
    }

    /** An assigned pod changed: helps those whose required pod affinity means it. */
    public void assignedPodUpdated(PodInfo pod) {
        move(helpedBy(pod, ClusterEvent.ASSIGNED_POD_UPDATE), ClusterEvent.ASSIGNED_POD_UPDATE);
        admitGated(ClusterEvent.ASSIGNED_POD_UPDATE);
    }

    /** Activates the pods whose backoff is over. */
    public void flushBackoff() {
        Instant now = clock.instant();
        for (QueuedPod head = backingOff.peek();
                head != null && !head.backoffExpiry().isAfter(now);
                head = backingOff.peek()) {
            backingOff.poll();
            putActive(head, ClusterEvent.BACKOFF_COMPLETE);
        }
    }

    /** Moves the pods that have been unschedulable for longer than the timeout. */
    public void flushUnschedulable() {
        Instant now = clock.instant();
        List<QueuedPod> leftovers = new ArrayList<>();
        for (QueuedPod entry : unschedulable.values()) {
            if (entry.timestamp().plus(unschedulableTimeout).isBefore(now)) {
                leftovers.add(entry);
            }
        }
        if (!leftovers.isEmpty()) {
            move(leftovers, ClusterEvent.UNSCHEDULABLE_TIMEOUT);
        }
    }

    private void move(Collection<QueuedPod> entries, ClusterEvent event) {
        Instant now = clock.instant();
        for (QueuedPod entry : entries) {
            removeUnschedulable(entry.key());
            Instant end = waitsUntil(entry.key());
            if (end != null && end.isAfter(now)) {
                putBackingOff(entry, now, event);
            } else {
                putActive(entry, event);
            }
        }
        // Even without pods to move: a pod being tried right now must not wait for the change that just happened.
        moveRequestCycle = schedulingCycle;
    }

    /** False when the pod is held back instead. */
    private boolean putActive(QueuedPod entry, ClusterEvent event) {
        if (!enter(entry)) {
            return false;
        }
        listener.onIncoming(QueuePart.ACTIVE, event);
        return true;
    }

    /** Into the active queue, or before it; false when the pod is held back. */
    private boolean enter(QueuedPod entry) {
        if (!policy.mayEnter(entry.pod())) {
            putGated(entry);
            return false;
        }
        active.put(entry);
        return true;
    }

    private void putGated(QueuedPod entry) {
        gated.put(entry.key(), entry);
        // What a pod that is not tried was promised must not keep others away.
        nominated.drop(entry.pod());
    }

    private void putBackingOff(QueuedPod entry, Instant now, ClusterEvent event) {
        Instant expiry = waitsUntil(entry.key());
        backingOff.put(entry.backingOffUntil(expiry == null ? now : expiry));
        listener.onIncoming(QueuePart.BACKOFF, event);
    }

    private @Nullable QueuedPod removeUnschedulable(String key) {
        waitingForPods.remove(key);
        return unschedulable.remove(key);
    }

    private List<QueuedPod> helpedBy(PodInfo assigned, ClusterEvent event) {
        List<QueuedPod> matched = new ArrayList<>();
        for (String key : waitingForPods) {
            QueuedPod entry = unschedulable.get(key);
            if (entry != null
                    && requiredPodAffinity(entry.pod()).stream().anyMatch(term -> term.matches(entry.pod(), assigned))
                    && policy.mayHelp(entry, event, assigned)) {
                matched.add(entry);
            }
        }
        return matched;
    }

    private static List<PodAffinityTerm> requiredPodAffinity(PodInfo pod) {
        Affinity.PodTerms terms = pod.affinity().podAffinity();
        return terms == null ? List.of() : terms.required();
    }

    /** Where a pod of this {@code namespace/name} waits; null when nowhere. */
    public @Nullable QueuePart partOf(String key) {
        if (active.get(key) != null) {
            return QueuePart.ACTIVE;
        }
        if (backingOff.get(key) != null) {
            return QueuePart.BACKOFF;
        }
        if (gated.containsKey(key)) {
            return QueuePart.GATED;
        }
        return unschedulable.containsKey(key) ? QueuePart.UNSCHEDULABLE : null;
    }

    /** Number of the pod being tried: how many have been popped, or have lost their place since. */
    public long schedulingCycle() {
        return schedulingCycle;
    }

    /** The scheduling cycle in which pods were last moved, -1 at first. */
    public long moveRequestCycle() {
        return moveRequestCycle;
    }

    /** Promised places. */
    public NominatedPodMap nominated() {
        return nominated;
    }

    /** Pods in one part. */
    public int size(QueuePart part) {
        return switch (part) {
            case ACTIVE -> active.size();
            case BACKOFF -> backingOff.size();
            case UNSCHEDULABLE -> unschedulable.size();
            case GATED -> gated.size();
        };
    }

    /** A copy of one part: in order of service, the unschedulable by time of failure. */
    public List<QueuedPod> entries(QueuePart part) {
        return switch (part) {
            case ACTIVE -> List.copyOf(active.entries());
            case BACKOFF -> List.copyOf(backingOff.entries());
            case UNSCHEDULABLE -> List.copyOf(unschedulable.values());
            case GATED -> List.copyOf(gated.values());
        };
    }

    /** All pods: active, backing off, unschedulable, gated. */
    public List<PodInfo> pendingPods() {
        List<PodInfo> pods = new ArrayList<>();
        for (QueuePart part : QueuePart.values()) {
            entries(part).forEach(entry -> pods.add(entry.pod()));
        }
        return pods;
    }
}
