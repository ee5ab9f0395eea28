package io.policyscheduler.framework.scheduler.backend;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A heap of entries with access by key. The order must be total. If the comparator of a plugin is inconsistent, the order of
 * entries is undefined, but no entry is lost or returned twice.
 */
final class PodHeap {
    private final Map<String, QueuedPod> byKey = new HashMap<>();
    private final TreeSet<QueuedPod> ordered;

    PodHeap(Comparator<QueuedPod> order) {
        ordered = new TreeSet<>(order);
    }

    /** Adds an entry, or replaces the one with the same key. */
    void put(QueuedPod entry) {
        QueuedPod old = byKey.put(entry.key(), entry);
        if (old != null) {
            drop(old);
        }
        ordered.add(entry);
    }

    @SuppressWarnings("ReferenceEquality") // found by identity, without the order
    private void drop(QueuedPod old) {
        if (!ordered.remove(old)) {
            ordered.removeIf(entry -> entry == old);
        }
    }

    @Nullable
    QueuedPod get(String key) {
        return byKey.get(key);
    }

    @Nullable
    QueuedPod remove(String key) {
        QueuedPod old = byKey.remove(key);
        if (old != null) {
            drop(old);
        }
        return old;
    }

    @Nullable
    QueuedPod peek() {
        return ordered.isEmpty() ? null : ordered.first();
    }

    @Nullable
    QueuedPod poll() {
        QueuedPod first = ordered.pollFirst();
        if (first != null) {
            byKey.remove(first.key());
        }
        return first;
    }

    int size() {
        return byKey.size();
    }

    /** The entries in order; a view. */
    Collection<QueuedPod> entries() {
        return Collections.unmodifiableCollection(ordered);
    }
}
