package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.profile.FrameworkTexts;
import io.policyscheduler.framework.profile.FrameworkVersion;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.PodsInFlight.Binding;
import io.policyscheduler.framework.scheduler.PodsInFlight.Requeue;
import io.policyscheduler.framework.scheduler.cache.CacheResult;
import io.policyscheduler.framework.scheduler.cache.PodCache;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import io.policyscheduler.framework.scheduler.queue.SchedulingQueue;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From a chosen node to a bound pod: assume, reserve, permit, bind volumes, prepare, bind, and what to do with each answer.
 * Mirrors the binding part of {@code pkg/scheduler/schedule_one.go}.
 */
final class BindingCycle {
    private static final Logger log = LoggerFactory.getLogger(BindingCycle.class);
    /** A server that takes no bind but answers reads is not asked for ever. */
    private static final int MAX_SENT = 6;

    private final PodsInFlight inFlight;
    private final InformerStore store;
    private final PodCache cache;
    private final SchedulingQueue queue;
    private final FailureRecorder failures;
    private final PermitWaits waits;
    private final PluginCalls pluginCalls;
    private final Predicate<PodInfo> isOurs;
    private final EventInbox inbox;
    private final Clock clock;
    private final SchedulerListener listener;

    BindingCycle(
            PodsInFlight inFlight,
            InformerStore store,
            PodCache cache,
            SchedulingQueue queue,
            FailureRecorder failures,
            PermitWaits waits,
            PluginCalls pluginCalls,
            Predicate<PodInfo> isOurs,
            EventInbox inbox,
            Clock clock,
            SchedulerListener listener) {
        this.inFlight = inFlight;
        this.store = store;
        this.cache = cache;
        this.queue = queue;
        this.failures = failures;
        this.waits = waits;
        this.pluginCalls = pluginCalls;
        this.isOurs = isOurs;
        this.inbox = inbox;
        this.clock = clock;
        this.listener = listener;
    }

    /** Assumes the pod on the chosen node and starts binding it. */
    void start(QueuedPod entry, Placement placement) {
        PodInfo pod = entry.pod();
        VolumeAssumer.Assumed volumes = placement.runtime().volumes().assume(pod, placement.node());
        if (!volumes.error().isEmpty()) {
            String error = volumes.error();
            failures.record(entry, FailureRecorder.SCHEDULER_ERROR, error, "AssumePodVolumes failed: " + error, null);
            return;
        }
        PodInfo assumed = pod.withNodeName(placement.node());
        CacheResult result = cache.assume(assumed);
        if (!result.isApplied()) {
            volumes.undo();
            String error = result.message();
            failures.record(entry, FailureRecorder.SCHEDULER_ERROR, error, "AssumePod failed: " + error, null);
            return;
        }
        queue.nominated().drop(pod);
        Binding binding = new Binding(inFlight.nextToken(), entry, assumed, placement, volumes, clock.instant());
        inFlight.bindings().put(PodsInFlight.idOf(pod), binding);
        binding.reserved = true;
        PluginApproval.Objection objection = binding.approval.reserve();
        if (objection != null) {
            giveUp(binding, objection.reason(), objection.message());
            return;
        }
        askPermission(binding);
    }

    private void askPermission(Binding binding) {
        Instant now = clock.instant();
        PluginApproval.Permission permission = binding.approval.permit(now);
        PluginApproval.Objection objection = permission.objection();
        if (objection != null) {
            giveUp(binding, objection.reason(), objection.message());
        } else if (permission.waits().isEmpty()) {
            bindVolumes(binding);
        } else {
            waits.add(id(binding), binding.token, binding.assumed, binding.node(), permission.waits());
        }
    }

    /** A permit plugin lets a pod go on. */
    void permitted(ClusterChange.PermitAllowed change) {
        Binding binding = find(change.podId(), change.token());
        if (binding != null && waits.allow(change.podId(), change.token(), change.plugin())) {
            listener.onPermitWait(binding.entry.pod(), "Success", nanosSince(binding));
            bindVolumes(binding);
        }
    }

    /** A pod that waits for permission is rejected. */
    void rejected(ClusterChange.PermitRejected change) {
        Binding binding = find(change.podId(), change.token());
        if (binding != null && waits.remove(change.podId())) {
            listener.onPermitWait(binding.entry.pod(), "Unschedulable", nanosSince(binding));
            String message = texts(binding).rejectedWaiting(binding.entry.pod().name(), change.message());
            giveUp(binding, FailureRecorder.UNSCHEDULABLE, message);
        }
    }

