package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.scheduler.backend.AnyChangeRequeue.QueueMoves;
import io.policyscheduler.framework.scheduler.backend.PodBackoff.RequeueStrategy;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.PodChanges;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pods waiting to be scheduled: those to be tried next (active), those sitting out a backoff, and those that nothing has helped yet
 * (unschedulable). All share one order; how a pod waits after a failure is up to its profile: for any change, as in 1.17, or for
 * events that the plugins which rejected it ask for. Owned by the scheduling thread, no locks. Mirrors {@code PriorityQueue}.
 */
public final class SchedulingQueue {
    private static final Logger log = LoggerFactory.getLogger(SchedulingQueue.class);

    private final Clock clock;
    private final Nominator nominated = new Nominator(this::freed);
    private final RequeueStrategy waits;
    private final SubQueues parts;
    private final QueueMoves moves;
    private final AnyChangeRequeue changeWaits;
    private final QueueingHintRequeue eventWaits;
    private long sequence;

    /** An empty queue. */
    public SchedulingQueue(Clock clock, Times times, Listener listener) {
        this(clock, times, listener, QueuePolicy.BY_PRIORITY);
    }

    /** The same with an order, gates and hints. */
    public SchedulingQueue(Clock clock, Times times, Listener listener, QueuePolicy policy) {
        this(clock, new PodBackoff(times.initialBackoff(), times.maxBackoff()), times, listener, policy);
    }

    SchedulingQueue(Clock clock, PodBackoff records, Times times, Listener listener, QueuePolicy policy) {
        this.clock = clock;
        this.waits = new RequeueStrategy(records);
        this.parts = new SubQueues(policy, listener, nominated);
        this.moves = new QueueMoves(clock, parts, waits, times.unschedulableTimeout());
        this.changeWaits = new AnyChangeRequeue(clock, nominated, waits, parts, moves);
        PodBackoff backoff = new PodBackoff(times.initialBackoff(), times.maxBackoff());
        this.eventWaits = new QueueingHintRequeue(clock, parts, waits, backoff, times.eventTimeout());
    }

    /** Other profiles are in force: the order is made anew, and everything waiting gets another chance. */
    public void policyChanged(QueuePolicy newPolicy) {
        parts.follow(newPolicy);
        moveAll(ClusterEvent.PROFILE_CHANGE);
    }

    /** True for a pod whose profile lets it wait for events. */
    public boolean waitsForEvents(PodInfo pod) {
        return parts.policy().waitsForEvents(pod);
    }

    /** A new unassigned pod. */
    public void add(PodInfo pod) {
        Part present = parts.of(pod.key());
        if (present != null && present != Part.ACTIVE) {
            log.atError().addKeyValue("pod", pod.key()).log("the pod is already in the {} queue", present.label());
            parts.remove(pod.key());
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
            head = eventWaits.popEarly();
        }
        if (head == null) {
            return null;
        }
        moves.nextCycle();
        if (waitsForEvents(head.pod())) {
            eventWaits.begin(head.key());
        }
        return head.popped();
    }

    /** A pod that was popped will not fail any more by what plugins say of it, or is not tried at all. */
    public void done(PodInfo pod) {
        eventWaits.done(pod.key());
    }

