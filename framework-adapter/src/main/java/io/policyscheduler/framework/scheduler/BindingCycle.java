package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.scheduler.PodsInFlight.Binding;
import io.policyscheduler.framework.scheduler.cache.CacheResult;
import io.policyscheduler.framework.scheduler.cache.PodCache;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import io.policyscheduler.framework.scheduler.queue.SchedulingQueue;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** From a chosen node to a bound pod: assume, bind volumes, bind, and what to do with each answer. */
final class BindingCycle {
    private static final Logger log = LoggerFactory.getLogger(BindingCycle.class);

    private final PodsInFlight inFlight;
    private final InformerStore store;
    private final PodCache cache;
    private final SchedulingQueue queue;
    private final FailureRecorder failures;
    private final ClusterWriter writer;
    private final VolumeAssumer volumeAssumer;
    private final EventInbox inbox;
    private final Clock clock;
    private final SchedulerListener listener;

    BindingCycle(
            PodsInFlight inFlight,
            InformerStore store,
            PodCache cache,
            SchedulingQueue queue,
            FailureRecorder failures,
            ClusterWriter writer,
            VolumeAssumer volumeAssumer,
            EventInbox inbox,
            Clock clock,
            SchedulerListener listener) {
        this.inFlight = inFlight;
        this.store = store;
        this.cache = cache;
        this.queue = queue;
        this.failures = failures;
        this.writer = writer;
        this.volumeAssumer = volumeAssumer;
        this.inbox = inbox;
        this.clock = clock;
        this.listener = listener;
    }

    /** Assumes the pod on {@code node} and starts binding it. */
    void start(QueuedPod entry, String node) {
        PodInfo pod = entry.pod();
        VolumeAssumer.Assumed volumes = volumeAssumer.assume(pod, node);
        if (!volumes.error().isEmpty()) {
            String error = volumes.error();
            failures.record(entry, FailureRecorder.SCHEDULER_ERROR, error, "AssumePodVolumes failed: " + error, null);
            return;
        }
        PodInfo assumed = pod.withNodeName(node);
        CacheResult result = cache.assume(assumed);
        if (!result.isApplied()) {
            volumes.undo();
            String error = result.message();
            failures.record(entry, FailureRecorder.SCHEDULER_ERROR, error, "AssumePod failed: " + error, null);
            return;
        }
        queue.nominated().drop(pod);
        Binding binding = new Binding(inFlight.nextToken(), entry, assumed, volumes, clock.instant());
        String id = PodsInFlight.idOf(pod);
        inFlight.bindings().put(id, binding);
        if (volumes == VolumeAssumer.Assumed.NOTHING) {
            bind(binding);
            return;
        }
        try {
            volumes.bind(error -> inbox.post(new ClusterChange.VolumesBound(id, binding.token, error)));
        } catch (RuntimeException e) {
            log.error("binding volumes of pod {} failed", pod.key(), e);
            inbox.post(new ClusterChange.VolumesBound(id, binding.token, e.toString()));
        }
    }

    private void bind(Binding binding) {
        PodInfo pod = binding.entry.pod();
        String id = PodsInFlight.idOf(pod);
        try {
            writer.bind(
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
            bind(binding);
            return;
        }
        inFlight.bindings().remove(change.podId());
        forget(binding);
        listener.onBindFailed(binding.entry.pod(), binding.node(), change.error());
        if (isStillPending(binding)) {
            failures.record(binding.entry, FailureRecorder.VOLUME_BINDING_FAILED, change.error(), change.error(), null);
        }
    }

    /** The bind was answered. What the watch has shown meanwhile goes before the answer. */
    void finished(ClusterChange.BindFinished change) {
        Binding binding = find(change.podId(), change.token());
        if (binding == null) {
            return;
        }
        inFlight.bindings().remove(change.podId());
        cache.finishBinding(binding.assumed);
        PodInfo current = store.current(binding.assumed);
        if (current != null && !current.nodeName().isEmpty()) {
            settle(binding, current.nodeName(), change.outcome().message());
            return;
        }
        BindOutcome outcome = change.outcome();
        if (outcome.kind() == BindOutcome.Kind.BOUND) {
            inFlight.settled().put(change.podId(), binding.entry);
            bound(binding);
            return;
        }
        PodInfo pod = binding.entry.pod();
        listener.onBindFailed(pod, binding.node(), outcome.message());
        if (outcome.kind() == BindOutcome.Kind.GONE) {
            forget(binding);
            inFlight.settled().put(change.podId(), binding.entry);
            log.warn("A pod {} no longer exists", pod.key());
            return;
        }
        boolean unknown = outcome.kind() == BindOutcome.Kind.UNKNOWN;
        if (!unknown) {
            forget(binding);
        }
        failures.record(
                binding.entry,
                FailureRecorder.SCHEDULER_ERROR,
                outcome.message(),
                "Binding rejected: " + outcome.message(),
                unknown ? binding : null);
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

    private void bound(Binding binding) {
        PodInfo pod = binding.entry.pod();
        String node = binding.node();
        log.debug("pod {} is bound successfully on node \"{}\"", pod.key(), node);
        failures.event(pod, "Normal", "Scheduled", "Successfully assigned " + pod.key() + " to " + node);
        long nanos = Duration.between(binding.started, clock.instant()).toNanos();
        listener.onBound(binding.entry, node, nanos);
    }

    /** Undoes what was assumed. A pod that the watch has confirmed meanwhile is no longer assumed and stays. */
    void forget(Binding binding) {
        if (cache.isAssumed(binding.assumed.uid())) {
            CacheResult result = cache.forget(binding.assumed);
            if (!result.isApplied()) {
                log.error("forgetting pod {} failed: {}", binding.assumed.key(), result.message());
            }
        }
        binding.volumes.undo();
    }

    private boolean isStillPending(Binding binding) {
        PodInfo current = store.current(binding.assumed);
        return current != null && current.nodeName().isEmpty();
    }

    private @Nullable Binding find(String podId, long token) {
        Binding binding = inFlight.bindings().get(podId);
        return binding != null && binding.token == token ? binding : null;
    }
}
