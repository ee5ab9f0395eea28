package io.policyscheduler.framework.scheduler.queue;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Entries in an order, each reachable by its key. The order must tell any two entries apart. The keys are the truth: an order that
 * contradicts itself, which a plugin can bring, gets the sequence wrong, but no entry is lost or served twice.
 */
final class PodHeap {
    private final Map<String, QueuedPod> byKey = new HashMap<>();
    private final TreeSet<QueuedPod> ordered;

    PodHeap(Comparator<QueuedPod> order) {
        ordered = new TreeSet<>(order);
    }

    /** Adds, replacing the entry with the same key. */
    void put(QueuedPod entry) {
        QueuedPod old = byKey.put(entry.key(), entry);
        if (old != null) {
            ordered.remove(old);
        }
        ordered.add(entry);
    }

    @Nullable
    QueuedPod get(String key) {
        return byKey.get(key);
    }

    @Nullable
    QueuedPod remove(String key) {
        QueuedPod old = byKey.remove(key);
        if (old != null) {
            ordered.remove(old);
        }
        return old;
    }

    @Nullable
    QueuedPod peek() {
        while (!ordered.isEmpty()) {
            QueuedPod first = ordered.first();
            if (isPresent(first)) {
                return first;
            }
            ordered.pollFirst();
        }
        return null;
    }

    @Nullable
    QueuedPod poll() {
        QueuedPod first = peek();
        if (first != null) {
            ordered.pollFirst();
            byKey.remove(first.key());
        }
        return first;
    }

    @SuppressWarnings("ReferenceEquality") // an earlier version of an entry that could not be found when it was replaced
    private boolean isPresent(QueuedPod entry) {
        return byKey.get(entry.key()) == entry;
    }

    int size() {
        return byKey.size();
    }

    /** In order; a view. */
    Collection<QueuedPod> entries() {
        return ordered.size() == byKey.size()
                ? Collections.unmodifiableCollection(ordered)
                : ordered.stream().filter(this::isPresent).toList();
    }
}
