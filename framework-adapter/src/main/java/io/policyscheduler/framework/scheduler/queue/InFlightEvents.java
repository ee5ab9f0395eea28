package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.framework.plugin.ObjectEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What has happened while pods were being tried: a pod that fails must not wait for what came meanwhile. Nothing is kept while no pod
 * is being tried. Mirrors {@code inFlightPods} and {@code inFlightEvents} of {@code active_queue.go} of 1.34.
 */
final class InFlightEvents {
    /** Pod to the number of the first event after it was taken. */
    private final Map<String, Long> since = new LinkedHashMap<>();
    /** Empty for what may help every pod. */
    private final List<Optional<ObjectEvent>> log = new ArrayList<>();
    /** Number of the first event in the log. */
    private long first;

    /** A pod is taken from the queue. */
    void begin(String key) {
        since.remove(key);
        since.put(key, first + log.size());
    }

    boolean contains(String key) {
        return since.containsKey(key);
    }

    void add(ObjectEvent event) {
        if (!since.isEmpty()) {
            log.add(Optional.of(event));
        }
    }

    /** Something has happened that may help every pod. */
    void addWildcard() {
        if (!since.isEmpty()) {
            log.add(Optional.empty());
        }
    }

    /** The attempt has ended: what has happened since it began, in order; empty for a pod that was not taken. */
    List<Optional<ObjectEvent>> end(String key) {
        Long begun = since.remove(key);
        List<Optional<ObjectEvent>> happened =
                begun == null ? List.of() : List.copyOf(log.subList((int) (begun - first), log.size()));
        // In the order in which they were taken, so that the eldest is the first.
        long needed =
                since.isEmpty() ? first + log.size() : since.values().iterator().next();
        log.subList(0, (int) (needed - first)).clear();
        first = needed;
        return happened;
    }

    int size() {
        return log.size();
    }
}
