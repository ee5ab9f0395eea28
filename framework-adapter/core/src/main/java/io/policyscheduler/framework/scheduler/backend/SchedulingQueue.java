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
 * The queue of pods to schedule: active, backing off, or unschedulable. All share one order. After a failure, pods wait for any
 * change, as in 1.17, or for events that the plugins which rejected them are registered for, depending on their profile. Owned by
 * the scheduling thread, no locks. Mirrors {@code PriorityQueue}.
 */
public final class SchedulingQueue {
    private static final Logger log = LoggerFactory.getLogger(SchedulingQueue.class);

    private final Clock clock;
    private final Nominator nominated = new Nominator(this::freed);
    private final RequeueStrategy strategy;
    private final SubQueues subQueues;
    private final QueueMoves moves;
    /** For pods that wait for any change. */
    private final AnyChangeRequeue anyChange;
    /** For pods that wait for events. */
    private final QueueingHintRequeue queueingHints;

    private long sequence;

    /** An empty queue. */
    public SchedulingQueue(Clock clock, Times times, Listener listener) {
        this(clock, times, listener, QueuePolicy.BY_PRIORITY);
    }

    /** An empty queue with an order, gates and hints. */
    public SchedulingQueue(Clock clock, Times times, Listener listener, QueuePolicy policy) {
        this(clock, new PodBackoff(times.initialBackoff(), times.maxBackoff()), times, listener, policy);
    }

    SchedulingQueue(Clock clock, PodBackoff changeBackoff, Times times, Listener listener, QueuePolicy policy) {
        this.clock = clock;
        this.strategy = new RequeueStrategy(changeBackoff);
        this.subQueues = new SubQueues(policy, listener, nominated);
        this.moves = new QueueMoves(clock, subQueues, strategy, times.unschedulableTimeout());
        this.anyChange = new AnyChangeRequeue(clock, nominated, strategy, subQueues, moves);
        PodBackoff hintBackoff = new PodBackoff(times.initialBackoff(), times.maxBackoff());
        this.queueingHints = new QueueingHintRequeue(clock, subQueues, strategy, hintBackoff, times.eventTimeout());
    }

    /** The profiles were replaced: sorts the active queue again, and moves all waiting pods. */
    public void policyChanged(QueuePolicy newPolicy) {
        subQueues.follow(newPolicy);
        moveAll(ClusterEvent.PROFILE_CHANGE);
    }

    /** Whether the pod's profile lets it wait for events. */
    public boolean waitsForEvents(PodInfo pod) {
        return subQueues.policy().waitsForEvents(pod);
    }

    /** Adds a new unassigned pod. */
    public void add(PodInfo pod) {
        Part present = subQueues.of(pod.key());
        if (present != null && present != Part.ACTIVE) {
            log.atError().addKeyValue("pod", pod.key()).log("the pod is already in the {} queue", present.label());
            subQueues.remove(pod.key());
        }
        if (subQueues.enter(QueuedPod.arriving(pod, clock.instant(), sequence++), ClusterEvent.POD_ADD)) {
            nominated.nominate(pod, "");
        }
    }

    /** Pops the next pod; null if there is none. Starts a scheduling cycle. */
    public @Nullable QueuedPod pop() {
        QueuedPod head = subQueues.active().poll();
        if (head == null) {
            head = queueingHints.popFromBackoff();
        }
        if (head == null) {
            return null;
        }
        moves.nextCycle();
        if (waitsForEvents(head.pod())) {
            queueingHints.begin(head.key());
        }
        return head.popped();
    }

    /** A popped pod is not requeued for a rejection by plugins, or is not scheduled at all. */
    public void done(PodInfo pod) {
        queueingHints.done(pod.key());
    }

