package io.policyscheduler.framework.scheduler.binding;

import com.google.common.collect.Iterables;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.profile.ReleaseRules;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.binding.BindingCycle.Placement;
import io.policyscheduler.framework.scheduler.binding.BindingCycle.ReserveAndPermit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pods that were popped from the queue and are not finished: being bound, or read again after a failure. */
public final class PodsInFlight {
    private final Map<String, Binding> bindings = new LinkedHashMap<>();
    private final Map<String, Requeue> requeues = new LinkedHashMap<>();
    private final Map<String, QueuedPod> settled = new LinkedHashMap<>();
    private final Map<String, Binding> ending = new LinkedHashMap<>();
    private long tokens;

    /** A pod that is being bound. The token distinguishes its results from those of an earlier binding of the same pod. */
    static final class Binding {
        /** The number of bind requests at least if the server responds to reads but not to binds. */
        private static final int MAX_SENT = 6;
        /** How long the bind is repeated at least: a proxy may fail only binds for a while. */
        private static final Duration REPEATED = Duration.ofSeconds(30);

        final long token;
        final PodInfo assumed;
        final Placement placement;
        final VolumeAssumer.Assumed volumes;
        final ReserveAndPermit approval;
        final Instant started;
        QueuedPod entry;
        /** The number of bind requests. */
        int sent;
        /** When the first bind ended without a response. */
        @Nullable
        Instant unansweredSince;
        /** When the last bind ended without a response. */
        @Nullable
        Instant doubtedSince;
        /** Whether Reserve has run and was not reverted. */
        boolean reserved;
        /** Whether it waits for its volumes to be bound. */
        boolean waitsForVolumes;
        /** Whether it waits for the PreBind of a cancelled binding of the same pod to end. */
        boolean waitsForEarlier;
        /** Whether PreBind plugins run while its volumes are bound. */
        boolean waitsForPlugins;
        /** The PreBind plugins that have work to do for the pod; before 1.35, all. */
        List<PreBindPlugin> preBinds = List.of();
        /** The PreBind plugins that have run, or run while its volumes are bound. */
        List<PreBindPlugin> withVolumes = List.of();
        /** The number of calls of PreBind, for volumes and for plugins, without a result. */
        int running;
        /** Its PreBind; null if it has not begun. */
        WaitingPodsMap.@Nullable PreBind preBind;

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

        /** A bind ended without a response. */
        void unanswered(Instant now) {
            unansweredSince = unansweredSince == null ? now : unansweredSince;
            doubtedSince = now;
        }

        /** Whether the bind may be sent again. */
        boolean mayRepeat(Instant now) {
            return sent < MAX_SENT || (unansweredSince != null && now.isBefore(unansweredSince.plus(REPEATED)));
        }

        /** When a bind without a response can no longer be executed; null if there was none. */
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
        /** The bind without a response: the pod stays assumed until it is bound, or that request can no longer bind it. */
        @Nullable
        Binding unconfirmed;
        /** A pod that was bound but never observed as bound: it stays assumed until it was read. */
        @Nullable
        PodInfo overdue;

        QueuedPod entry;
        /** Whether the spec changed meanwhile, so that the failure is out of date. */
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

        /** Whether the pod is still assumed on a node. */
        boolean keepsReservation() {
            return unconfirmed != null || overdue != null;
        }
    }

    /** The key of a pod in these maps: its UID, or its name if it has none. */
    static String idOf(PodInfo pod) {
        return pod.uid().isEmpty() ? pod.key() : pod.uid();
    }

    /** True while a pod that the profile decided is on its way, or may be: its plugins may yet have to take something back. */
    @SuppressWarnings("ReferenceEquality") // the very runtime is meant: its plugins, not their like
    boolean isUsing(ProfileRuntime runtime) {
        for (Binding binding : Iterables.concat(bindings.values(), ending.values())) {
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

    /** Whether the pod is in flight, whether its profile is still current or not. */
    public boolean contains(PodInfo pod) {
        String id = idOf(pod);
        return bindings.containsKey(id) || requeues.containsKey(id) || settled.containsKey(id);
    }

    long nextToken() {
        return tokens++;
    }

    /** Pods that are being bound. */
    Map<String, Binding> bindings() {
        return bindings;
    }

    /** Failed pods that are being read again. */
    Map<String, Requeue> requeues() {
        return requeues;
    }

    /** Pods that are bound according to the API server, while the watch still reports them unbound. */
    Map<String, QueuedPod> settled() {
        return settled;
    }

    /** Bindings that were cancelled while calls of PreBind are running. */
    Map<String, Binding> ending() {
        return ending;
    }

    /** Removes a pod from {@link #settled}; true if it was there. */
    public boolean removeSettled(PodInfo pod) {
        return settled.remove(idOf(pod)) != null;
    }

    /** The number of pods that are being bound. */
    public int bindingCount() {
        return bindings.size();
    }

    /** The number of failed pods that are being read again. */
    public int requeueCount() {
        return requeues.size();
    }

    /** The number of pods that are bound but not yet observed as bound. */
    public int settledCount() {
        return settled.size();
    }

    /** The maps that contain the pod: at most one, unless there is a bug. */
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

    /** Whether the pod of this {@code namespace/name} is in flight and may fail. */
    public boolean mayFail(String key) {
        return bindings.values().stream()
                        .anyMatch(binding -> binding.entry.key().equals(key))
                || requeues.values().stream()
                        .anyMatch(requeue -> requeue.entry.key().equals(key));
    }

    /** Whether a pod is rightly assumed without a deadline. */
    public boolean keepsReservation(String uid) {
        Requeue requeue = requeues.get(uid);
        return bindings.containsKey(uid) || (requeue != null && requeue.keepsReservation());
    }

    /** Whether the reservation of a pod need not be reverted. */
    public boolean mayBeBound(String uid) {
        Requeue requeue = requeues.get(uid);
        return bindings.containsKey(uid) || (requeue != null && requeue.unconfirmed != null);
    }
}
