package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pods that are neither in the queue nor finished with: where each of them is between two visits of the queue. */
final class PodsInFlight {
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
        final PluginApproval approval;
        final Instant started;
        QueuedPod entry;
        /** How often the bind was sent. */
        int sent;
        /** When a bind last came back without an answer. */
        @Nullable
        Instant doubtedSince;
        /** Whether there is anything to take back: a reserve has been tried and not been taken back yet. */
        boolean reserved;

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
                    new PluginApproval(placement.runtime().profile(), placement.state(), assumed, placement.node());
            this.started = started;
        }

        String node() {
            return assumed.nodeName();
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
    boolean contains(PodInfo pod) {
        String id = idOf(pod);
        return bindings.containsKey(id) || requeues.containsKey(id) || settled.containsKey(id);
    }

    long nextToken() {
        return tokens++;
    }

    Map<String, Binding> bindings() {
        return bindings;
    }

    Map<String, Requeue> requeues() {
        return requeues;
    }

    /** Pods that the API server said are bound, while the watch still shows them unbound. */
    Map<String, QueuedPod> settled() {
        return settled;
    }
}