    /**
     * Requeues a failed pod. One that waits for events becomes unschedulable, or backs off if it failed with an error or an event
     * since its pop may help. Any other backs off if pods were moved since {@code podCycle}, because the failure may be out of
     * date, else it becomes unschedulable.
     *
     * @param podCycle {@link #schedulingCycle()} at the time of the failure
     * @return its new part; null if the queue already has a pod of this name, which then stays
     */
    public @Nullable Part addUnschedulableIfNotPresent(QueuedPod entry, long podCycle) {
        String key = entry.key();
        Part present = subQueues.of(key);
        if (present != null) {
            log.atError().addKeyValue("pod", key).log("the pod is already present in the {} queue", present.label());
            queueingHints.done(key);
            return null;
        }
        if (waitsForEvents(entry.pod())) {
            return queueingHints.fail(entry, sequence++);
        }
        // Popped for a profile that waits for events, and which was replaced since.
        queueingHints.done(key);
        return anyChange.fail(entry, podCycle, sequence++);
    }

    /**
     * The decision for the popped pod took far more work than others. Extends its backoff, up to five minutes, so that other pods
     * come first. Changing the pod does not end the backoff; otherwise its owner could avoid it.
     *
     * @return the minimum duration of the backoff
     */
    public Duration noteSlow(PodInfo pod) {
        return strategy.wasSlow(pod.key(), clock.instant());
    }

    /** Requeues a pod whose spec changed since it was popped, without backoff and with its history. */
    public void readmitChanged(QueuedPod entry) {
        if (waitsForEvents(entry.pod())) {
            // Its changes were recorded as events of the attempt.
            addUnschedulableIfNotPresent(entry, Long.MIN_VALUE);
        } else {
            queueingHints.done(entry.key());
            anyChange.readmitChanged(entry);
        }
    }

    /** Updates an unassigned pod, or adds it if it is not in the queue. */
    public void update(PodInfo old, PodInfo newer) {
        String key = newer.key();
        String nominatedTo = nominated.nodeOf(old);
        QueuedPod entry = subQueues.active().get(key);
        if (entry != null) {
            nominated.renominate(old, newer);
            subQueues.active().remove(key);
            if (waitsForEvents(newer)) {
                subQueues.active().put(entry.withPod(newer));
            } else {
                subQueues.enter(entry.withPod(newer));
            }
        } else if (queueingHints.updated(old, newer)) {
            nominated.renominate(old, newer);
        } else if (!anyChange.updated(old, newer)
                && subQueues.enter(QueuedPod.arriving(newer, clock.instant(), sequence++))) {
            nominated.nominate(newer, "");
        }
        if (isNominationGone(old, newer)) {
            freed(old);
        } else if (nominatedTo != null && PodChanges.mayHelpAny(old, newer)) {
            // kube-scheduler misses that the pod keeps fewer pods away from its node.
            freed(old.withNominatedNodeName(nominatedTo));
        }
    }

    /** Updates a pod that is in an attempt or being bound. */
    public void updatedInFlight(PodInfo old, PodInfo newer) {
        queueingHints.updatedInFlight(old, newer);
        if (isNominationGone(old, newer)) {
            freed(old);
        }
    }

    private static boolean isNominationGone(PodInfo old, PodInfo newer) {
        return !old.nominatedNodeName().isEmpty() && !old.nominatedNodeName().equals(newer.nominatedNodeName());
    }

    /** The resources of a nomination are free for the pods that it affected. */
    private void freed(PodInfo nominee) {
        Predicate<PodInfo> affected = pod -> pod.priority() <= nominee.priority() && !pod.isSame(nominee);
        moves.nominationEnded(nominee, affected);
        queueingHints.happened(ObjectEvent.deleted(EventResource.ASSIGNED_POD, nominee), affected);
    }

    /** A pod was placed: its nomination ends, and if it is to another node, the pods that it kept away from there are requeued. */
    public void placed(PodInfo pod, String node) {
        String nominatedTo = nominated.nodeOf(pod);
        nominated.drop(pod);
        if (nominatedTo != null && !nominatedTo.equals(node)) {
            freed(pod.withNominatedNodeName(nominatedTo));
        }
    }

