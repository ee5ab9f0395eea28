package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.Cache;
import io.policyscheduler.framework.scheduler.backend.Cache.InformerStore;
import io.policyscheduler.framework.scheduler.backend.Cache.Result;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.binding.BindResults;
import io.policyscheduler.framework.scheduler.binding.CurrentProfiles;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight;
import io.policyscheduler.framework.scheduler.binding.SchedulerState;
import io.policyscheduler.framework.scheduler.loop.KubeletRejections.RejectionEvents;
import java.util.ArrayList;
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
    private final RejectionEvents rejectionEvents;

    PodEvents(
            SchedulerState state,
            SchedulerListener listener,
            CurrentProfiles profiles,
            BindResults bindings,
            RejectionEvents rejectionEvents) {
        this.store = state.store();
        this.cache = state.cache();
        this.queue = state.queue();
        this.inFlight = state.inFlight();
        this.listener = listener;
        this.profiles = profiles;
        this.bindings = bindings;
        this.rejectionEvents = rejectionEvents;
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
                rejectionEvents.finished(pod);
            }
            return;
        }
        store.pods().put(pod.key(), pod);
        listener.onPod(known, pod);
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
                rejectionEvents.started(pod);
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
            logRejection(cache.update(pod));
            queue.assignedPodUpdated(before, pod);
        } else {
            PodInfo assumed = cache.get(pod.uid());
            logRejection(cache.add(pod));
            queue.assignedPodAdded(pod);
            if (assumed != null && !assumed.nodeName().equals(pod.nodeName())) {
                // Another process was faster than the bind of this one, so that the assumed node is free.
                queue.assignedPodDeleted(assumed);
            }
        }
    }

    private void unassigned(PodInfo known) {
        logRejection(cache.remove(known));
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
        rejectionEvents.vanished(known);
    }

    private void remove(PodInfo known) {
        store.pods().remove(known.key());
        listener.onPod(known, null);
        if (!known.nodeName().isEmpty()) {
            bindings.removedFromNode(known);
            unassigned(known);
        } else if (isPending(known) || inFlight.contains(known)) {
            PodInfo freed = cache.isAssumed(known.uid()) ? cache.get(known.uid()) : null;
            leaveQueue(known, "");
            bindings.abandon(known);
            PodInfo assumed = cache.get(known.uid());
            if (assumed != null) {
                // Bound by this scheduler and deleted before the watch reported it as bound.
                logRejection(cache.forget(assumed));
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

    private static void logRejection(Result result) {
        if (result.status() == Result.Status.REFUSED) {
            log.error("scheduler cache: {}", result.message());
        }
    }
}
