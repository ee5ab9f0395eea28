package io.policyscheduler.framework.scheduler.loop;

import com.google.common.collect.Maps;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.backend.Cache.InformerStore;
import io.policyscheduler.framework.scheduler.binding.PodRereader;
import io.policyscheduler.framework.scheduler.binding.SchedulerState;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which of what is shown of pods is believed: a watch shows them late or twice, and lists may be older than what is known. */
final class PodUpdateFilter implements PodRereader.Shown {
    private final SchedulerState state;
    private final SchedulerContext surroundings;
    private final PodEvents events;
    private final ListDoubts doubts;
    /** Pods as they were known when the server was asked about them, by token. */
    private final Map<Long, PodInfo> asked = new HashMap<>();

    private long asks;

    PodUpdateFilter(SchedulerState state, SchedulerContext surroundings, PodEvents events) {
        this.state = state;
        this.surroundings = surroundings;
        this.events = events;
        this.doubts = new ListDoubts(surroundings.clock());
    }

    @Override
    public boolean isPending(PodInfo pod) {
        return events.isPending(pod);
    }

    /** A pod as a watch or a read shows it. Repetitions and versions older than the known one change nothing. */
    @Override
    public void upserted(PodInfo pod) {
        PodInfo known = state.store().pods().get(pod.key());
        if (known != null && InformerStore.isOlder(pod.resourceVersion(), known.resourceVersion())) {
            doubts.shownOlder(pod);
            return;
        }
        doubts.drop(pod.key());
        if (known != null && known.isSame(pod)) {
            if (!pod.equals(known)) {
                events.changed(known, pod);
            }
            return;
        }
        if (known != null) {
            events.deleted(known);
        }
        events.changed(null, pod);
    }

    /**
     * A complete list: also the truth about what it does not contain, and about versions that went back. What it says of pods
     * that are known in a version from after the list is only believed when no watch has said otherwise for a while.
     */
    void replaced(List<PodInfo> pods, String version) {
        doubts.clear();
        if (state.store().pods().isEmpty()) {
            pods.forEach(this::believe);
            return;
        }
        Map<String, PodInfo> listed = Maps.newHashMapWithExpectedSize(pods.size());
        pods.forEach(pod -> listed.put(pod.key(), pod));
        for (PodInfo known : new ArrayList<>(state.store().pods().values())) {
            PodInfo now = listed.get(known.key());
            if (InformerStore.isOlder(version, known.resourceVersion())) {
                doubts.add(known.key(), now);
                listed.remove(known.key());
            } else if (now == null || !now.isSame(known)) {
                events.deleted(known);
            }
        }
        for (PodInfo pod : pods) {
            if (listed.containsKey(pod.key())) {
                believe(pod);
            }
        }
    }

    private void believe(PodInfo pod) {
        PodInfo known = state.store().pods().get(pod.key());
        if (!pod.equals(known)) {
            events.changed(known, pod);
        }
        reclaim(pod);
    }

    /**
     * Asks the server about pods of which a list has said something else than what is known, when it is long ago and nothing newer has
     * come. To be called every now and then.
     */
    void settleDoubts() {
        doubts.due().forEach((key, listed) -> {
            PodInfo known = state.store().pods().get(key);
            if (known != null) {
                long token = ++asks;
                asked.put(token, known);
                surroundings
                        .writer()
                        .readPod(
                                known, read -> surroundings.inbox().post(new ClusterChange.DoubtAnswered(token, read)));
            } else {
                listed.ifPresent(this::believe);
            }
        });
    }

    /** What the server itself says is believed, also when its history has gone back; unless the watch has said more meanwhile. */
    void answered(long token, PodRead read) {
        PodInfo before = asked.remove(token);
        PodInfo known = before == null ? null : state.store().pods().get(before.key());
        if (known == null || !known.equals(before)) {
            return;
        }
        if (read instanceof PodRead.Failed) {
            doubts.unanswered(known.key());
        } else if (read instanceof PodRead.Found found) {
            if (!found.pod().isSame(known)) {
                events.deleted(known);
            }
            believe(found.pod());
        } else {
            events.deleted(known);
        }
    }

    /** A pod that a list shows unbound, although it was thought settled, waits again. */
    private void reclaim(PodInfo pod) {
        if (isPending(pod)
                && !state.cache().isAssumed(pod.uid())
                && state.inFlight().removeSettled(pod)) {
            state.queue().add(pod);
        }
    }

    /** A deletion; of an earlier pod of the same name, it changes nothing. */
    void deleted(String namespace, String name, String uid) {
        String key = namespace.isEmpty() ? name : namespace + "/" + name;
        PodInfo known = state.store().pods().get(key);
        if (known != null && (uid.isEmpty() || uid.equals(known.uid()))) {
            doubts.drop(key);
            events.deleted(known);
        } else {
            doubts.shownDeleted(key);
        }
    }

    /**
     * What a list has said of pods that were known in a newer version than the list's. Such a list comes late, or from a server that
     * lags behind, and the watch that starts where it ends soon shows the pods again. If it does not, either the watch is late, too, or
     * the server's history has gone back and the list was right: the server itself has to be asked.
     */
    static final class ListDoubts {
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
}
