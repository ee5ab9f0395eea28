package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import java.util.ArrayList;
import java.util.Collection;
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

    /** @param nominated loses the pods that are held back */
    QueueParts(QueuePolicy policy, QueueListener listener, NominatedPodMap nominated) {
        this.policy = policy;
        this.active = new PodHeap(order(policy));
        this.listener = listener;
        this.nominated = nominated;
    }

    private static Comparator<QueuedPod> order(QueuePolicy policy) {
        return ((Comparator<QueuedPod>) policy::compare).thenComparingLong(QueuedPod::sequence);
    }

    QueuePolicy policy() {
        return policy;
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
        if (!policy.mayEnter(entry.pod())) {
            putGated(entry);
            return false;
        }
        active.put(entry);
        return true;
    }

    /** The same, told to the listener. */
    boolean enter(QueuedPod entry, ClusterEvent event) {
        if (!enter(entry)) {
            return false;
        }
        listener.onIncoming(QueuePart.ACTIVE, event);
        return true;
    }

    void putBackingOff(QueuedPod entry, ClusterEvent event) {
        backingOff.put(entry);
        listener.onIncoming(QueuePart.BACKOFF, event);
    }

    void putUnschedulable(QueuedPod entry, ClusterEvent event) {
        unschedulable.put(entry);
        listener.onIncoming(QueuePart.UNSCHEDULABLE, event);
    }

    void putGated(QueuedPod entry) {
        gated.put(entry.key(), entry);
        // What a pod that is not tried was promised must not keep others away.
        nominated.drop(entry.pod());
    }

    /** Asks again about the pods that are held back. */
    void admitGated(ClusterEvent event) {
        for (QueuedPod entry : new ArrayList<>(gated.values())) {
            if (policy.mayEnter(entry.pod())) {
                gated.remove(entry.key());
                active.put(entry);
                listener.onIncoming(QueuePart.ACTIVE, event);
                nominated.nominate(entry.pod(), "");
            }
        }
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
        return unschedulable.get(key) != null ? QueuePart.UNSCHEDULABLE : null;
    }

    int size(QueuePart part) {
        return switch (part) {
            case ACTIVE -> active.size();
            case BACKOFF -> backingOff.size();
            case UNSCHEDULABLE -> unschedulable.size();
            case GATED -> gated.size();
        };
    }

    /** In order of service, the unschedulable by time of failure; a view. */
    Collection<QueuedPod> entries(QueuePart part) {
        return switch (part) {
            case ACTIVE -> active.entries();
            case BACKOFF -> backingOff.entries();
            case UNSCHEDULABLE -> unschedulable.entries();
            case GATED -> gated.values();
        };
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
