package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where pods wait: the parts of the queue, each pod in one of them at most, and the ways into the active one. */
final class QueueParts {
    private final QueueListener listener;
    private final NominatedPodMap nominated;
    private QueuePolicy policy;
    private PodHeap active;
    private final PodHeap backingOff = new PodHeap(QueuedPod.BACKOFF_ORDER);
    private final UnschedulablePods unschedulable = new UnschedulablePods();
    private final Map<String, QueuedPod> gated = new LinkedHashMap<>();
    private final EventPools pools;

    /** @param nominated loses the pods that are held back */
    QueueParts(QueuePolicy policy, QueueListener listener, NominatedPodMap nominated) {
        this.policy = policy;
        this.active = new PodHeap(order(policy));
        this.listener = listener;
        this.nominated = nominated;
        this.pools = new EventPools(() -> this.policy);
    }

    private static Comparator<QueuedPod> order(QueuePolicy policy) {
        return ((Comparator<QueuedPod>) policy::compare).thenComparingLong(QueuedPod::sequence);
    }

    QueuePolicy policy() {
        return policy;
    }

    /** Where the pods wait that wait for events. */
    EventPools pools() {
        return pools;
    }

    /** Orders the active pods anew. */
    void follow(QueuePolicy newPolicy) {
        policy = newPolicy;
        PodHeap old = active;
        active = new PodHeap(order(newPolicy));
        old.entries().forEach(this::enter);
    }

    PodHeap active() {
        return active;
    }

    PodHeap backingOff() {
        return backingOff;
    }

    UnschedulablePods unschedulable() {
        return unschedulable;
    }

    Map<String, QueuedPod> gated() {
        return gated;
    }

    /** Into the active queue, or before it; false when the pod is held back. */
    boolean enter(QueuedPod entry) {
        if (policy.waitsForEvents(entry.pod())) {
            QueuedPod asked = entry.gatedBy(policy.heldBackBy(entry.pod(), entry.gatedBy()));
            if (asked.gatedBy().isEmpty()) {
                active.put(asked);
            } else {
                pools.wait(asked);
            }
            return asked.gatedBy().isEmpty();
        }
        if (!policy.mayEnter(entry.pod())) {
            putGated(entry);
            return false;
        }
        active.put(entry);
        return true;
    }

    /** The same, told to the listener. */
    boolean enter(QueuedPod entry, ClusterEvent event) {
        return enter(entry, event.label());
    }

    /** The same for an event of current releases. */
    boolean enter(QueuedPod entry, String event) {
        if (!enter(entry)) {
            return false;
        }
        entered(QueuePart.ACTIVE, event);
        return true;
    }

    /** Tells the listener. */
    void entered(QueuePart part, String event) {
        listener.onIncoming(part, event);
    }

    void putBackingOff(QueuedPod entry, ClusterEvent event) {
        backingOff.put(entry);
        listener.onIncoming(QueuePart.BACKOFF, event.label());
    }

    void putUnschedulable(QueuedPod entry, ClusterEvent event) {
        unschedulable.put(entry, policy.waitsForPods(entry));
        listener.onIncoming(QueuePart.UNSCHEDULABLE, event.label());
    }

    void putGated(QueuedPod entry) {
        gated.put(entry.key(), entry);
        // What a pod that is not tried was promised must not keep others away.
        nominated.end(entry.pod());
    }

    /** Asks again about the pods that are held back. */
    void admitGated(ClusterEvent event) {
        for (QueuedPod entry : new ArrayList<>(gated.values())) {
            if (policy.mayEnter(entry.pod())) {
                gated.remove(entry.key());
                active.put(entry);
                listener.onIncoming(QueuePart.ACTIVE, event.label());
                nominated.nominate(entry.pod(), "");
            }
        }
    }

    /** Takes a pod out, wherever it waits, but for the active ones. */
    void remove(String key) {
        pools.remove(key);
        backingOff.remove(key);
        unschedulable.remove(key);
        gated.remove(key);
    }

    /** Where a pod of this {@code namespace/name} waits; null when nowhere. */
    @Nullable
    QueuePart of(String key) {
        if (active.get(key) != null) {
            return QueuePart.ACTIVE;
        }
        if (backingOff.get(key) != null) {
            return QueuePart.BACKOFF;
        }
        if (gated.containsKey(key)) {
            return QueuePart.GATED;
        }
        return unschedulable.get(key) != null ? QueuePart.UNSCHEDULABLE : pools.of(key);
    }

    int size(QueuePart part) {
        return switch (part) {
            case ACTIVE -> active.size();
            case BACKOFF -> backingOff.size() + pools.size(part);
            case UNSCHEDULABLE -> unschedulable.size() + pools.size(part);
            case GATED -> gated.size() + pools.size(part);
        };
    }

    /** In order of service, the unschedulable by time of failure; those that wait for events come after the others. */
    List<QueuedPod> entries(QueuePart part) {
        List<QueuedPod> entries = new ArrayList<>(
                switch (part) {
                    case ACTIVE -> active.entries();
                    case BACKOFF -> backingOff.entries();
                    case UNSCHEDULABLE -> unschedulable.entries();
                    case GATED -> gated.values();
                });
        entries.addAll(pools.entries(part));
        return entries;
    }

    /** All pods: active, backing off, unschedulable, gated. */
    List<PodInfo> pods() {
        List<PodInfo> pods = new ArrayList<>();
        for (QueuePart part : QueuePart.values()) {
            entries(part).forEach(entry -> pods.add(entry.pod()));
        }
        return pods;
    }
}
