package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.ApiResponse;
import io.policyscheduler.cmd.kube.EventWriter;
import io.policyscheduler.cmd.kube.PodReference;
import io.policyscheduler.cmd.kube.PodWriter;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.scheduler.ClusterChange;
import io.policyscheduler.framework.scheduler.EventInbox;
import io.policyscheduler.framework.scheduler.Preemptor;
import io.policyscheduler.framework.scheduler.SchedulerListener;
import io.policyscheduler.framework.scheduler.cycle.SchedulingCycle;
import io.policyscheduler.framework.scheduler.queue.NominatedPodMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
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

    private final SchedulingCycle cycle;
    private final Preemption preemption;
    private final PodWriter pods;
    private final EventWriter events;
    private final Executor writes;
    private final ClusterView cluster;
    /** UID of a preemptor to what was decided for it; of the scheduling thread. */
    private final Map<String, Eviction> underway = new HashMap<>();

    private final SchedulerListener listener;
    private @Nullable EventInbox inbox;

    /** Victims that have been or will be deleted on a node. */
    private record Eviction(String node, Set<String> victims) {}

    PreemptionWriter(
            SchedulingCycle cycle,
            ClusterView cluster,
            Preemption preemption,
            PodWriter pods,
            EventWriter events,
            Executor writes,
            SchedulerListener listener) {
        this.listener = listener;
        this.cycle = cycle;
        this.cluster = cluster;
        this.preemption = preemption;
        this.pods = pods;
        this.events = events;
        this.writes = writes;
    }

    /** Where to tell that a nomination is void; before the first pod. */
    void connect(EventInbox scheduler) {
        inbox = scheduler;
    }

    @Override
    public void preempt(PodInfo failed, NominatedPodMap nominated) {
        // The object may be older than the nomination; without it the pod would evict a second time.
        String promised = nominated.nodeOf(failed);
        PodInfo pod = failed.nominatedNodeName().isEmpty() && promised != null
                ? failed.withNominatedNodeName(promised)
                : failed;
        if (victimsAreStillThere(pod)) {
            return;
        }
        Map<String, NodeFailure> failures = cycle.failures(pod, nominated);
        if (failures == null) {
            return;
        }
        PreemptionResult result = cycle.preempt(pod, nominated, failures, preemption);
        String node = result.chosen();
        if (node == null) {
            if (result.clearOwn() && !pod.nominatedNodeName().isEmpty()) {
                nominated.drop(pod);
                writes.execute(() -> clear(pod));
            }
            return;
        }
        PreemptionResult.Victims victims =
                Objects.requireNonNull(result.candidates().get(node));
        List<PodInfo> lower = result.clearNominations().getOrDefault(node, List.of());
        nominated.nominate(pod, node);
        underway.put(
                pod.uid(),
                new Eviction(node, victims.pods().stream().map(PodInfo::uid).collect(Collectors.toUnmodifiableSet())));
        writes.execute(() -> write(pod, node, victims.pods(), lower, nominated));
    }

    /**
     * The writes are done elsewhere and show later; until then another attempt would choose victims again, and not
     * necessarily the same ones. v1.17 waits for its writes, and looks at deletion timestamps afterwards.
     */
    private boolean victimsAreStillThere(PodInfo pod) {
        underway.values().removeIf(eviction -> !isAnyLeft(eviction));
        return underway.containsKey(pod.uid());
    }

    private boolean isAnyLeft(Eviction eviction) {
        NodeInfo node = cluster.node(eviction.node());
        return node != null
                && node.pods().stream().anyMatch(pod -> eviction.victims().contains(pod.uid()));
    }

    private void write(
            PodInfo pod, String node, List<PodInfo> victims, List<PodInfo> lower, NominatedPodMap nominated) {
        try {
            ApiResponse response = pods.patchNominatedNode(pod.namespace(), pod.name(), pod.uid(), node);
            if (!response.success()) {
                LOG.warn("W104 nomination of {} to {} not written: {}", pod.key(), node, response.message());
                drop(pod, nominated);
                return;
            }
            for (PodInfo victim : victims) {
                ApiResponse deleted = pods.deletePod(victim.namespace(), victim.name(), victim.uid());
                if (!deleted.success() && deleted.code() != NOT_FOUND) {
                    LOG.warn("W105 victim {} of {} not deleted: {}", victim.key(), pod.key(), deleted.message());
                    onScheduler("forget victims of " + pod.key(), () -> underway.remove(pod.uid()));
                    return;
                }
                events.record(
                        new PodReference(victim.namespace(), victim.name(), victim.uid(), victim.resourceVersion()),
                        "Normal",
                        "Preempted",
                        "Preempted by " + pod.key() + " on node " + node);
            }
        } catch (ApiIoException e) {
            LOG.warn("W104 preemption for {} on {} broke off: {}", pod.key(), node, e.getMessage());
            drop(pod, nominated);
            return;
        }
        onScheduler("preempted for " + pod.key(), () -> listener.onPreempted(pod, victims.size()));
        lower.forEach(this::clear);
    }

    private void drop(PodInfo pod, NominatedPodMap nominated) {
        onScheduler("drop nomination of " + pod.key(), () -> {
            underway.remove(pod.uid());
            nominated.drop(pod);
        });
    }

    private void onScheduler(String description, Runnable action) {
        EventInbox scheduler = inbox;
        if (scheduler != null) {
            scheduler.post(new ClusterChange.Task(description, action));
        }
    }

    private void clear(PodInfo pod) {
        if (pod.nominatedNodeName().isEmpty()) {
            return;
        }
        try {
            ApiResponse response = pods.patchNominatedNode(pod.namespace(), pod.name(), pod.uid(), null);
            if (!response.success()) {
                LOG.debug("nomination of {} not cleared: {}", pod.key(), response.message());
            }
        } catch (ApiIoException e) {
            LOG.warn("W104 nomination of {} not cleared: {}", pod.key(), e.getMessage());
        }
    }
}
