package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.SpecChange;
import io.policyscheduler.framework.scheduler.binding.BindingCycle.Placement;
import io.policyscheduler.framework.scheduler.binding.BindingCycle.PluginBinding;
import io.policyscheduler.framework.scheduler.binding.BindingCycle.ReserveAndPermit;
import io.policyscheduler.framework.scheduler.binding.PodReports.FailureRecorder;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Binding;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Requeue;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles the results of binds: responses of the API server, and watch events, which take precedence. */
public final class BindResults {
    private static final Logger log = LoggerFactory.getLogger(BindResults.class);

    private final SchedulerState state;
    private final SchedulerContext context;
    private final CurrentProfiles profiles;
    private final PodReports reports;
    private final FailureRecorder failures;
    private final WaitingPodsMap waits;
    private final AssumedResources reservations;

    public BindResults(
            SchedulerState state,
            SchedulerContext context,
            CurrentProfiles profiles,
            PodReports reports,
            FailureRecorder failures,
            WaitingPodsMap waits) {
        this.state = state;
        this.context = context;
        this.profiles = profiles;
        this.reports = reports;
        this.failures = failures;
        this.waits = waits;
        this.reservations = new AssumedResources(state, waits);
    }

    /** Reverts reserve and assume, and records the reason; not for a pod that is deleted or bound. */
    void giveUp(Binding binding, String reason, String message) {
        state.inFlight().bindings().remove(binding.id());
        if (binding.running > 0) {
            state.inFlight().ending().put(binding.id(), binding);
        }
        reservations.giveBack(binding);
        context.listener().onBindFailed(binding.entry, binding.node(), message);
        if (isStillPending(binding)) {
            failures.record(binding.entry, reason, message);
        }
    }

    /** The same because a plugin rejects or fails. */
    void giveUp(Binding binding, ReserveAndPermit.Objection objection) {
        binding.entry = binding.entry.withRejectedBy(objection.rejectedBy(), objection.pendingOn());
        giveUp(binding, objection.reason(), objection.message());
    }

    /** Sets the plugins that rejected the binding. */
    static void rejectedBy(Binding binding, Set<String> plugins) {
        binding.entry = binding.entry.withRejectedBy(plugins);
    }

    private boolean isStillPending(Binding binding) {
        PodInfo current = state.store().current(binding.assumed);
        return current != null && current.nodeName().isEmpty() && profiles.isOurs(current);
    }

    /** Handles the result of a bind. */
    void finished(Binding binding, BindOutcome outcome) {
        state.inFlight().bindings().remove(binding.id());
        PodInfo current = state.store().current(binding.assumed);
        if (current != null && !current.nodeName().isEmpty()) {
            settle(binding, current.nodeName(), outcome.message());
            return;
        }
        if (outcome.kind() == BindOutcome.Kind.BOUND) {
            state.cache().finishBinding(binding.assumed);
            state.inFlight().settled().put(binding.id(), binding.entry);
            bound(binding);
            return;
        }
        PodInfo pod = binding.entry.pod();
        context.listener().onBindFailed(binding.entry, binding.node(), outcome.message());
        if (outcome.kind() == BindOutcome.Kind.GONE) {
            reservations.giveBack(binding);
            failures.readAgain(binding.entry);
            return;
        }
        if (outcome.kind() == BindOutcome.Kind.UNKNOWN) {
            binding.unanswered(context.clock().instant());
        }
        // An error response says nothing about an earlier request without a response, unless the pod is bound
        // elsewhere.
        boolean inDoubt = outcome.kind() != BindOutcome.Kind.CONFLICT && mayStillArrive(binding);
        if (!inDoubt) {
            reservations.giveBack(binding);
            if (!profiles.isOurs(pod)) {
                return;
            }
        }
        failures.record(
                binding.entry,
                FailureRecorder.SCHEDULER_ERROR,
                outcome.message(),
                binding.rules().bindEvent(outcome.message()),
                inDoubt ? binding : null);
    }

    private void bound(Binding binding) {
        PodInfo pod = binding.entry.pod();
        String node = binding.node();
        Placement placement = binding.placement;
        Profile profile = placement.runtime().profile();
        log.debug("pod {} is bound successfully on node \"{}\"", pod.key(), node);
        reports.scheduled(pod, node, placement.generation());
        context.listener()
                .onBound(binding.entry, node, binding.nanosUntil(context.clock().instant()));
        if (!profile.postBinds().isEmpty()) {
            profiles.call(
                    placement.runtime(),
                    () -> PluginBinding.runPostBind(profile, placement.state(), binding.assumed, node));
        }
    }

    /** The watch or a read reports the node of a pod with an open bind; empty for none. */
    private void settle(Binding binding, String actualNode, String message) {
        if (actualNode.equals(binding.node())) {
            bound(binding);
        } else {
            reservations.giveBack(binding);
            context.listener().onBindFailed(binding.entry, binding.node(), message);
        }
    }

