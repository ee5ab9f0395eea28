package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a list has said of pods that were known in a newer version than the list's. Such a list comes late, or from a server that
 * lags behind, and the watch that starts where it ends soon shows the pods again. If it does not, either the watch is late, too, or
 * the server's history has gone back and the list was right: the server itself has to be asked.
 */
final class ListDoubts {
    /** Until then a list that contradicts what is known is not believed. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** Between two questions about a pod that the server has not answered. */
    private static final Duration RETRY = Duration.ofSeconds(10);
    /** A server that was restored is asked about all pods. */
    private static final int AT_ONCE = 100;

    private final InstantSource clock;
    private final Map<String, Optional<PodInfo>> listed = new LinkedHashMap<>();
    private Instant believedFrom = Instant.MIN;

    ListDoubts(InstantSource clock) {
        this.clock = clock;
    }

    /** A new list: what the one before said no longer counts. */
    void clear() {
        listed.clear();
        believedFrom = clock.instant().plus(PATIENCE);
    }

    /**
     * The list is older than what is known of a pod.
     *
     * @param shown as it stands in the list; null when it does not
     */
    void add(String key, @Nullable PodInfo shown) {
        listed.put(key, Optional.ofNullable(shown));
    }

    /** A pod is shown in a version as new as the known one. */
    void drop(String key) {
        listed.remove(key);
    }

    /** A watch shows a version older than the known one: on its way to it, or as new as it gets. */
    void shownOlder(PodInfo pod) {
        listed.computeIfPresent(pod.key(), (key, before) -> Optional.of(pod));
    }

    /** A watch shows that another incarnation than the known one is gone. */
    void shownDeleted(String key) {
        listed.computeIfPresent(key, (same, before) -> Optional.empty());
    }

    /** The server has not answered the question about a pod. */
    void unanswered(String key) {
        listed.put(key, Optional.empty());
        believedFrom = clock.instant().plus(RETRY);
    }

    /** What the server is to be asked about now, once and some at a time: key to the pod as it was shown, empty for none. */
    Map<String, Optional<PodInfo>> due() {
        if (listed.isEmpty() || clock.instant().isBefore(believedFrom)) {
            return Map.of();
        }
        Map<String, Optional<PodInfo>> due = new LinkedHashMap<>();
        for (Map.Entry<String, Optional<PodInfo>> entry : listed.entrySet()) {
            if (due.size() < AT_ONCE) {
                due.put(entry.getKey(), entry.getValue());
            }
        }
        listed.keySet().removeAll(due.keySet());
        return due;
    }
}
