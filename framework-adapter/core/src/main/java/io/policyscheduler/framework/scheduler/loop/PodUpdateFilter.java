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

/** Filters observed pods: a watch can be late or repeat events, and lists can be older than the known state. */
final class PodUpdateFilter implements PodRereader.ReceivedPods {
    private final SchedulerState state;
    private final SchedulerContext context;
    private final PodEvents events;
    private final ListDoubts doubts;
    /** The known versions of pods at the time of their reads, by token. */
    private final Map<Long, PodInfo> pendingReads = new HashMap<>();

    private long reads;

    PodUpdateFilter(SchedulerState state, SchedulerContext context, PodEvents events) {
        this.state = state;
        this.context = context;
        this.events = events;
        this.doubts = new ListDoubts(context.clock());
    }

    @Override
    public boolean isPending(PodInfo pod) {
        return events.isPending(pod);
    }

    /** Handles a pod from a watch or a read. Repetitions and versions older than the known one are ignored. */
    @Override
    public void upserted(PodInfo pod) {
        PodInfo known = state.store().pods().get(pod.key());
        if (known != null && InformerStore.isOlder(pod.resourceVersion(), known.resourceVersion())) {
            doubts.receivedOlder(pod);
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
     * Handles a complete list: pods that it does not contain are deleted, and versions can go back. For pods with a known version
     * newer than the list, the list applies only if the watch has not contradicted it for a while.
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
     * Reads the pods from the API server for which a list contradicts the known state, if the watch has not updated them for a
     * while. Called periodically.
     */
    void settleDoubts() {
        doubts.due().forEach((key, listed) -> {
            PodInfo known = state.store().pods().get(key);
            if (known != null) {
                long token = ++reads;
                pendingReads.put(token, known);
                context.writer()
                        .readPod(known, read -> context.inbox().post(new ClusterChange.DoubtAnswered(token, read)));
            } else {
                listed.ifPresent(this::believe);
            }
        });
    }

    /** Applies a direct read, even if its version is older, unless the watch has reported a change meanwhile. */
    void completed(long token, PodRead read) {
        PodInfo before = pendingReads.remove(token);
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

    /** Requeues a pod that a list shows unbound although a bind had succeeded. */
    private void reclaim(PodInfo pod) {
        if (isPending(pod)
                && !state.cache().isAssumed(pod.uid())
                && state.inFlight().removeSettled(pod)) {
            state.queue().add(pod);
        }
    }

    /** Handles a deletion; one of an earlier pod of the same name is ignored. */
    void deleted(String namespace, String name, String uid) {
        String key = namespace.isEmpty() ? name : namespace + "/" + name;
        PodInfo known = state.store().pods().get(key);
        if (known != null && (uid.isEmpty() || uid.equals(known.uid()))) {
            doubts.drop(key);
            events.deleted(known);
        } else {
            doubts.receivedDeleted(key);
        }
    }

    /**
     * Pods in a list that were known in a newer version. Such a list is late, or from a stale server, and the watch that starts at
     * its version soon reports the pods again. If it does not, either the watch is late, too, or the server's history has gone back
     * (restore) and the list was right: a direct read decides.
     */
    static final class ListDoubts {
        /** Until then a list that contradicts the known state is ignored. */
        private static final Duration PATIENCE = Duration.ofMinutes(1);
        /** The delay between two reads of a pod after a failure. */
        private static final Duration RETRY = Duration.ofSeconds(10);
        /** The maximum number of reads at the same time: after a restore, all pods are read. */
        private static final int AT_ONCE = 100;

        private final InstantSource clock;
        private final Map<String, Optional<PodInfo>> listed = new LinkedHashMap<>();
        private Instant believedFrom = Instant.MIN;

        ListDoubts(InstantSource clock) {
            this.clock = clock;
        }

        /** A new list replaces the doubts of the previous one. */
        void clear() {
            listed.clear();
            believedFrom = clock.instant().plus(PATIENCE);
        }

        /**
         * The list is older than the known version of a pod.
         *
         * @param pod the version in the list; null if the list does not contain it
         */
        void add(String key, @Nullable PodInfo pod) {
            listed.put(key, Optional.ofNullable(pod));
        }

        /** A pod was observed in a version as new as the known one. */
        void drop(String key) {
            listed.remove(key);
        }

        /** A watch reports a version older than the known one: it catches up, or this is the newest version. */
        void receivedOlder(PodInfo pod) {
            listed.computeIfPresent(pod.key(), (key, before) -> Optional.of(pod));
        }

        /** A watch reports the deletion of another pod of this name. */
        void receivedDeleted(String key) {
            listed.computeIfPresent(key, (same, before) -> Optional.empty());
        }

        /** The read of a pod has failed. */
        void unanswered(String key) {
            listed.put(key, Optional.empty());
            believedFrom = clock.instant().plus(RETRY);
        }

        /** The pods to read now, a limited number at a time: by key the pod in the list, empty for none. */
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