    /**
     * Whether the API server may still execute a bind without a response. Until then the pod must not be bound to another node and
     * its resources stay reserved, to prevent overcommitting the node. This includes deleted nodes: one of the same name may be
     * created, and the API server binds to a node whether it exists or not.
     */
    boolean mayStillArrive(Binding binding) {
        Instant end = binding.endOfDoubt();
        return end != null && context.clock().instant().isBefore(end);
    }

    /** Whether a bind is in progress, or one without a response may still be executed. */
    public boolean mayStillBind() {
        return state.inFlight().bindingCount() > 0
                || state.inFlight().requeues().values().stream()
                        .anyMatch(requeue -> requeue.unconfirmed != null && mayStillArrive(requeue.unconfirmed));
    }

    /** The API server has reported that the pod is not on its assumed node. */
    void releaseResources(Requeue requeue) {
        Binding unconfirmed = requeue.unconfirmed;
        PodInfo overdue = requeue.overdue;
        requeue.unconfirmed = null;
        requeue.overdue = null;
        if (unconfirmed != null) {
            reservations.giveBack(unconfirmed);
        }
        if (overdue != null) {
            reservations.giveBack(overdue);
        }
    }

    /** Releases an assumed pod without a binding, which is not on its assumed node. */
    void releaseResources(PodInfo assumed) {
        reservations.giveBack(assumed);
    }

    /**
     * Handles a new version of a pending pod.
     *
     * @return false if it is not being bound or read
     */
    public boolean updated(PodInfo old, PodInfo pod) {
        PodsInFlight inFlight = state.inFlight();
        String id = PodsInFlight.idOf(pod);
        Binding binding = inFlight.bindings().get(id);
        Requeue requeue = inFlight.requeues().get(id);
        QueuedPod settled = inFlight.settled().get(id);
        if (binding != null) {
            binding.entry = binding.entry.withPod(pod);
            if (pod.terminating()
                    && !old.terminating()
                    && binding.rules().releasesDeletedPods()
                    && !waits.reject(id, "removed")) {
                // The API server does not bind a pod whose deletion has begun.
                reservations.giveBack(binding.assumed);
            }
        } else if (requeue != null) {
            requeue.entry = requeue.entry.withPod(pod);
            requeue.changed |= SpecChange.isBetween(old, pod);
            if (!requeue.keepsReservation()) {
                // While it may be bound, only its assumed node counts.
                state.queue().nominated().renominate(old, pod);
            }
        } else if (settled != null) {
            inFlight.settled().put(id, settled.withPod(pod));
        } else {
            return false;
        }
        return true;
    }

    /** A pending pod is assigned to a node, or deleted or finished: then {@code node} is empty. Its bind continues. */
    public void leftQueue(PodInfo pod, String node) {
        String id = PodsInFlight.idOf(pod);
        dropWaiting(pod);
        state.inFlight().settled().remove(id);
        Requeue requeue = state.inFlight().requeues().remove(id);
        if (requeue != null && requeue.unconfirmed != null) {
            settle(
                    requeue.unconfirmed,
                    node,
                    node.isEmpty() ? "the pod was deleted or has finished" : "bound to \"" + node + "\"");
        }
    }

    /** An assigned pod is deleted: its bind result has nothing to compare with. */
    public void removedFromNode(PodInfo pod) {
        Binding binding = state.inFlight().bindings().remove(PodsInFlight.idOf(pod));
        if (binding != null) {
            settle(binding, pod.nodeName(), "bound to \"" + pod.nodeName() + "\"");
        }
    }

    /** The pod of a running bind is deleted; releases its resources and ignores the result. */
    public void abandon(PodInfo pod) {
        Binding binding = state.inFlight().bindings().remove(PodsInFlight.idOf(pod));
        if (binding != null) {
            reservations.giveBack(binding);
        }
    }

    /** The pod was deleted or assigned while it waited at Permit. */
    public void dropWaiting(PodInfo pod) {
        if (waits.contains(PodsInFlight.idOf(pod))) {
            abandon(pod);
        }
    }

    /** The binding of a result; null if it is obsolete. */
    @Nullable
    Binding find(String podId, long token) {
        Binding binding = state.inFlight().bindings().get(podId);
        return binding != null && binding.token == token ? binding : null;
    }

    /** Releases assumed pods that are not confirmed on their nodes. */
    static final class AssumedResources {
        private final SchedulerState state;
        private final WaitingPodsMap waits;

        AssumedResources(SchedulerState state, WaitingPodsMap waits) {
            this.state = state;
            this.waits = waits;
        }

        /** Reverts an assumed pod. One that the watch has confirmed meanwhile is no longer assumed and stays. */
        void giveBack(Binding binding) {
            giveBack(binding.assumed);
            binding.volumes.undo();
            if (binding.reserved) {
                binding.reserved = false;
                binding.approval.unreserve();
            }
            waits.forget(binding.id());
        }

        /** Releases a pod that was assumed so long ago that its binding is no longer tracked. */
        void giveBack(PodInfo assumed) {
            if (state.cache().forget(assumed).isApplied()) {
                state.queue().resourcesFreed(assumed);
            }
        }
    }
}
