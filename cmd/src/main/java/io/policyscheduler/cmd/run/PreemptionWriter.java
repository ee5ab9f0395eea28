package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.ApiResponse;
import io.policyscheduler.cmd.kube.EventText;
import io.policyscheduler.cmd.kube.EventWriter;
import io.policyscheduler.cmd.kube.PodReference;
import io.policyscheduler.cmd.kube.PodWriter;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.scheduler.ClusterChange;
import io.policyscheduler.framework.scheduler.EventInbox;
import io.policyscheduler.framework.scheduler.Preemptor;
import io.policyscheduler.framework.scheduler.SchedulerListener;
import io.policyscheduler.framework.scheduler.cycle.SchedulingCycle;
import io.policyscheduler.framework.scheduler.queue.NominatedPodMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries preemption out: nominates in memory, writes the nomination, then deletes the victims in order, then clears lower
 * nominations. A failed write stops the rest. Mirrors {@code preempt} of {@code pkg/scheduler/scheduler.go}.
 */
final class PreemptionWriter implements Preemptor {
    private static final Logger LOG = LoggerFactory.getLogger(PreemptionWriter.class);
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    /** Our own condition is often written at the same time. */
    private static final int ATTEMPTS = 3;

    private final SchedulingCycle cycle;
    private final Preemption preemption;
    private final PodWriter pods;
    private final EventWriter events;
    private final Executor writes;
    private final Evictions evictions;
    private final EventInbox inbox;
    private final WaitingPods waitingPods;
    private final SchedulerListener listener;

    PreemptionWriter(
            SchedulingCycle cycle,
            Evictions evictions,
            Preemption preemption,
            PodWriter pods,
            EventWriter events,
            Executor writes,
            EventInbox inbox,
            WaitingPods waitingPods,
            SchedulerListener listener) {
        this.listener = listener;
        this.cycle = cycle;
        this.evictions = evictions;
        this.preemption = preemption;
        this.pods = pods;
        this.events = events;
        this.writes = writes;
        this.inbox = inbox;
        this.waitingPods = waitingPods;
    }

    @Override
    public Status preempt(PodInfo failed, NominatedPodMap nominated) {
        // The object may be older than the nomination; without it the pod would evict a second time.
        String promised = nominated.nodeOf(failed);
        PodInfo pod = failed.nominatedNodeName().isEmpty() && promised != null
                ? failed.withNominatedNodeName(promised)
                : failed;
        if (evictions.areUnderwayFor(pod)) {
            return Status.SUCCESS;
        }
        Map<String, NodeFailure> failures = cycle.failures(pod, nominated);
        if (failures == null) {
            return Status.SUCCESS;
        }
        PreemptionResult result = cycle.preempt(pod, nominated, failures, preemption);
        String node = result.chosen();
        if (node == null) {
            if (result.clearOwn() && !pod.nominatedNodeName().isEmpty()) {
                nominated.drop(pod);
                writes.execute(() -> clear(pod));
            }
            return SchedulingCycle.statusOf(result);
        }
        PreemptionResult.Victims victims =
                Objects.requireNonNull(result.candidates().get(node));
        List<PodInfo> lower = result.clearNominations().getOrDefault(node, List.of());
        nominated.nominate(pod, node);
        evictions.start(pod, node, victims.pods());
        writes.execute(() -> write(pod, node, victims.pods(), lower, nominated));
        return Status.SUCCESS;
    }

    private void write(
            PodInfo pod, String node, List<PodInfo> victims, List<PodInfo> lower, NominatedPodMap nominated) {
        try {
            String refusal = nominate(pod, node);
            if (!refusal.isEmpty()) {
                LOG.warn("W104 nomination of {} to {} not written: {}", pod.key(), node, refusal);
                drop(pod, nominated);
                return;
            }
            for (PodInfo victim : victims) {
                ApiResponse deleted = pods.deletePod(victim.namespace(), victim.name(), victim.uid());
                if (!deleted.success() && deleted.code() != NOT_FOUND) {
                    LOG.warn("W105 victim {} of {} not deleted: {}", victim.key(), pod.key(), deleted.message());
                    onScheduler("forget victims of " + pod.key(), () -> evictions.forget(pod));
                    return;
                }
                WaitingPods.WaitingPod waiting = waitingPods.get(victim.uid());
                if (waiting != null) {
                    waiting.reject("preempted");
                }
                events.record(
                        new PodReference(victim.namespace(), victim.name(), victim.uid(), victim.resourceVersion()),
                        new EventText(
                                pod.spec().schedulerName(),
                                "Normal",
                                "Preempted",
                                "Preempted by " + pod.key() + " on node " + node,
                                0));
            }
        } catch (ApiIoException e) {
            LOG.warn("W104 preemption for {} on {} broke off: {}", pod.key(), node, e.getMessage());
            drop(pod, nominated);
            return;
        }
        onScheduler("preempted for " + pod.key(), () -> listener.onPreempted(pod, victims.size()));
        lower.forEach(this::clear);
    }

    /** Writes a nomination, or removes it, while the pod waits for a node; returns why not, empty when it is written. */
    private String nominate(PodInfo pod, @Nullable String node) throws ApiIoException {
        String refusal = "";
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            String version = pods.unboundVersion(pod.namespace(), pod.name(), pod.uid());
            if (version.isEmpty()) {
                return "the pod no longer waits for a node";
            }
            ApiResponse response = pods.patchNominatedNode(pod.namespace(), pod.name(), pod.uid(), version, node);
            if (response.success()) {
                return "";
            }
            refusal = response.message();
            if (response.code() != CONFLICT) {
                return refusal;
            }
        }
        return refusal;
    }

    private void drop(PodInfo pod, NominatedPodMap nominated) {
        onScheduler("drop nomination of " + pod.key(), () -> {
            evictions.forget(pod);
            nominated.drop(pod);
        });
    }

    private void onScheduler(String description, Runnable action) {
        inbox.post(new ClusterChange.Task(description, action));
    }

    private void clear(PodInfo pod) {
        if (pod.nominatedNodeName().isEmpty()) {
            return;
        }
        try {
            String refusal = nominate(pod, null);
            if (!refusal.isEmpty()) {
                LOG.debug("nomination of {} not cleared: {}", pod.key(), refusal);
            }
        } catch (ApiIoException e) {
            LOG.warn("W104 nomination of {} not cleared: {}", pod.key(), e.getMessage());
        }
    }
}
