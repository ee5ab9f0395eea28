package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.AsyncPreemption.Retries;
import io.policyscheduler.cmd.live.PodEvictor.Evictions;
import io.policyscheduler.cmd.live.Preemptors.Nominations;
import io.policyscheduler.cmd.live.WorkerThreads.Delayed;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.Preemptor;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.Nominator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Preemption as in v1.17: nominates in memory, writes the nomination, deletes the victims in order, and clears lower nominations.
 * A rejected write stops the sequence; a write without a response is repeated, because its result is unknown. Mirrors
 * {@code preempt} of {@code pkg/scheduler/scheduler.go}.
 */
final class PreemptionWriter implements Preemptor {
    private static final Logger LOG = LoggerFactory.getLogger(PreemptionWriter.class);

    private final SchedulingCycle cycle;
    private final Preemption preemption;
    private final PodEvictor evictor;
    private final PodWriter pods;
    private final Nominations nominations;
    private final Retries repetition;
    private final Evictions evictions;
    private final EventInbox inbox;
    private final SchedulerListener listener;

    PreemptionWriter(
            SchedulingCycle cycle,
            Evictions evictions,
            Preemption preemption,
            PodEvictor evictor,
            PodWriter pods,
            Nominations nominations,
            Executor writes,
            Delayed timer,
            EventInbox inbox,
            SchedulerListener listener) {
        this.listener = listener;
        this.cycle = cycle;
        this.evictions = evictions;
        this.preemption = preemption;
        this.evictor = evictor;
        this.pods = pods;
        this.nominations = nominations;
        this.repetition = new Retries(writes, timer, evictions, inbox);
        this.inbox = inbox;
    }

    @Override
    public Status preempt(PodInfo failed, Nominator nominated) {
        PodInfo pod = nominated.withNomination(failed);
        evictions.forgetUnless(pod, node -> cycle.preemption().mayFit(pod, nominated, node));
        if (evictions.areUnderwayFor(pod)) {
            return Status.SUCCESS;
        }
        PreemptionPlan room = cycle.preemption().preempt(pod, nominated, preemption);
        String node = room.node();
        if (node == null) {
            if (isOutdated(pod, nominated, room)) {
                nominated.end(pod);
                nominations.clear(pod);
            }
            return PostFilters.statusOf(room);
        }
        nominated.nominate(pod, node);
        // These no longer fit on the node. Their status is cleared only after the evictions.
        room.lower().forEach(nominated::end);
        listener.onNominated(pod, node, room.victims());
        evictions.start(pod, node, room.victims());
        Job job = new Job(pod, node, room.victims(), room.lower());
        nominations.write(pod, node, reason -> nominated(job, reason));
        return Status.SUCCESS;
    }

    @Override
    public void started(PodInfo pod) {
        // Held back by the profile of a current release that decided before.
        evictions.started(pod);
    }

    @Override
    public void dropped(PodInfo pod) {
        evictions.forget(pod);
    }

    /**
     * Returns true if the nominated node is infeasible even without the pods of lower priority. v1.17 keeps such a nomination,
     * with the resources of the node, as long as preemption can help on any other node.
     */
    private boolean isOutdated(PodInfo pod, Nominator nominated, PreemptionPlan room) {
        String node = pod.nominatedNodeName();
        return !node.isEmpty()
                && room.error() == null
                && (room.clearsOwn() || !cycle.preemption().mayFit(pod, nominated, node));
    }

    /**
     * One preemption.
     *
     * @param lower pods with lower priority that are nominated to the same node
     */
    private record Job(PodInfo pod, String node, List<PodInfo> victims, List<PodInfo> lower) {}

    private void nominated(Job job, String reason) {
        if (reason.isEmpty()) {
            // On this thread, so that a process that ends completes a started preemption and starts no other.
            evictFrom(job, 0, Set.of(), 0);
            return;
        }
        LOG.atWarn()
                .addKeyValue("pod", job.pod().key())
                .addKeyValue("node", job.node())
                .log("W104 nomination not written: {}", reason);
        drop(job);
    }

    /**
     * Evicts the victims from an index on. An eviction without a response is repeated for the same victim.
     *
     * @param going UIDs of victims that the watch has shown to go
     */
    private void evictFrom(Job job, int first, Set<String> going, int failed) {
        PodInfo pod = job.pod();
        int next = first;
        try {
            if (failed > 0
                    && pods.unboundVersion(pod.namespace(), pod.name(), pod.uid())
                            .isEmpty()) {
                drop(job);
                return;
            }
            for (; next < job.victims().size(); next++) {
                PodInfo victim = job.victims().get(next);
                if (going.contains(victim.uid())) {
                    evictor.record(pod, job.node(), victim);
                    continue;
                }
                String reason = evictor.evict(pod, job.node(), victim).refusal();
                if (!reason.isEmpty()) {
                    LOG.atWarn()
                            .addKeyValue("victim", victim.key())
                            .addKeyValue("pod", pod.key())
                            .log("W105 victim not deleted: {}", reason);
                    inbox.post(new ClusterChange.PreemptionDropped(pod));
                    return;
                }
            }
        } catch (ApiIoException e) {
            int at = next;
            List<PodInfo> unknown = List.of(job.victims().get(at));
            boolean again = repetition.again(
                    pod, job.node(), e, failed, unknown, shown -> evictFrom(job, at, shown, failed + 1));
            if (!again) {
                drop(job);
            }
            return;
        }
        inbox.post(new ClusterChange.Task(
                "preempted for " + pod.key(),
                () -> listener.onPreempted(pod, job.victims().size())));
        job.lower().forEach(nominations::clear);
    }

    /** Without another attempt the pod would wait for something to change in the cluster. */
    private void drop(Job job) {
        inbox.post(new ClusterChange.PreemptionDropped(job.pod()));
        inbox.post(new ClusterChange.PreemptionFailed(job.pod(), false));
    }
}
