package io.policyscheduler.framework.scheduler.loop;

import com.google.common.collect.Maps;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.Cache;
import io.policyscheduler.framework.scheduler.backend.Cache.InformerStore;
import io.policyscheduler.framework.scheduler.backend.Cache.Result;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.binding.BindResults;
import io.policyscheduler.framework.scheduler.binding.CurrentProfiles;
import io.policyscheduler.framework.scheduler.binding.PodRereader;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight;
import io.policyscheduler.framework.scheduler.binding.SchedulerState;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import io.policyscheduler.framework.scheduler.loop.KubeletRejections.KubeletRefusals;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies changes of pods to cache and queue. Mirrors the pod handlers of {@code pkg/scheduler/eventhandlers.go}, but handles both
 * sides of a change together, so that a pod that is being bound or read again is never queued a second time.
 */
final class PodEvents {
    private static final Logger log = LoggerFactory.getLogger(PodEvents.class);

    private final InformerStore store;
    private final Cache cache;
    private final SchedulingQueue queue;
    private final PodsInFlight inFlight;
    private final SchedulerListener listener;
    private final CurrentProfiles profiles;
    private final BindResults bindings;
    private final KubeletRefusals refusals;

    PodEvents(
            SchedulerState state,
            SchedulerListener listener,
            CurrentProfiles profiles,
            BindResults bindings,
            KubeletRefusals refusals) {
        this.store = state.store();
        this.cache = state.cache();
        this.queue = state.queue();
        this.inFlight = state.inFlight();
        this.listener = listener;
        this.profiles = profiles;
        this.bindings = bindings;
        this.refusals = refusals;
    }

    /** Whether this scheduler has to schedule the pod. */
    boolean isPending(PodInfo pod) {
        return pod.nodeName().isEmpty() && !pod.isFinished() && profiles.isOurs(pod);
    }

    /** The profiles were replaced: adds the pods that now belong to this scheduler, and removes the others. */
    void profilesChanged(Profiles before) {
        for (PodInfo pod : new ArrayList<>(store.pods().values())) {
            boolean waits = pod.nodeName().isEmpty() && !pod.isFinished();
            boolean was = waits && before.find(pod) != null;
            boolean is = waits && profiles.isOurs(pod);
            if (was && !is) {
                retire(pod);
            } else if (is && !was && !inFlight.contains(pod)) {
                queue.add(pod);
            }
        }
    }

    /** The pod no longer belongs to this scheduler. A bind or a read in progress continues and its result is handled. */
    private void retire(PodInfo pod) {
        queue.delete(pod);
        bindings.dropWaiting(pod);
    }

    /** @param known the previous version; null for a new pod */
    void changed(@Nullable PodInfo known, PodInfo pod) {
        if (pod.isFinished()) {
            if (known != null) {
                remove(known);
                refusals.finished(pod);
            }
            return;
        }
        store.pods().put(pod.key(), pod);
        boolean isOnItsWay = known != null && inFlight.contains(known);
        boolean waited = known != null && (isOnItsWay || isPending(known));
        // A pod in flight is handled to the end, even if its profile was removed.
        boolean waits = isPending(pod) || (isOnItsWay && pod.nodeName().isEmpty());
        if (known != null && waited && !waits) {
            leaveQueue(known, pod.nodeName());
        }
        boolean wasAssigned = known != null && !known.nodeName().isEmpty();
        if (!pod.nodeName().isEmpty()) {
            if (!wasAssigned) {
                listener.onAssigned(pod, known != null);
                if (waited && !isOnItsWay && profiles.isOurs(pod)) {
                    listener.onBoundByAnother(pod);
                }
            }
            assigned(wasAssigned ? known : null, pod);
            if (pod.phase().equals("Running")
                    && !(known != null && known.phase().equals("Running"))) {
                refusals.started(pod);
            }
        } else if (known != null && wasAssigned) {
            unassigned(known);
        }
        if (known != null && waits && waited) {
            pendingUpdated(known, pod);
        } else if (waits) {
            queue.add(pod);
        } else if (known == null && pod.nodeName().isEmpty()) {
            listener.onLeft(pod);
        }
    }

    /** @param before the previous version on its node; null if it was not assigned */
    private void assigned(@Nullable PodInfo before, PodInfo pod) {
        if (before != null) {
            logRefusal(cache.update(pod));
            queue.assignedPodUpdated(before, pod);
        } else {
            logRefusal(cache.add(pod));
            queue.assignedPodAdded(pod);
        }
    }

    private void unassigned(PodInfo known) {
        logRefusal(cache.remove(known));
        queue.assignedPodDeleted(known);
    }

    /** Stores the newest version. Only a pod that is not in flight is added to the queue. */
    private void pendingUpdated(PodInfo old, PodInfo pod) {
        if (bindings.updated(old, pod)) {
            queue.updatedInFlight(old, pod);
        } else {
            queue.update(old, pod);
        }
    }

    void deleted(PodInfo known) {
        remove(known);
        refusals.vanished(known);
    }

    private void remove(PodInfo known) {
        store.pods().remove(known.key());
        if (!known.nodeName().isEmpty()) {
            bindings.goneFromNode(known);
            unassigned(known);
        } else if (isPending(known) || inFlight.contains(known)) {
            PodInfo freed = cache.isAssumed(known.uid()) ? cache.get(known.uid()) : null;
            leaveQueue(known, "");
            bindings.abandon(known);
            PodInfo assumed = cache.get(known.uid());
            if (assumed != null) {
                // Bound by this scheduler and deleted before the watch reported it as bound.
                logRefusal(cache.forget(assumed));
            }
            if (freed != null) {
                queue.assignedPodDeleted(freed);
            }
            listener.onPodGone(known);
        }
    }

    private void leaveQueue(PodInfo known, String node) {
        queue.delete(known);
        profiles.all().runtimes().forEach(runtime -> runtime.volumes().drop(known));
        bindings.leftQueue(known, node);
    }

    private static void logRefusal(Result result) {
        if (result.status() == Result.Status.REFUSED) {
            log.error("scheduler cache: {}", result.message());
        }
    }

    /** Filters observed pods: a watch can be late or repeat events, and lists can be older than the known state. */
    static final class PodUpdateFilter implements PodRereader.Shown {
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

        /** Handles a pod from a watch or a read. Repetitions and versions older than the known one are ignored. */
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
                    long token = ++asks;
                    asked.put(token, known);
                    surroundings
                            .writer()
                            .readPod(
                                    known,
                                    read -> surroundings.inbox().post(new ClusterChange.DoubtAnswered(token, read)));
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
                doubts.shownDeleted(key);
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
             * @param shown the version in the list; null if the list does not contain it
             */
            void add(String key, @Nullable PodInfo shown) {
                listed.put(key, Optional.ofNullable(shown));
            }

            /** A pod was observed in a version as new as the known one. */
            void drop(String key) {
                listed.remove(key);
            }

            /** A watch reports a version older than the known one: it catches up, or this is the newest version. */
            void shownOlder(PodInfo pod) {
                listed.computeIfPresent(pod.key(), (key, before) -> Optional.of(pod));
            }

            /** A watch reports the deletion of another pod of this name. */
            void shownDeleted(String key) {
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
}
