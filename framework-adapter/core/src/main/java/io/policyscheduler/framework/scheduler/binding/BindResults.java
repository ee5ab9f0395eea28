package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.backend.Cache.Result;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.SpecChange;
import io.policyscheduler.framework.scheduler.binding.BindingCycle.Placement;
import io.policyscheduler.framework.scheduler.binding.BindingCycle.PluginBinding;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Binding;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Requeue;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What comes of binding a pod: what the API server answers, and what the watch shows meanwhile, which goes before the answer. */
public final class BindResults {
    private static final Logger log = LoggerFactory.getLogger(BindResults.class);

    private final SchedulerState state;
    private final SchedulerContext surroundings;
    private final CurrentProfiles profiles;
    private final PodReports reports;
    private final FailureRecorder failures;
    private final WaitingPodsMap waits;
    private final AssumedRoom room;

    public BindResults(
            SchedulerState state,
            SchedulerContext surroundings,
            CurrentProfiles profiles,
            PodReports reports,
            FailureRecorder failures,
            WaitingPodsMap waits) {
        this.state = state;
        this.surroundings = surroundings;
        this.profiles = profiles;
        this.reports = reports;
        this.failures = failures;
        this.waits = waits;
        this.room = new AssumedRoom(state, waits);
    }

    /** Takes everything back and records why; not for a pod that is gone or bound by now. */
    void giveUp(Binding binding, String reason, String message) {
        state.inFlight().bindings().remove(binding.id());
        room.giveBack(binding);
        surroundings.listener().onBindFailed(binding.entry, binding.node(), message);
        if (isStillPending(binding)) {
            failures.record(binding.entry, reason, message);
        } else {
            state.queue().done(binding.assumed);
        }
    }

    /** The same because a plugin objects. */
    void giveUp(Binding binding, ReserveAndPermit.Objection objection) {
        binding.entry = binding.entry.withRejectedBy(objection.rejectedBy(), objection.pendingOn());
        giveUp(binding, objection.reason(), objection.message());
    }

    /** Which plugins are to blame when the binding is given up. */
    static void rejectedBy(Binding binding, Set<String> plugins) {
        binding.entry = binding.entry.withRejectedBy(plugins);
    }

    private boolean isStillPending(Binding binding) {
        PodInfo current = state.store().current(binding.assumed);
        return current != null && current.nodeName().isEmpty() && profiles.isOurs(current);
    }

    /** The bind was answered. */
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
        surroundings.listener().onBindFailed(binding.entry, binding.node(), outcome.message());
        if (outcome.kind() == BindOutcome.Kind.GONE) {
            room.giveBack(binding);
            failures.readAgain(binding.entry);
            return;
        }
        if (outcome.kind() == BindOutcome.Kind.UNKNOWN) {
            binding.doubtedSince = surroundings.clock().instant();
        }
        // A refusal says nothing about an earlier request without an answer, unless the pod is elsewhere.
        boolean inDoubt = outcome.kind() != BindOutcome.Kind.CONFLICT && mayStillArrive(binding);
        if (!inDoubt) {
            room.giveBack(binding);
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
        surroundings
                .listener()
                .onBound(
                        binding.entry,
                        node,
                        binding.nanosUntil(surroundings.clock().instant()));
        if (!profile.postBinds().isEmpty()) {
            profiles.call(
                    placement.runtime(),
                    () -> PluginBinding.runPostBind(profile, placement.state(), binding.assumed, node));
        }
    }

    /** The watch or a read shows where a pod with an open bind ended; an empty node means nowhere. */
    private void settle(Binding binding, String actualNode, String message) {
        if (actualNode.equals(binding.node())) {
            bound(binding);
        } else {
            room.giveBack(binding);
            surroundings.listener().onBindFailed(binding.entry, binding.node(), message);
        }
    }

    /**
     * Whether the API server may yet carry out a bind that it never answered. Until then the pod may go nowhere else and its
     * room stays taken, or the node would be overcommitted: also on a node that is gone, as one of its name may come back, and the API
     * server binds to it whether it is there or not.
     */
    boolean mayStillArrive(Binding binding) {
        Instant end = binding.endOfDoubt();
        return end != null && surroundings.clock().instant().isBefore(end);
    }

    /** True while a bind is under way, or one without an answer may yet be carried out. */
    public boolean mayStillBind() {
        return state.inFlight().bindingCount() > 0
                || state.inFlight().requeues().values().stream()
                        .anyMatch(requeue -> requeue.unconfirmed != null && mayStillArrive(requeue.unconfirmed));
    }