    /** Lets no pod wait for permission any longer: scheduling stops. */
    void rejectWaiting(String message) {
        waits.all().forEach(pod -> pod.reject(message));
    }

    private void bindVolumes(Binding binding) {
        if (binding.volumes == VolumeAssumer.Assumed.NOTHING) {
            runPlugins(binding);
            return;
        }
        String id = id(binding);
        try {
            binding.volumes.bind(error -> inbox.post(new ClusterChange.VolumesBound(id, binding.token, error)));
        } catch (RuntimeException e) {
            log.error("binding volumes of pod {} failed", binding.assumed.key(), e);
            inbox.post(new ClusterChange.VolumesBound(id, binding.token, e.toString()));
        }
    }

    private void runPlugins(Binding binding) {
        Profile profile = binding.placement.runtime().profile();
        if (!PluginBinding.isNeeded(profile)) {
            bind(binding);
            return;
        }
        String id = id(binding);
        pluginCalls.run(
                binding.placement.runtime(),
                () -> inbox.post(new ClusterChange.PluginsRan(
                        id,
                        binding.token,
                        PluginBinding.run(profile, binding.placement.state(), binding.assumed, binding.node()))));
    }

    /** The plugins that prepare and bind have run. */
    void pluginsRan(ClusterChange.PluginsRan change) {
        Binding binding = find(change.podId(), change.token());
        if (binding == null) {
            return;
        }
        String message = change.result().message();
        switch (change.result().kind()) {
            case PREPARED -> bind(binding);
            case BOUND -> finished(new ClusterChange.BindFinished(change.podId(), change.token(), BindOutcome.BOUND));
            case NOT_PREPARED -> giveUp(binding, FailureRecorder.SCHEDULER_ERROR, message);
            case REJECTED -> giveUp(binding, FailureRecorder.UNSCHEDULABLE, message);
            case NOT_BOUND ->
                finished(new ClusterChange.BindFinished(change.podId(), change.token(), BindOutcome.failed(message)));
        }
    }

    private void bind(Binding binding) {
        binding.sent++;
        PodInfo pod = binding.entry.pod();
        String id = id(binding);
        try {
            binding.placement
                    .runtime()
                    .binder()
                    .bind(
                            pod,
                            binding.node(),
                            outcome -> inbox.post(new ClusterChange.BindFinished(id, binding.token, outcome)));
        } catch (RuntimeException e) {
            log.error("binding pod {} failed", pod.key(), e);
            BindOutcome outcome = BindOutcome.unknown(e.toString());
            inbox.post(new ClusterChange.BindFinished(id, binding.token, outcome));
        }
    }

    /** The volumes are ready, or not. */
    void volumesBound(ClusterChange.VolumesBound change) {
        Binding binding = find(change.podId(), change.token());
        if (binding == null) {
            return;
        }
        if (change.error().isEmpty()) {
            runPlugins(binding);
        } else {
            giveUp(binding, FailureRecorder.VOLUME_BINDING_FAILED, change.error());
        }
    }

    /** Takes everything back and records why; not for a pod that is gone or bound by now. */
    private void giveUp(Binding binding, String reason, String message) {
        inFlight.bindings().remove(id(binding));
        forget(binding);
        listener.onBindFailed(binding.entry.pod(), binding.node(), message);
        if (isStillPending(binding)) {
            failures.record(binding.entry, reason, message, message, null);
        }
    }

    /** The bind was answered. What the watch has shown meanwhile goes before the answer. */
    void finished(ClusterChange.BindFinished change) {
        Binding binding = find(change.podId(), change.token());
        if (binding == null) {
            return;
        }
        inFlight.bindings().remove(change.podId());
        PodInfo current = store.current(binding.assumed);
        if (current != null && !current.nodeName().isEmpty()) {
            settle(binding, current.nodeName(), change.outcome().message());
            return;
        }
        BindOutcome outcome = change.outcome();
        if (outcome.kind() == BindOutcome.Kind.BOUND) {
            cache.finishBinding(binding.assumed);
            inFlight.settled().put(change.podId(), binding.entry);
            bound(binding);
            return;
        }
        PodInfo pod = binding.entry.pod();
        listener.onBindFailed(pod, binding.node(), outcome.message());
        if (outcome.kind() == BindOutcome.Kind.GONE) {
            forget(binding);
            failures.readAgain(binding.entry);
            return;
        }
        if (outcome.kind() == BindOutcome.Kind.UNKNOWN) {
            binding.doubtedSince = clock.instant();
        }
        // A refusal says nothing about an earlier request without an answer, unless the pod is elsewhere.
        boolean inDoubt = outcome.kind() != BindOutcome.Kind.CONFLICT && mayStillArrive(binding);
        if (!inDoubt) {
            forget(binding);
            if (!isOurs.test(pod)) {
                return;
            }
        }
        failures.record(
                binding.entry,
                FailureRecorder.SCHEDULER_ERROR,
                outcome.message(),
                texts(binding).bindEvent(outcome.message()),
                inDoubt ? binding : null);
    }

