package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.PodEvictor.Evictions;
import io.policyscheduler.cmd.live.PodEvictor.ParallelEvictions;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Preemption as in current releases. The pod is nominated in memory immediately, and its condition is written with the message of
 * the attempt. Then lower nominations are cleared, and the victims are evicted concurrently, except the least important one,
 * which is evicted last. Until then, the pod is not retried. A call without a response is repeated, because it is unknown whether
 * the victim is deleted. After a rejected call, or if all victims were already gone, the pod is retried immediately. Mirrors
 * {@code prepareCandidateAsync} of {@code pkg/scheduler/framework/preemption/executor.go}.
 */
final class AsyncPreemption implements Preemptor {
    private static final Logger LOG = LoggerFactory.getLogger(AsyncPreemption.class);

    private final SchedulingCycle cycle;
    private final Preemption preemption;
    private final PodWriter pods;
    private final Executor writes;
    private final Nominations nominations;
    private final Retries repetition;
    private final Evictions underway;
    private final ParallelEvictions evictions;
    private final PodEvictor evictor;
    private final EventInbox inbox;
    private final SchedulerListener listener;

    AsyncPreemption(
            SchedulingCycle cycle,
            Evictions underway,
            Preemption preemption,
            ParallelEvictions evictions,
            PodEvictor evictor,
            PodWriter pods,
            Nominations nominations,
            Executor writes,
            Delayed timer,
            EventInbox inbox,
            SchedulerListener listener) {
        this.cycle = cycle;
        this.underway = underway;
        this.preemption = preemption;
        this.evictions = evictions;
        this.evictor = evictor;
        this.pods = pods;
        this.writes = writes;
        this.nominations = nominations;
        this.repetition = new Retries(writes, timer, underway, inbox);
        this.inbox = inbox;
        this.listener = listener;
    }

    @Override
    public boolean isPreparing(PodInfo pod) {
        return underway.isPreparing(pod);
    }

    @Override
    public void started(PodInfo pod) {
        underway.started(pod);
    }

    @Override
    public void dropped(PodInfo pod) {
        underway.forget(pod);
    }

    @Override
    public Status preempt(PodInfo failed, Nominator nominated) {
        PodInfo pod = nominated.withNomination(failed);
        underway.forgetUnless(pod, node -> cycle.preemption().mayFit(pod, nominated, node));
        if (underway.areUnderwayFor(pod)) {
            // The watch has yet to show that they are going.
            return Status.unschedulable(Preemption.VICTIMS_ARE_GOING);
        }
        PreemptionPlan room = cycle.preemption().preempt(pod, nominated, preemption);
        String node = room.node();
        if (node == null) {
            if (room.clearsOwn()) {
                nominated.end(pod);
            }
            return PostFilters.statusOf(room);
        }
        nominated.nominate(pod, node);
        List<PodInfo> victims =
                room.victims().stream().filter(victim -> !victim.terminating()).toList();
        if (!victims.isEmpty()) {
            listener.onNominated(pod, node, victims);
            underway.start(pod, node, victims);
            underway.prepare(pod);
            Job job = new Job(pod, node, victims, room.lower());
            writes.execute(() -> prepare(job));
        }
        return Status.SUCCESS;
    }

    /**
     * One preemption.
     *
     * @param victims the most important first
     * @param lower pods with lower priority that are nominated to the same node
     */
    private record Job(PodInfo pod, String node, List<PodInfo> victims, List<PodInfo> lower) {}

    private void prepare(Job job) {
        job.lower().forEach(nominations::clear);
        evict(job, job.victims(), 0, 0);
    }

    /**
     * Evicts the victims: all but the last one concurrently, then the last one.
     *
     * @param left victims that may still exist
     * @param gone number of victims that were already gone
     * @param failed number of consecutive calls without a response
     */
    private void evict(Job job, List<PodInfo> left, int gone, int failed) {
        PodInfo pod = job.pod();
        boolean areSeveral = left.size() > 1;
        if (!areSeveral) {
            // Before the deletion event that requeues the pod.
            inbox.post(new ClusterChange.PreemptionStarted(pod));
        }
        List<PodInfo> now = areSeveral ? left.subList(0, left.size() - 1) : left;
        evictions.evict(pod, job.node(), now, outcome -> {
            List<PodInfo> next = new ArrayList<>(outcome.left());
            if (areSeveral) {
                next.add(left.get(left.size() - 1));
            }
            evicted(job, outcome, List.copyOf(next), gone + outcome.gone(), failed);
        });
    }