    /** Removes a deleted or assigned pod. The backoff record of a pod in the active queue survives, as in v1.17. */
    public void delete(PodInfo pod) {
        String node = nominated.nodeOf(pod);
        PodInfo nominee = node == null ? pod : pod.withNominatedNodeName(node);
        nominated.drop(pod);
        strategy.endSlow(pod.key());
        queueingHints.remove(pod.key());
        subQueues.gated().remove(pod.key());
        if (subQueues.active().remove(pod.key()) == null) {
            strategy.endBackoff(pod.key());
            subQueues.backingOff().remove(pod.key());
            subQueues.unschedulable().remove(pod.key());
        }
        if (!nominee.nominatedNodeName().isEmpty()) {
            freed(nominee);
        }
    }

    /** Handles an event for the pods that wait for events. */
    public void happened(ObjectEvent event) {
        queueingHints.happened(event);
    }

    /** The same for several events, in order. */
    public void happened(List<ObjectEvent> events) {
        events.forEach(queueingHints::happened);
    }

    /** Resources were released, without further details. */
    public void resourcesFreed() {
        moves.helpAll(ClusterEvent.ASSIGNED_POD_DELETE, null);
        queueingHints.resourcesFreed();
    }

    /** Moves all unschedulable pods that a change may help. */
    public void moveAll(ClusterEvent event) {
        moveAll(event, null);
    }

    /**
     * The same, for a change of one object.
     *
     * @param changed the current object; null if it was deleted
     */
    public void moveAll(ClusterEvent event, @Nullable ClusterObject changed) {
        moves.helpAll(event, changed);
        queueingHints.changed(event, changed);
    }

    /**
     * The resources reserved for a pod are released. Helps other pods, but not the pod itself: its move request cycle stays
     * unchanged. v1.17 does not requeue the others for up to a minute.
     */
    public void resourcesFreed(PodInfo pod) {
        moves.helpAll(ClusterEvent.ASSIGNED_POD_DELETE, pod);
        moves.nextCycle();
        assignedPodRemoved(pod);
    }

    private void assignedPodRemoved(PodInfo pod) {
        queueingHints.changed(ClusterEvent.ASSIGNED_POD_DELETE, pod);
        queueingHints.happened(ObjectEvent.deleted(EventResource.ASSIGNED_POD, pod));
    }

    /** A pod was assigned: moves the pods whose required pod affinity it matches. */
    public void assignedPodAdded(PodInfo pod) {
        moves.helpByPod(ClusterEvent.ASSIGNED_POD_ADD, pod);
        retryNominees(pod.nodeName(), pod.priority());
        queueingHints.changed(ClusterEvent.ASSIGNED_POD_ADD, pod);
        queueingHints.happened(ObjectEvent.added(EventResource.ASSIGNED_POD, pod));
    }

    /**
     * A node changed or was deleted: requeues the pods that are nominated to it, because they may no longer fit. v1.17 does not, and
     * a nomination that can no longer be honored keeps other pods away from the node.
     */
    public void retryNominees(String node) {
        retryNominees(node, Integer.MAX_VALUE);
    }

    /**
     * Requeues the pods that are nominated to a node.
     *
     * @param priority of the pod that was assigned to the node. Nominated pods with a higher priority can evict it.
     */
    private void retryNominees(String node, int priority) {
        for (PodInfo nominee : nominated.on(node)) {
            if (nominee.priority() <= priority && !waitsForEvents(nominee)) {
                moves.retry(nominee.key());
            }
        }
    }

    /**
     * A pod was nominated to a node: requeues the pods that it kept away from its earlier node and, if it has affinity terms, the pods of
     * its priority that are nominated to the same node. v1.17 does not apply the terms of a pod to nominated pods ({@code updatePod} of
     * {@code podAffinityMetadata}), but applies them in the attempts of these pods, which may then fit no longer.
     *
     * @param before the node of its earlier nomination; null for none
     */
    public void nominated(PodInfo pod, @Nullable String before, String node) {
        if (before != null) {
            freed(pod.withNominatedNodeName(before));
        }
        if (!pod.hasPodAffinity()) {
            return;
        }
        for (PodInfo nominee : nominated.on(node)) {
            if (nominee.priority() == pod.priority() && !nominee.isSame(pod) && !waitsForEvents(nominee)) {
                moves.retry(nominee.key());
            }
        }
    }