    /**
     * Whether the API server may yet carry out a bind that it never answered. Until then the pod may go nowhere else and its
     * room stays taken, or the node would be overcommitted. On a node that is gone there is nothing to protect.
     */
    boolean mayStillArrive(Binding binding) {
        Instant since = binding.doubtedSince;
        return since != null
                && store.nodes().containsKey(binding.node())
                && clock.instant().isBefore(since.plus(SchedulerOptions.BIND_DOUBT));
    }

    /**
     * Sends a bind without an answer once more: to the same node, so that it does not matter which of the requests is carried
     * out.
     *
     * @return false when that was done often enough
     */
    boolean again(Requeue requeue, Binding binding) {
        if (binding.sent >= MAX_SENT) {
            return false;
        }
        inFlight.requeues().remove(id(binding));
        binding.entry = requeue.entry;
        inFlight.bindings().put(id(binding), binding);
        bind(binding);
        return true;
    }

    /** The watch or a read shows where a pod with an open bind ended; an empty node means nowhere. */
    void settle(Binding binding, String actualNode, String message) {
        if (actualNode.equals(binding.node())) {
            bound(binding);
        } else {
            forget(binding);
            listener.onBindFailed(binding.entry.pod(), binding.node(), message);
        }
    }

    /** The pod of a running bind is gone; its room is free at once, its answer will be ignored. */
    void abandon(String podId) {
        Binding binding = inFlight.bindings().remove(podId);
        if (binding != null) {
            forget(binding);
        }
    }

    /** The pod is gone or taken over while it waited for permission. */
    void dropWaiting(String podId) {
        if (waits.contains(podId)) {
            abandon(podId);
        }
    }

    private void bound(Binding binding) {
        PodInfo pod = binding.entry.pod();
        String node = binding.node();
        Profile profile = binding.placement.runtime().profile();
        log.debug("pod {} is bound successfully on node \"{}\"", pod.key(), node);
        failures.event(
                pod,
                "Normal",
                "Scheduled",
                "Successfully assigned " + pod.key() + " to " + node,
                binding.placement.generation());
        listener.onBound(binding.entry, node, nanosSince(binding));
        if (!profile.postBinds().isEmpty()) {
            pluginCalls.run(
                    binding.placement.runtime(),
                    () -> PluginBinding.runPostBind(
                            profile, binding.placement.state(), binding.assumed, binding.node()));
        }
    }

    /** Undoes what was assumed. A pod that the watch has confirmed meanwhile is no longer assumed and stays. */
    void forget(Binding binding) {
        if (cache.isAssumed(binding.assumed.uid())) {
            CacheResult result = cache.forget(binding.assumed);
            if (!result.isApplied()) {
                log.error("forgetting pod {} failed: {}", binding.assumed.key(), result.message());
            } else if (binding.placement.runtime().profile().version() == FrameworkVersion.CURRENT) {
                // In v1.17 the others find out when something else happens.
                queue.roomFreed(binding.assumed);
            }
        }
        binding.volumes.undo();
        if (binding.reserved) {
            binding.reserved = false;
            binding.approval.unreserve();
        }
        waits.remove(id(binding));
    }

    /** A pod that was assumed too long ago for its binding to be known is not where it was assumed. */
    void forgetOverdue(PodInfo assumed) {
        if (cache.isAssumed(assumed.uid())) {
            CacheResult result = cache.forget(assumed);
            if (result.isApplied()) {
                queue.roomFreed(assumed);
            } else {
                log.error("forgetting pod {} failed: {}", assumed.key(), result.message());
            }
        }
    }

    private static String id(Binding binding) {
        return PodsInFlight.idOf(binding.assumed);
    }

    private static FrameworkTexts texts(Binding binding) {
        return new FrameworkTexts(binding.placement.runtime().profile().version());
    }

    private long nanosSince(Binding binding) {
        return Duration.between(binding.started, clock.instant()).toNanos();
    }

    private boolean isStillPending(Binding binding) {
        PodInfo current = store.current(binding.assumed);
        return current != null && current.nodeName().isEmpty() && isOurs.test(current);
    }

    private @Nullable Binding find(String podId, long token) {
        Binding binding = inFlight.bindings().get(podId);
        return binding != null && binding.token == token ? binding : null;
    }
}
