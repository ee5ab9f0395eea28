package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.scheduler.PodsInFlight.Requeue;
import io.policyscheduler.framework.scheduler.cache.CacheResult;
import io.policyscheduler.framework.scheduler.cache.PodCache;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import io.policyscheduler.framework.scheduler.queue.SchedulingQueue;
import io.policyscheduler.framework.scheduler.queue.SpecChange;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the watch shows of pods, applied to cache and queue. Mirrors the pod handlers of
 * {@code pkg/scheduler/eventhandlers.go}, but sees both sides of a change at once, so that a pod that is being bound or
 * read again is never queued a second time.
 */
final class PodEvents {
    private static final Logger log = LoggerFactory.getLogger(PodEvents.class);

    private final Supplier<Profiles> profiles;
    private final InformerStore store;
    private final PodCache cache;
    private final SchedulingQueue queue;
    private final PodsInFlight inFlight;
    private final BindingCycle bindings;
    private final KubeletRefusals refusals;
    private final SchedulerListener listener;
    private final Consumer<PodInfo> ask;
    private final ListDoubts doubts;

    /** @param ask reads a pod from the server; the answer goes to {@link #answered} */
    PodEvents(
            Supplier<Profiles> profiles,
            InformerStore store,
            PodCache cache,
            SchedulingQueue queue,
            PodsInFlight inFlight,
            BindingCycle bindings,
            KubeletRefusals refusals,
            SchedulerListener listener,
            InstantSource clock,
            Consumer<PodInfo> ask) {
        this.profiles = profiles;
        this.store = store;
        this.cache = cache;
        this.queue = queue;
        this.inFlight = inFlight;
        this.bindings = bindings;
        this.refusals = refusals;
        this.listener = listener;
        this.ask = ask;
        this.doubts = new ListDoubts(clock);
    }

    /** True for a pod that this scheduler must find a node for. */
    boolean isPending(PodInfo pod) {
        return pod.nodeName().isEmpty() && !pod.isFinished() && profiles.get().find(pod) != null;
    }

    /** A pod as a watch or a read shows it. Repetitions and versions older than the known one change nothing. */
    void upserted(PodInfo pod) {
        PodInfo known = store.pods().get(pod.key());
        if (known != null && InformerStore.isOlder(pod.resourceVersion(), known.resourceVersion())) {
            doubts.shownOlder(pod);
            return;
        }
        doubts.drop(pod.key());
        if (known != null && known.isSame(pod)) {
            if (!pod.equals(known)) {
                apply(known, pod);
            }
            return;
        }
        if (known != null) {
            deleted(known);
        }
        apply(null, pod);
    }

    /**
     * A complete list: also the truth about what it does not contain, and about versions that went back. What it says of pods
     * that are known in a version from after the list is only believed when no watch has said otherwise for a while.
     */
    void replaced(List<PodInfo> pods, String version) {
        doubts.clear();
        Map<String, PodInfo> listed = new HashMap<>();
        pods.forEach(pod -> listed.put(pod.key(), pod));
        for (PodInfo known : new ArrayList<>(store.pods().values())) {
            PodInfo now = listed.get(known.key());
            if (InformerStore.isOlder(version, known.resourceVersion())) {
                doubts.add(known.key(), now);
                listed.remove(known.key());
            } else if (now == null || !now.isSame(known)) {
                deleted(known);
            }
        }
        for (PodInfo pod : pods) {
            if (listed.containsKey(pod.key())) {
                believe(pod);
            }
        }
    }

    private void believe(PodInfo pod) {
        PodInfo known = store.pods().get(pod.key());
        if (!pod.equals(known)) {
            apply(known, pod);
        }
        reclaim(pod);
    }

    /**
     * Asks the server about pods of which a list has said something else than what is known, when it is long ago and nothing newer has
     * come. To be called every now and then.
     */
    void settleDoubts() {
        doubts.due().forEach((key, listed) -> {
            PodInfo known = store.pods().get(key);
            if (known != null) {
                ask.accept(known);
            } else {
                listed.ifPresent(this::believe);
            }
        });
    }

    /**
     * What the server itself says is believed, also when its history has gone back; unless the watch has said more meanwhile.
     *
     * @param asked as the pod was known when the server was asked
     */
    void answered(PodInfo asked, PodRead read) {
        PodInfo known = store.pods().get(asked.key());
        if (known == null || !known.equals(asked)) {
            return;
        }
        if (read instanceof PodRead.Failed) {
            doubts.unanswered(asked.key());
        } else if (read instanceof PodRead.Found found) {
            if (!found.pod().isSame(known)) {
                deleted(known);
            }
            believe(found.pod());
        } else {
            deleted(known);
        }
    }

    /** A pod that a list shows unbound, although it was thought settled, waits again. */
    private void reclaim(PodInfo pod) {
        String id = PodsInFlight.idOf(pod);
        if (isPending(pod) && inFlight.settled().containsKey(id) && !cache.isAssumed(pod.uid())) {
            inFlight.settled().remove(id);
            queue.add(pod);
        }
    }

    /** A deletion; of an earlier pod of the same name, it changes nothing. */
    void deleted(String namespace, String name, String uid) {
        String key = namespace.isEmpty() ? name : namespace + "/" + name;
        PodInfo known = store.pods().get(key);
        if (known != null && (uid.isEmpty() || uid.equals(known.uid()))) {
            doubts.drop(key);
            deleted(known);
        } else {
            doubts.shownDeleted(key);
        }
    }