    /**
     * An assigned pod changed. With other labels or smaller requests it may help any pod; v1.17 requeues only those whose required
     * affinity matches it.
     */
    public void assignedPodUpdated(PodInfo old, PodInfo pod) {
        if (PodChanges.mayHelpAny(old, pod)) {
            moves.helpAll(ClusterEvent.ASSIGNED_POD_UPDATE, pod);
        } else {
            moves.helpByPod(ClusterEvent.ASSIGNED_POD_UPDATE, pod);
        }
        queueingHints.changed(ClusterEvent.ASSIGNED_POD_UPDATE, pod);
        if (pod.terminating() && !old.terminating()) {
            queueingHints.changed(ClusterEvent.POD_TERMINATION, pod);
        }
        happened(PodChanges.of(EventResource.ASSIGNED_POD, old, pod));
    }

    /** An assigned pod was deleted. */
    public void assignedPodDeleted(PodInfo pod) {
        moves.helpAll(ClusterEvent.ASSIGNED_POD_DELETE, pod);
        assignedPodRemoved(pod);
    }

    /** Activates the pods whose backoff has ended. */
    public void flushBackoff() {
        moves.flushBackoff();
        queueingHints.flushBackoff();
    }

    /** Moves the pods that have been unschedulable for longer than the timeout. */
    public void flushUnschedulable() {
        moves.flushUnschedulable();
        queueingHints.flushUnschedulable();
    }

    /** Requeues a pod whose preemption or binding failed, because possibly no other event will. */
    public void retry(PodInfo pod) {
        if (waitsForEvents(pod)) {
            queueingHints.activate(pod.key());
        } else {
            moves.retry(pod.key());
        }
    }

    /**
     * The keys of popped pods that may be requeued to wait for events. All later events are stored for them. Mirrors
     * {@code InFlightPods}.
     */
    public Set<String> inFlightPods() {
        return queueingHints.inFlightPods();
    }

    /** The part with the pod of this {@code namespace/name}; null if it is in none. */
    public @Nullable Part partOf(String key) {
        return subQueues.of(key);
    }

    /** The number of the current scheduling cycle: pops, and nominations that ended since. */
    public long schedulingCycle() {
        return moves.schedulingCycle();
    }

    /** The scheduling cycle of the last move request, -1 at first. */
    public long moveRequestCycle() {
        return moves.moveRequestCycle();
    }

    /** The nominated pods. */
    public Nominator nominated() {
        return nominated;
    }

    /** The number of pods in a part. */
    public int size(Part part) {
        return subQueues.size(part);
    }

    /** A copy of one part: in scheduling order, unschedulable ones by time of failure. */
    public List<QueuedPod> entries(Part part) {
        return List.copyOf(subQueues.entries(part));
    }

    /** All pods: active, backing off, unschedulable, gated. */
    public List<PodInfo> pendingPods() {
        return subQueues.pods();
    }

    /** Receives insertions, for {@code scheduler_queue_incoming_pods_total}. */
    @FunctionalInterface
    public interface Listener {
        /** Ignores all callbacks. */
        Listener NONE = (part, event) -> {};

        /**
         * A pod entered {@code part} because of {@code event}; insertions by updates of the pod itself are not reported.
         *
         * @param event its label, of 1.17 or of current releases
         */
        void onIncoming(Part part, String event);
    }

    /**
     * The waiting times of pods.
     *
     * @param initialBackoff after a first failure; doubles
     * @param maxBackoff the longest backoff
     * @param unschedulableTimeout after which a pod that waits for any change is requeued without one
     * @param eventTimeout the same for a pod that waits for events
     */
    public record Times(
            Duration initialBackoff, Duration maxBackoff, Duration unschedulableTimeout, Duration eventTimeout) {
        /** The times of 1.17 and of current releases. */
        public static final Times DEFAULTS =
                new Times(Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofMinutes(5));
    }
}