    /** The server has said that the pod is not where it is assumed. */
    void giveRoomBack(Requeue requeue) {
        Binding unconfirmed = requeue.unconfirmed;
        PodInfo overdue = requeue.overdue;
        requeue.unconfirmed = null;
        requeue.overdue = null;
        if (unconfirmed != null) {
            room.giveBack(unconfirmed);
        }
        if (overdue != null) {
            room.giveBack(overdue);
        }
    }

    /** A pod that is assumed but not on its way is not where it is assumed. */
    void giveRoomBack(PodInfo assumed) {
        room.giveBack(assumed);
    }

    /**
     * A pod that waited for a node is shown as another version of itself that does so, too.
     *
     * @return false when it is not on its way
     */
    public boolean updated(PodInfo old, PodInfo pod) {
        PodsInFlight inFlight = state.inFlight();
        String id = PodsInFlight.idOf(pod);
        Binding binding = inFlight.bindings().get(id);
        Requeue requeue = inFlight.requeues().get(id);
        QueuedPod settled = inFlight.settled().get(id);
        if (binding != null) {
            binding.entry = binding.entry.withPod(pod);
        } else if (requeue != null) {
            requeue.entry = requeue.entry.withPod(pod);
            requeue.changed |= SpecChange.isBetween(old, pod);
            if (!requeue.keepsRoom()) {
                // While it may be bound it counts where it was assumed, and nowhere else.
                state.queue().nominated().renominate(old, pod);
            }
        } else if (settled != null) {
            inFlight.settled().put(id, settled.withPod(pod));
        } else {
            return false;
        }
        return true;
    }

    /** A pod that waited for a node is shown on one, or waits no longer: then {@code node} is empty. A bind goes on. */
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

    /** A pod that was shown on its node is gone: the answer to its bind would find nothing to compare with. */
    public void goneFromNode(PodInfo pod) {
        Binding binding = state.inFlight().bindings().remove(PodsInFlight.idOf(pod));
        if (binding != null) {
            settle(binding, pod.nodeName(), "bound to \"" + pod.nodeName() + "\"");
        }
    }

    /** The pod of a running bind is gone; its room is free at once, its answer will be ignored. */
    public void abandon(PodInfo pod) {
        Binding binding = state.inFlight().bindings().remove(PodsInFlight.idOf(pod));
        if (binding != null) {
            room.giveBack(binding);
        }
    }

    /** The pod is gone or taken over while it waited for permission. */
    public void dropWaiting(PodInfo pod) {
        if (waits.contains(PodsInFlight.idOf(pod))) {
            abandon(pod);
        }
    }

    /** The binding that an answer is for; null when nobody waits for it any more. */
    @Nullable
    Binding find(String podId, long token) {
        Binding binding = state.inFlight().bindings().get(podId);
        return binding != null && binding.token == token ? binding : null;
    }

    /** Gives back what pods took on nodes where they have not been shown yet. */
    static final class AssumedRoom {
        private static final Logger log = LoggerFactory.getLogger(AssumedRoom.class);

        private final SchedulerState state;
        private final WaitingPodsMap waits;

        AssumedRoom(SchedulerState state, WaitingPodsMap waits) {
            this.state = state;
            this.waits = waits;
        }

        /** Undoes what was assumed. A pod that the watch has confirmed meanwhile is no longer assumed and stays. */
        void giveBack(Binding binding) {
            if (isForgotten(binding.assumed)) {
                state.queue().roomFreed(binding.assumed);
            }
            binding.volumes.undo();
            if (binding.reserved) {
                binding.reserved = false;
                binding.approval.unreserve();
            }
            waits.remove(binding.id());
        }

        /** A pod that was assumed too long ago for its binding to be known is not where it was assumed. */
        void giveBack(PodInfo assumed) {
            if (isForgotten(assumed)) {
                state.queue().roomFreed(assumed);
            }
        }

        private boolean isForgotten(PodInfo assumed) {
            if (!state.cache().isAssumed(assumed.uid())) {
                return false;
            }
            Result result = state.cache().forget(assumed);
            if (!result.isApplied()) {
                log.atError()
                        .addKeyValue("pod", assumed.key())
                        .log("cannot remove the assumed pod from the cache: {}", result.message());
            }
            return result.isApplied();
        }
    }
}