    /** Other profiles are in force: pods that have become ours wait from now on, others no longer. */
    void profilesChanged(Profiles before) {
        for (PodInfo pod : new ArrayList<>(store.pods().values())) {
            boolean waits = pod.nodeName().isEmpty() && !pod.isFinished();
            boolean was = waits && before.find(pod) != null;
            boolean is = waits && profiles.get().find(pod) != null;
            if (was && !is) {
                retire(pod);
            } else if (is && !was && !inFlight.contains(pod)) {
                queue.add(pod);
            }
        }
    }

    /** The pod is ours no longer. A bind or a read that is under way goes on; what comes of it is still followed. */
    private void retire(PodInfo pod) {
        queue.delete(pod);
        bindings.dropWaiting(PodsInFlight.idOf(pod));
    }

    private void apply(@Nullable PodInfo known, PodInfo pod) {
        if (pod.isFinished()) {
            if (known != null) {
                remove(known);
                fate(pod);
            }
            return;
        }
        store.pods().put(pod.key(), pod);
        boolean isOnItsWay = known != null && inFlight.contains(known);
        boolean waited = known != null && (isOnItsWay || isPending(known));
        // One that is on its way is followed to the end, also when its profile is gone.
        boolean waits = isPending(pod) || (isOnItsWay && pod.nodeName().isEmpty());
        if (known != null && waited && !waits) {
            leaveQueue(known, pod.nodeName());
        }
        boolean wasAssigned = known != null && !known.nodeName().isEmpty();
        if (!pod.nodeName().isEmpty()) {
            if (!wasAssigned) {
                listener.onAssigned(pod, known != null);
            }
            assigned(pod, wasAssigned);
        } else if (known != null && wasAssigned) {
            unassigned(known);
        }
        if (known != null && waits && waited) {
            pendingUpdated(known, pod);
        } else if (waits) {
            queue.add(pod);
        }
    }

    private void assigned(PodInfo pod, boolean before) {
        if (before) {
            logRefusal(cache.update(pod));
            queue.assignedPodUpdated(pod);
        } else {
            logRefusal(cache.add(pod));
            queue.assignedPodAdded(pod);
        }
    }

    private void unassigned(PodInfo known) {
        logRefusal(cache.remove(known));
        queue.moveAll(ClusterEvent.ASSIGNED_POD_DELETE, known);
    }

    /** The newest version is kept for whatever comes next; only a pod that is nowhere else goes to the queue. */
    private void pendingUpdated(PodInfo old, PodInfo pod) {
        String id = PodsInFlight.idOf(pod);
        PodsInFlight.Binding binding = inFlight.bindings().get(id);
        Requeue requeue = inFlight.requeues().get(id);
        QueuedPod settled = inFlight.settled().get(id);
        if (binding != null) {
            binding.entry = binding.entry.withPod(pod);
        } else if (requeue != null) {
            requeue.entry = requeue.entry.withPod(pod);
            requeue.changed |= SpecChange.isBetween(old, pod);
            if (!requeue.keepsRoom()) {
                // While it may be bound it counts where it was assumed, and nowhere else.
                queue.nominated().renominate(old, pod);
            }
        } else if (settled != null) {
            inFlight.settled().put(id, settled.withPod(pod));
        } else {
            queue.update(old, pod);
        }
    }

    private void deleted(PodInfo known) {
        remove(known);
        if (!known.nodeName().isEmpty() && profiles.get().find(known) != null) {
            refusals.vanished(known);
        }
    }

    /** What has become of a pod whose node has given its room back. */
    void fate(PodInfo pod) {
        if (pod.isFinished() && profiles.get().find(pod) != null) {
            refusals.finished(pod, profiles.get().generation());
        }
    }

    private void remove(PodInfo known) {
        store.pods().remove(known.key());
        if (!known.nodeName().isEmpty()) {
            // The answer to its bind may still be on its way, and would find nothing to compare with.
            PodsInFlight.Binding binding = inFlight.bindings().remove(PodsInFlight.idOf(known));
            if (binding != null) {
                bindings.settle(binding, known.nodeName(), "bound to \"" + known.nodeName() + "\"");
            }
            unassigned(known);
        } else if (isPending(known) || inFlight.contains(known)) {
            boolean freesRoom = cache.isAssumed(known.uid());
            leaveQueue(known, "");
            String id = PodsInFlight.idOf(known);
            bindings.abandon(id);
            PodInfo assumed = cache.get(known.uid());
            if (assumed != null) {
                // Bound by us and deleted before the watch ever showed it bound.
                logRefusal(cache.forget(assumed));
            }
            if (freesRoom) {
                queue.moveAll(ClusterEvent.ASSIGNED_POD_DELETE);
            }
            listener.onPodGone(known);
        }
    }

    private void leaveQueue(PodInfo known, String node) {
        String id = PodsInFlight.idOf(known);
        queue.delete(known);
        profiles.get().runtimes().forEach(runtime -> runtime.volumes().drop(known));
        bindings.dropWaiting(id);
        inFlight.settled().remove(id);
        Requeue requeue = inFlight.requeues().remove(id);
        if (requeue != null && requeue.unconfirmed != null) {
            bindings.settle(requeue.unconfirmed, node, "bound to \"" + node + "\"");
        }
    }

    private static void logRefusal(CacheResult result) {
        if (result.status() == CacheResult.Status.REFUSED) {
            log.error("scheduler cache: {}", result.message());
        }
    }
}