    /**
     * Takes back a pod that failed. One that waits for events: among the unschedulable, or where it backs off if it was no plugin
     * that rejected it, or something has happened since it was popped that may help. Any other: into the backoff queue when
     * something moved since {@code podCycle}, because the failure may be out of date, else among the unschedulable.
     *
     * @param podCycle {@link #schedulingCycle()} when the failure was reported
     * @return where it went; null when the queue already has a pod of this name, which then stays
     */
    public @Nullable Part addUnschedulableIfNotPresent(QueuedPod entry, long podCycle) {
        String key = entry.key();
        Part present = parts.of(key);
        if (present != null) {
            log.atError().addKeyValue("pod", key).log("the pod is already present in the {} queue", present.label());
            eventWaits.done(key);
            return null;
        }
        if (waitsForEvents(entry.pod())) {
            return eventWaits.fail(entry, sequence++);
        }
        // Popped for a profile that waits for events, and which was replaced since.
        eventWaits.done(key);
        return changeWaits.fail(entry, podCycle, sequence++);
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

    /** Takes back a pod whose spec changed since it was popped: tried again at once, with its history. */
    public void readmitChanged(QueuedPod entry) {
        if (waitsForEvents(entry.pod())) {
            // What has changed has been noted while it was being tried.
            addUnschedulableIfNotPresent(entry, Long.MIN_VALUE);
        } else {
            eventWaits.done(entry.key());
            changeWaits.readmitChanged(entry);
        }
    }

    /** An unassigned pod changed. One that is in no part of the queue comes in as new. */
    public void update(PodInfo old, PodInfo newer) {
        String key = newer.key();
        QueuedPod entry = parts.active().get(key);
        if (entry != null) {
            nominated.renominate(old, newer);
            parts.active().remove(key);
            if (waitsForEvents(newer)) {
                parts.active().put(entry.withPod(newer));
            } else {
                parts.enter(entry.withPod(newer));
            }
        } else if (eventWaits.updated(old, newer)) {
            nominated.renominate(old, newer);
        } else if (!changeWaits.updated(old, newer)
                && parts.enter(QueuedPod.arriving(newer, clock.instant(), sequence++))) {
            nominated.nominate(newer, "");
        }
        if (!old.nominatedNodeName().isEmpty() && !old.nominatedNodeName().equals(newer.nominatedNodeName())) {
            freed(old);
        }
    }

    /** A pod that is being tried, or bound, has changed. */
    public void updatedInFlight(PodInfo old, PodInfo newer) {
        eventWaits.updatedInFlight(old, newer);
    }

    /** The resources that a nomination reserved are free for the pods that had to respect it. */
    private void freed(PodInfo nominee) {
        Predicate<PodInfo> concerns = pod -> pod.priority() <= nominee.priority() && !pod.isSame(nominee);
        moves.nominationEnded(nominee, concerns);
        eventWaits.happened(ObjectEvent.deleted(EventResource.ASSIGNED_POD, nominee), concerns);
    }

    /**
     * A pod is gone or no longer waits for a node. The backoff record of a pod in the active queue survives, as in
     * v1.17.
     */
    public void delete(PodInfo pod) {
        String node = nominated.nodeOf(pod);
        PodInfo nominee = node == null ? pod : pod.withNominatedNodeName(node);
        nominated.drop(pod);
        waits.endSlow(pod.key());
        eventWaits.remove(pod.key());
        parts.gated().remove(pod.key());
        if (parts.active().remove(pod.key()) == null) {
            waits.endBackoff(pod.key());
            parts.backingOff().remove(pod.key());
            parts.unschedulable().remove(pod.key());
        }
        if (!nominee.nominatedNodeName().isEmpty()) {
            freed(nominee);
        }
    }

    /** Something has happened, for the pods that wait for events. */
    public void happened(ObjectEvent event) {
        eventWaits.happened(event);
    }

    /** The same for several events, in order. */
    public void happened(List<ObjectEvent> events) {
        events.forEach(eventWaits::happened);
    }

    /** Room is there again, of which no more can be said. */
    public void roomFreed() {
        moves.helpAll(ClusterEvent.ASSIGNED_POD_DELETE, null);
        eventWaits.roomFreed();
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
        eventWaits.changed(event, changed);
    }

    /**
     * Room that was held for a pod is free again. Helps others, but not the pod itself: when it comes back, nothing has moved since
     * it failed. v1.17 leaves the others waiting for up to a minute.
     */
    public void roomFreed(PodInfo pod) {
        moves.helpAll(ClusterEvent.ASSIGNED_POD_DELETE, pod);
        moves.nextCycle();
        assignedPodGone(pod);
    }

    private void assignedPodGone(PodInfo pod) {
        eventWaits.changed(ClusterEvent.ASSIGNED_POD_DELETE, pod);
        eventWaits.happened(ObjectEvent.deleted(EventResource.ASSIGNED_POD, pod));
    }

    /** A pod got a node: helps those whose required pod affinity means it. */
    public void assignedPodAdded(PodInfo pod) {
        moves.helpByPod(ClusterEvent.ASSIGNED_POD_ADD, pod);
        retryOvertaken(pod);
        eventWaits.changed(ClusterEvent.ASSIGNED_POD_ADD, pod);
        eventWaits.happened(ObjectEvent.added(EventResource.ASSIGNED_POD, pod));
    }

    /**
     * A pod of higher priority has taken a node to which others are nominated. v1.17 leaves these alone, and a nomination that can
     * no longer be honored keeps other pods away from the node.
     */
    private void retryOvertaken(PodInfo assigned) {
        for (PodInfo nominee : nominated.on(assigned.nodeName())) {
            if (nominee.priority() < assigned.priority() && !waitsForEvents(nominee)) {
                moves.retry(nominee.key());
            }
        }
    }

    /**
     * An assigned pod changed. One with other labels or smaller requests may help any pod; v1.17 requeues only those whose required
     * affinity means it.
     */
    public void assignedPodUpdated(PodInfo old, PodInfo pod) {
        if (PodChanges.mayHelpAny(old, pod)) {
            moves.helpAll(ClusterEvent.ASSIGNED_POD_UPDATE, pod);
        } else {
            moves.helpByPod(ClusterEvent.ASSIGNED_POD_UPDATE, pod);
        }
        eventWaits.changed(ClusterEvent.ASSIGNED_POD_UPDATE, pod);
        happened(PodChanges.of(EventResource.ASSIGNED_POD, old, pod));
    }

    /** An assigned pod is gone. */
    public void assignedPodDeleted(PodInfo pod) {
        moves.helpAll(ClusterEvent.ASSIGNED_POD_DELETE, pod);
        assignedPodGone(pod);
    }

    /** Activates the pods whose backoff is over. */
    public void flushBackoff() {
        moves.flushBackoff();
        eventWaits.flushBackoff();
    }

    /** Moves the pods that have been unschedulable for longer than the timeout. */
    public void flushUnschedulable() {
        moves.flushUnschedulable();
        eventWaits.flushUnschedulable();
    }

    /** What was begun so that this pod gets a node has failed: nothing else may ever happen that would have it tried again. */
    public void retry(PodInfo pod) {
        if (waitsForEvents(pod)) {
            eventWaits.activate(pod.key());
        } else {
            moves.retry(pod.key());
        }
    }

    /**
     * The keys of the pods that were popped and may come back to wait for events. All later events are kept for them. Mirrors {@code
     * InFlightPods}.
     */
    public Set<String> inFlightPods() {
        return eventWaits.inFlightPods();
    }

    /** Where a pod of this {@code namespace/name} waits; null when nowhere. */
    public @Nullable Part partOf(String key) {
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
    public Nominator nominated() {
        return nominated;
    }

    /** Pods in one part. */
    public int size(Part part) {
        return parts.size(part);
    }

    /** A copy of one part: in order of service, the unschedulable by time of failure. */
    public List<QueuedPod> entries(Part part) {
        return List.copyOf(parts.entries(part));
    }

    /** All pods: active, backing off, unschedulable, gated. */
    public List<PodInfo> pendingPods() {
        return parts.pods();
    }

    /** Hears of every counted insertion, for {@code scheduler_queue_incoming_pods_total}. */
    @FunctionalInterface
    public interface Listener {
        /** Listens to nothing. */
        Listener NONE = (part, event) -> {};

        /**
         * A pod entered {@code part} because of {@code event}; insertions by updates of the pod itself are not reported.
         *
         * @param event its label, of 1.17 or of current releases
         */
        void onIncoming(Part part, String event);
    }

    /**
     * How long pods wait.
     *
     * @param initialBackoff after a first failure; doubles
     * @param maxBackoff the longest such wait
     * @param unschedulableTimeout how long a pod that waits for any change waits before it is tried again anyway
     * @param eventTimeout the same for a pod that waits for events
     */
    public record Times(
            Duration initialBackoff, Duration maxBackoff, Duration unschedulableTimeout, Duration eventTimeout) {
        /** Those of 1.17 and of current releases. */
        public static final Times DEFAULTS =
                new Times(Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofMinutes(5));
    }
}
