package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.profile.ReleaseRules;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.binding.BindingCycle.Placement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pods that are neither in the queue nor finished with: where each of them is between two visits of the queue. */
public final class PodsInFlight {
    private final Map<String, Binding> bindings = new LinkedHashMap<>();
    private final Map<String, Requeue> requeues = new LinkedHashMap<>();
    private final Map<String, QueuedPod> settled = new LinkedHashMap<>();
    private long tokens;

    /** A pod on its way to a node. The token tells its answers from those of an earlier binding of the same pod. */
    static final class Binding {
        final long token;
        final PodInfo assumed;
        final Placement placement;
        final VolumeAssumer.Assumed volumes;
        final ReserveAndPermit approval;
        final Instant started;
        QueuedPod entry;
        /** How often the bind was sent. */
        int sent;
        /** When a bind last came back without an answer. */
        @Nullable
        Instant doubtedSince;
        /** Whether there is anything to take back: a reserve has been tried and not been taken back yet. */
        boolean reserved;
        /** Whether its volumes have been asked for and are not there yet. */
        boolean waitsForVolumes;

        Binding(
                long token,
                QueuedPod entry,
                PodInfo assumed,
                Placement placement,
                VolumeAssumer.Assumed volumes,
                Instant started) {
            this.token = token;
            this.entry = entry;
            this.assumed = assumed;
            this.placement = placement;
            this.volumes = volumes;
            this.approval =
                    new ReserveAndPermit(placement.runtime().profile(), placement.state(), assumed, placement.node());
            this.started = started;
        }

        /** See {@link #idOf}. */
        String id() {
            return idOf(assumed);
        }

        /** When a bind without an answer can no longer be carried out; null if none came back without an answer. */
        @Nullable
        Instant endOfDoubt() {
            return doubtedSince == null ? null : doubtedSince.plus(SchedulerOptions.BIND_DOUBT);
        }

        String node() {
            return assumed.nodeName();
        }

        ReleaseRules rules() {
            return placement.runtime().profile().rules();
        }

        long nanosUntil(Instant now) {
            return Duration.between(started, now).toNanos();
        }
    }

    /** A failed pod that is read again before it goes back to the queue. */
    static final class Requeue {
        final long token;
        final long podCycle;
        /** A bind without an answer: the pod stays assumed until it is bound, or can no longer be by that request. */
        @Nullable
        Binding unconfirmed;
        /** A pod that was bound, but never shown so: it stays assumed until the server has said what became of it. */
        @Nullable
        PodInfo overdue;

        QueuedPod entry;
        /** The spec changed meanwhile, so that the failure no longer counts. */
        boolean changed;

        int failedReads;
        /** Whether the API server did not respond to the last read. */
        boolean unanswered;

        Requeue(long token, QueuedPod entry, long podCycle, @Nullable Binding unconfirmed) {
            this.token = token;
            this.entry = entry;
            this.podCycle = podCycle;
            this.unconfirmed = unconfirmed;
        }

        /** True while the pod is still assumed on a node. */
        boolean keepsRoom() {
            return unconfirmed != null || overdue != null;
        }
    }

    /** The name of a pod in these maps: its UID, or its key when it has none. */
    static String idOf(PodInfo pod) {
        return pod.uid().isEmpty() ? pod.key() : pod.uid();
    }

    /** True while a pod that the profile decided is on its way, or may be: its plugins may yet have to take something back. */
    @SuppressWarnings("ReferenceEquality") // the very runtime is meant: its plugins, not their like
    boolean isUsing(ProfileRuntime runtime) {
        for (Binding binding : bindings.values()) {
            if (binding.placement.runtime() == runtime) {
                return true;
            }
        }
        for (Requeue requeue : requeues.values()) {
            if (requeue.unconfirmed != null && requeue.unconfirmed.placement.runtime() == runtime) {
                return true;
            }
        }
        return false;
    }

    /** True for a pod that is on its way, whether its profile is still in force or not. */
    public boolean contains(PodInfo pod) {
        String id = idOf(pod);
        return bindings.containsKey(id) || requeues.containsKey(id) || settled.containsKey(id);
    }

    long nextToken() {
        return tokens++;
    }

    /** Pods whose bind, or its preparation, is under way. */
    Map<String, Binding> bindings() {
        return bindings;
    }

    /** Failed pods that are read again. */
    Map<String, Requeue> requeues() {
        return requeues;
    }

    /** Pods that the API server said are bound, while the watch still shows them unbound. */
    Map<String, QueuedPod> settled() {
        return settled;
    }

    /** Forgets that the pod is said to be bound; true if that was so. */
    public boolean removeSettled(PodInfo pod) {
        return settled.remove(idOf(pod)) != null;
    }

    /** How many binds are under way. */
    public int bindingCount() {
        return bindings.size();
    }

    /** How many failed pods are read again. */
    public int requeueCount() {
        return requeues.size();
    }

    /** How many pods are said to be bound and not shown so yet. */
    public int settledCount() {
        return settled.size();
    }

    /** In which of its parts a pod is: one at most, or something is wrong. */
    public List<String> placesOf(PodInfo pod) {
        String id = idOf(pod);
        List<String> places = new ArrayList<>();
        if (bindings.containsKey(id)) {
            places.add("binding");
        }
        if (requeues.containsKey(id)) {
            places.add("rereading");
        }
        if (settled.containsKey(id)) {
            places.add("settled");
        }
        return places;
    }

    /** True for a {@code namespace/name} whose pod is on its way, and may fail. */
    public boolean mayFail(String key) {
        return bindings.values().stream()
                        .anyMatch(binding -> binding.entry.key().equals(key))
                || requeues.values().stream()
                        .anyMatch(requeue -> requeue.entry.key().equals(key));
    }

    /** True while a pod is rightly assumed without a deadline. */
    public boolean keepsRoom(String uid) {
        Requeue requeue = requeues.get(uid);
        return bindings.containsKey(uid) || (requeue != null && requeue.keepsRoom());
    }

    /** True while what was reserved for a pod need not be taken back. */
    public boolean mayBeBound(String uid) {
        Requeue requeue = requeues.get(uid);
        return bindings.containsKey(uid) || (requeue != null && requeue.unconfirmed != null);
    }
}