    private void evicted(Job job, ParallelEvictions.Outcome outcome, List<PodInfo> left, int gone, int failed) {
        PodInfo pod = job.pod();
        if (!outcome.refusal().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", job.node())
                    .log("W105 victim not deleted: {}", outcome.refusal());
            giveUp(job);
        } else if (outcome.unanswered() != null) {
            later(job, outcome.unanswered(), left, gone, failed);
        } else if (!left.isEmpty()) {
            evict(job, left, gone, 0);
        } else if (gone == job.victims().size()) {
            giveUp(job);
        } else {
            carriedOut(job);
        }
    }

    /** Repeats the eviction of the victims whose deletion is not confirmed, except those that the watch shows as terminating. */
    private void evictAgain(Job job, List<PodInfo> victims, Set<String> going, int gone, int failed) {
        if (!stillWaits(job, victims, gone, failed)) {
            return;
        }
        List<PodInfo> left = new ArrayList<>();
        for (PodInfo victim : victims) {
            if (going.contains(victim.uid())) {
                evictor.record(job.pod(), job.node(), victim);
            } else {
                left.add(victim);
            }
        }
        if (left.isEmpty()) {
            inbox.post(new ClusterChange.PreemptionStarted(job.pod()));
            carriedOut(job);
        } else {
            evict(job, List.copyOf(left), gone, failed);
        }
    }

    private void carriedOut(Job job) {
        PodInfo pod = job.pod();
        inbox.post(new ClusterChange.Task(
                "preempted for " + pod.key(),
                () -> listener.onPreempted(pod, job.victims().size())));
        inbox.post(new ClusterChange.PreemptionCarriedOut(pod));
    }

    /** False if the preemption is no longer needed, or if that is unknown. */
    private boolean stillWaits(Job job, List<PodInfo> left, int gone, int failed) {
        PodInfo pod = job.pod();
        try {
            if (!pods.unboundVersion(pod.namespace(), pod.name(), pod.uid()).isEmpty()) {
                return true;
            }
            giveUp(job);
        } catch (ApiIoException e) {
            later(job, e, left, gone, failed);
        }
        return false;
    }

    /** Without a response it is unknown whether the victim is deleted. */
    private void later(Job job, ApiIoException why, List<PodInfo> left, int gone, int failed) {
        boolean again = repetition.again(
                job.pod(), job.node(), why, failed, left, going -> evictAgain(job, left, going, gone, failed + 1));
        if (!again) {
            giveUp(job);
        }
    }

    /** No victim will be deleted, so that no deletion event will requeue the pod. */
    private void giveUp(Job job) {
        PodInfo pod = job.pod();
        inbox.post(new ClusterChange.PreemptionDropped(pod));
        inbox.post(new ClusterChange.PreemptionFailed(pod, true));
    }

    /**
     * Repeats calls without a response until the result is known: at most one call per second for a victim. The watch can show
     * first that the victim is terminating.
     */
    static final class Retries {
        private static final Logger LOG = LoggerFactory.getLogger(Retries.class);
        /** After some minutes without a response, the choice of victims is too old to continue. */
        private static final int MAX_FAILED = 20;

        private static final Duration FIRST_DELAY = Duration.ofSeconds(1);
        private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);

        private final Executor writes;
        private final Delayed timer;
        private final Evictions evictions;
        private final EventInbox inbox;

        Retries(Executor writes, Delayed timer, Evictions evictions, EventInbox inbox) {
            this.writes = writes;
            this.timer = timer;
            this.evictions = evictions;
            this.inbox = inbox;
        }

        /**
         * Repeats the calls later.
         *
         * @param failed number of consecutive calls without a response
         * @param victims victims whose deletion is not confirmed
         * @param call gets the UIDs of those that the watch has shown to go by then
         * @return false when it is no use
         */
        boolean again(
                PodInfo pod,
                String node,
                ApiIoException why,
                int failed,
                List<PodInfo> victims,
                Consumer<Set<String>> call) {
            boolean again = why.isSent() && failed < MAX_FAILED;
            LOG.atWarn()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", node)
                    .log("W104 preemption {}: {}", again ? "failed, retrying" : "failed", why.getMessage());
            if (again) {
                timer.execute(
                        () -> inbox.post(new ClusterChange.Task("preemption again for " + pod.key(), () -> {
                            Set<String> going = evictions.going(node, victims);
                            writes.execute(() -> call.accept(going));
                        })),
                        delay(failed));
            }
            return again;
        }

        static Duration delay(int failed) {
            Duration delay = FIRST_DELAY.multipliedBy(1L << Math.min(failed, MAX_FAILED));
            return delay.compareTo(LONGEST_DELAY) < 0 ? delay : LONGEST_DELAY;
        }
    }
}
