package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.framework.scheduler.queue.QueuedPod.Part;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where pods wait that wait for events: in the pools of current releases, each pod in one of them at most. */
final class EventPools {
    private final PodHeap backoff;
    private final PodHeap errorBackoff;
    private final Map<String, QueuedPod> unschedulable = new LinkedHashMap<>();
    private final Map<String, QueuedPod> gated = new LinkedHashMap<>();

    EventPools(Supplier<QueuePolicy> policy) {
        Comparator<QueuedPod> order = Comparator.comparing(QueuedPod::backoffExpiry)
                .thenComparing((a, b) -> policy.get().compare(a, b))
                .thenComparingLong(QueuedPod::sequence);
        backoff = new PodHeap(order);
        errorBackoff = new PodHeap(order);
    }

    /** Of pods that plugins have rejected. */
    PodHeap backoff() {
        return backoff;
    }

    /** Of pods for which something else has failed. */
    PodHeap errorBackoff() {
        return errorBackoff;
    }

    /** Among the gated, or those that no event has helped yet. */
    void wait(QueuedPod entry) {
        (entry.gatedBy().isEmpty() ? unschedulable : gated).put(entry.key(), entry);
    }

    /** A pod among the gated or the unschedulable; null when it is elsewhere. */
    @Nullable
    QueuedPod waiting(String key) {
        QueuedPod entry = unschedulable.get(key);
        return entry == null ? gated.get(key) : entry;
    }

    /** The pool where a pod backs off; null when it does not. */
    @Nullable
    PodHeap backingOff(String key) {
        if (backoff.get(key) != null) {
            return backoff;
        }
        return errorBackoff.get(key) != null ? errorBackoff : null;
    }

    /** Takes a pod out, wherever it is. */
    @Nullable
    QueuedPod remove(String key) {
        QueuedPod entry = unschedulable.remove(key);
        if (entry == null) {
            entry = gated.remove(key);
        }
        if (entry == null) {
            entry = backoff.remove(key);
        }
        return entry == null ? errorBackoff.remove(key) : entry;
    }

    /** Those of the unschedulable and the gated. */
    List<QueuedPod> those(Predicate<QueuedPod> condition) {
        List<QueuedPod> chosen = new ArrayList<>();
        for (Map<String, QueuedPod> pool : List.of(unschedulable, gated)) {
            for (QueuedPod entry : pool.values()) {
                if (condition.test(entry)) {
                    chosen.add(entry);
                }
            }
        }
        return chosen;
    }

    @Nullable
    Part of(String key) {
        if (backingOff(key) != null) {
            return Part.BACKOFF;
        }
        if (gated.containsKey(key)) {
            return Part.GATED;
        }
        return unschedulable.containsKey(key) ? Part.UNSCHEDULABLE : null;
    }

    int size(Part part) {
        return switch (part) {
            case ACTIVE -> 0;
            case BACKOFF -> backoff.size() + errorBackoff.size();
            case UNSCHEDULABLE -> unschedulable.size();
            case GATED -> gated.size();
        };
    }

    Collection<QueuedPod> entries(Part part) {
        return switch (part) {
            case ACTIVE -> List.of();
            case BACKOFF -> {
                List<QueuedPod> all = new ArrayList<>(backoff.entries());
                all.addAll(errorBackoff.entries());
                yield all;
            }
            case UNSCHEDULABLE -> unschedulable.values();
            case GATED -> gated.values();
        };
    }
}
