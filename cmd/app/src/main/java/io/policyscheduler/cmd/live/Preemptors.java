package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.write.EventRecorder;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.PodEvictor.Evictions;
import io.policyscheduler.cmd.live.PodEvictor.ParallelEvictions;
import io.policyscheduler.cmd.live.WorkerThreads.Delayed;
import io.policyscheduler.cmd.live.WorkerThreads.Ordered;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.Preemptor;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.Nominator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Executes preemption: nominates pods and evicts their victims, for each profile by the rules of its release. All profiles of a
 * scheduler share the running preemptions.
 */
public final class Preemptors {
    private static final Logger LOG = LoggerFactory.getLogger(Preemptors.class);
    /** After some minutes without a response, the choice of victims is too old to continue. */
    private static final int MAX_FAILED = 20;

    private static final Duration FIRST_DELAY = Duration.ofSeconds(1);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);

    private final Evictions underway;
    private final WaitingPods waitingPods;
    private final EventInbox inbox;
    private final SchedulerListener listener;
    private final Api api;
    private final Nominations nominations;

    /**
     * The executors and the connection.
     *
     * @param evictions runs the evictions for profiles of current releases, with a limit of concurrent calls
     * @param others runs other writes
     * @param statuses runs writes of pods' statuses, by UID
     * @param timer runs delayed tasks
     */
    public record Api(
            PodWriter pods,
            EventRecorder events,
            Executor evictions,
            Executor others,
            Ordered statuses,
            Delayed timer) {}

    /**
     * Creates the preemptors of one scheduler.
     *
     * @param cluster of the scheduling thread
     * @param waitingPods pods on Permit, which are evicted by a rejection
     */
    public Preemptors(
            ClusterView cluster, WaitingPods waitingPods, EventInbox inbox, SchedulerListener listener, Api api) {
        this.underway = new Evictions(cluster);
        this.waitingPods = waitingPods;
        this.inbox = inbox;
        this.listener = listener;
        this.api = api;
        this.nominations = new Nominations(api.pods(), api.statuses(), api.timer());
    }

    /**
     * Creates the preemption of a profile, according to its release.
     *
     * @param generation of the profiles that decide
     * @param cycle of the profile
     * @param preemption the rules of 1.17
     */
    public Preemptor create(long generation, Profile profile, SchedulingCycle cycle, Preemption preemption) {
        PodEvictor evictor = new PodEvictor(api.pods(), api.events(), waitingPods, profile.rules(), generation);
        return profile.rules().waitsForEvents()
                ? new AsyncPreemption(cycle, preemption, evictor)
                : new SyncPreemption(cycle, preemption, evictor);
    }

    static Duration retryDelay(int failed) {
        Duration delay = FIRST_DELAY.multipliedBy(1L << Math.min(failed, MAX_FAILED));
        return delay.compareTo(LONGEST_DELAY) < 0 ? delay : LONGEST_DELAY;
    }

    /**
     * The preemption of one pod.
     *
     * @param victims the most important first
     * @param lower pods with lower priority that are nominated to the same node
     */
    private record Candidate(PodInfo pod, String node, List<PodInfo> victims, List<PodInfo> lower) {}

    /** The steps that all releases share. */
    private abstract class AbstractPreemptor implements Preemptor {
        final SchedulingCycle cycle;
        final PodEvictor evictor;
        private final Preemption preemption;

        AbstractPreemptor(SchedulingCycle cycle, Preemption preemption, PodEvictor evictor) {
            this.cycle = cycle;
            this.preemption = preemption;
            this.evictor = evictor;
        }

        @Override
        public final Status preempt(PodInfo failed, Nominator nominated) {
            PodInfo pod = nominated.withNomination(failed);
            underway.removeUnless(pod, node -> cycle.preemption().mayFit(pod, nominated, node));
            if (underway.isInProgressFor(pod)) {
                return underway();
            }
            PreemptionPlan plan = cycle.preemption().preempt(pod, nominated, preemption);
            String node = plan.node();
            if (node == null) {
                clearNomination(pod, nominated, plan);
                return PostFilters.statusOf(plan);
            }
            nominated.nominate(pod, node);
            execute(new Candidate(pod, node, plan.victims(), plan.lower()), nominated);
            return Status.SUCCESS;
        }

        /** The status of a pod whose victims are not yet terminating according to the watch. */
        abstract Status underway();

        /** Preemption does not help: removes the nomination of the pod if it is outdated. */
        abstract void clearNomination(PodInfo pod, Nominator nominated, PreemptionPlan plan);

        /** Starts the writes. */
        abstract void execute(Candidate candidate, Nominator nominated);

        @Override
        public final void started(PodInfo pod) {
            // Also for a policy: a profile of a current release that decided before may have held the pod back.
            underway.started(pod);
        }

        @Override
        public final void dropped(PodInfo pod) {
            underway.forget(pod);
        }

        /**
         * Repeats calls without a response later, because it is unknown whether the victim is deleted: at most one call per second
         * for a victim. The watch can show first that the victim is terminating.
         *
         * @param failed number of consecutive calls without a response
         * @param victims victims whose deletion is not confirmed
         * @param call gets the UIDs of those that the watch has shown to go by then
         * @return false if the calls are not repeated
         */
        final boolean retry(
                Candidate candidate,
                ApiIoException why,
                int failed,
                List<PodInfo> victims,
                Consumer<Set<String>> call) {
            PodInfo pod = candidate.pod();
            String node = candidate.node();
            boolean again = why.isSent() && failed < MAX_FAILED;
            LOG.atWarn()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", node)
                    .log("W104 preemption {}: {}", again ? "failed, retrying" : "failed", why.getMessage());
            if (again) {
                api.timer()
                        .execute(
                                () -> inbox.post(new ClusterChange.Task("preemption again for " + pod.key(), () -> {
                                    Set<String> terminatingOrGone = underway.terminatingOrGone(node, victims);
                                    api.others().execute(() -> call.accept(terminatingOrGone));
                                })),
                                retryDelay(failed));
            }
            return again;
        }

        /** Whether the pod still has no node. */
        final boolean isUnbound(PodInfo pod) throws ApiIoException {
            return !api.pods()
                    .unboundVersion(pod.namespace(), pod.name(), pod.uid())
                    .isEmpty();
        }

        /** All victims are evicted. */
        final void preempted(Candidate candidate) {
            PodInfo pod = candidate.pod();
            inbox.post(new ClusterChange.Task(
                    "preempted for " + pod.key(),
                    () -> listener.onPreempted(pod, candidate.victims().size())));
        }

        /**
         * Gives up. Without another attempt the pod would wait for something to change in the cluster, because no deletion event
         * requeues it.
         */
        final void giveUp(PodInfo pod, boolean keepsNomination) {
            inbox.post(new ClusterChange.PreemptionDropped(pod));
            inbox.post(new ClusterChange.PreemptionFailed(pod, keepsNomination));
        }
    }

    /**
     * Preemption as in v1.17: nominates in memory, writes the nomination, deletes the victims in order, and clears lower
     * nominations. A rejected write stops the sequence; a write without a response is repeated. Mirrors {@code preempt} of
     * {@code pkg/scheduler/scheduler.go}.
     */
    private final class SyncPreemption extends AbstractPreemptor {
        SyncPreemption(SchedulingCycle cycle, Preemption preemption, PodEvictor evictor) {
            super(cycle, preemption, evictor);
        }

        @Override
        Status underway() {
            return Status.SUCCESS;
        }

        /**
         * A nominated node is outdated if it is infeasible even without the pods of lower priority. v1.17 keeps such a nomination,
         * with the resources of the node, as long as preemption can help on any other node.
         */
        @Override
        void clearNomination(PodInfo pod, Nominator nominated, PreemptionPlan plan) {
            String node = pod.nominatedNodeName();
            boolean isOutdated = !node.isEmpty()
                    && plan.error() == null
                    && (plan.clearsOwn() || !cycle.preemption().mayFit(pod, nominated, node));
            if (isOutdated) {
                nominated.end(pod);
                nominations.clear(pod);
            }
        }

        @Override
        void execute(Candidate candidate, Nominator nominated) {
            PodInfo pod = candidate.pod();
            // These no longer fit on the node. Their status is cleared only after the evictions.
            candidate.lower().forEach(nominated::end);
            listener.onNominated(pod, candidate.node(), candidate.victims());
            underway.start(pod, candidate.node(), candidate.victims());
            nominations.write(pod, candidate.node(), reason -> nominated(candidate, reason));
        }

        private void nominated(Candidate candidate, String reason) {
            if (reason.isEmpty()) {
                // On this thread, so that a process that ends completes a started preemption and starts no other.
                evictFrom(candidate, 0, Set.of(), 0);
                return;
            }
            LOG.atWarn()
                    .addKeyValue("pod", candidate.pod().key())
                    .addKeyValue("node", candidate.node())
                    .log("W104 nomination not written: {}", reason);
            giveUp(candidate);
        }

        /** Also removes the nomination from the status, where it was before or may have been written without a response. */
        private void giveUp(Candidate candidate) {
            nominations.clear(candidate.pod().withNominatedNodeName(candidate.node()));
            giveUp(candidate.pod(), false);
        }

        /**
         * Evicts the victims from an index on. An eviction without a response is repeated for the same victim.
         *
         * @param terminatingOrGone UIDs of victims that the watch shows to be terminating or deleted
         */
        private void evictFrom(Candidate candidate, int first, Set<String> terminatingOrGone, int failed) {
            PodInfo pod = candidate.pod();
            int next = first;
            try {
                if (failed > 0 && !isUnbound(pod)) {
                    giveUp(candidate);
                    return;
                }
                for (; next < candidate.victims().size(); next++) {
                    PodInfo victim = candidate.victims().get(next);
                    if (terminatingOrGone.contains(victim.uid())) {
                        evictor.record(pod, candidate.node(), victim);
                        continue;
                    }
                    String reason = evictor.evict(pod, candidate.node(), victim).refusal();
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
                List<PodInfo> unknown = List.of(candidate.victims().get(at));
                if (!retry(candidate, e, failed, unknown, shown -> evictFrom(candidate, at, shown, failed + 1))) {
                    giveUp(candidate);
                }
                return;
            }
            preempted(candidate);
            candidate.lower().forEach(nominations::clear);
        }
    }

    /**
     * Preemption as in current releases. The pod is nominated in memory immediately, and its condition is written with the message
     * of the attempt. Then lower nominations are cleared, and the victims are evicted concurrently, except the least important one,
     * which is evicted last. Until then, the pod is not retried. A call without a response is repeated. After a rejected call, or
     * if all victims were already gone, the pod is retried immediately. Mirrors {@code prepareCandidateAsync} of
     * {@code pkg/scheduler/framework/preemption/executor.go}.
     */
    private final class AsyncPreemption extends AbstractPreemptor {
        private final ParallelEvictions evictions;

        AsyncPreemption(SchedulingCycle cycle, Preemption preemption, PodEvictor evictor) {
            super(cycle, preemption, evictor);
            this.evictions = new ParallelEvictions(evictor::evict, api.evictions());
        }

        @Override
        public boolean isPreparing(PodInfo pod) {
            return underway.isPreparing(pod);
        }

        @Override
        Status underway() {
            return Status.unschedulable(Preemption.VICTIMS_ARE_GOING);
        }

        @Override
        void clearNomination(PodInfo pod, Nominator nominated, PreemptionPlan plan) {
            if (plan.clearsOwn()) {
                nominated.end(pod);
            }
        }

        @Override
        void execute(Candidate candidate, Nominator nominated) {
            PodInfo pod = candidate.pod();
            String node = candidate.node();
            List<PodInfo> victims = candidate.victims().stream()
                    .filter(victim -> !victim.terminating())
                    .toList();
            if (!victims.isEmpty()) {
                listener.onNominated(pod, node, victims);
                underway.start(pod, node, victims);
                underway.prepare(pod);
                api.others().execute(() -> {
                    candidate.lower().forEach(nominations::clear);
                    evict(new Candidate(pod, node, victims, candidate.lower()), victims, 0, 0);
                });
            }
        }

        /**
         * Evicts the victims: all but the last one concurrently, then the last one.
         *
         * @param left victims that may still exist
         * @param gone number of victims that were already gone
         * @param failed number of consecutive calls without a response
         */
        private void evict(Candidate candidate, List<PodInfo> left, int gone, int failed) {
            PodInfo pod = candidate.pod();
            boolean areSeveral = left.size() > 1;
            if (!areSeveral) {
                // Before the deletion event that requeues the pod.
                inbox.post(new ClusterChange.PreemptionStarted(pod));
            }
            List<PodInfo> now = areSeveral ? left.subList(0, left.size() - 1) : left;
            evictions.evict(pod, candidate.node(), now, outcome -> {
                List<PodInfo> next = new ArrayList<>(outcome.left());
                if (areSeveral) {
                    next.add(left.get(left.size() - 1));
                }
                evicted(candidate, outcome, List.copyOf(next), gone + outcome.gone(), failed);
            });
        }

        private void evicted(
                Candidate candidate, ParallelEvictions.Outcome outcome, List<PodInfo> left, int gone, int failed) {
            PodInfo pod = candidate.pod();
            if (!outcome.refusal().isEmpty()) {
                LOG.atWarn()
                        .addKeyValue("pod", pod.key())
                        .addKeyValue("node", candidate.node())
                        .log("W105 victim not deleted: {}", outcome.refusal());
                giveUp(pod, true);
            } else if (outcome.unanswered() != null) {
                later(candidate, outcome.unanswered(), left, gone, failed);
            } else if (!left.isEmpty()) {
                evict(candidate, left, gone, 0);
            } else if (gone == candidate.victims().size()) {
                giveUp(pod, true);
            } else {
                carriedOut(candidate);
            }
        }

        private void later(Candidate candidate, ApiIoException why, List<PodInfo> left, int gone, int failed) {
            if (!retry(
                    candidate,
                    why,
                    failed,
                    left,
                    terminatingOrGone -> evictAgain(candidate, left, terminatingOrGone, gone, failed + 1))) {
                giveUp(candidate.pod(), true);
            }
        }

        /** Evicts the victims whose deletion is not confirmed, except those that the watch shows as terminating. */
        private void evictAgain(
                Candidate candidate, List<PodInfo> victims, Set<String> terminatingOrGone, int gone, int failed) {
            PodInfo pod = candidate.pod();
            try {
                if (!isUnbound(pod)) {
                    giveUp(pod, true);
                    return;
                }
            } catch (ApiIoException e) {
                later(candidate, e, victims, gone, failed);
                return;
            }
            List<PodInfo> left = new ArrayList<>();
            for (PodInfo victim : victims) {
                if (terminatingOrGone.contains(victim.uid())) {
                    evictor.record(pod, candidate.node(), victim);
                } else {
                    left.add(victim);
                }
            }
            if (left.isEmpty()) {
                inbox.post(new ClusterChange.PreemptionStarted(pod));
                carriedOut(candidate);
            } else {
                evict(candidate, List.copyOf(left), gone, failed);
            }
        }

        private void carriedOut(Candidate candidate) {
            preempted(candidate);
            inbox.post(new ClusterChange.PreemptionCarriedOut(candidate.pod()));
        }
    }

    /** Writes the nominated node into the status of pending pods. */
    static final class Nominations {
        private static final int CONFLICT = 409;
        /** Other clients can write the pod at the same time. */
        private static final int ATTEMPTS = 3;

        private static final int SERVER_ERROR = 500;

        private final PodWriter pods;
        private final Ordered statuses;
        private final Delayed timer;
        /** The removals that are not confirmed, by UID; a later nomination replaces them. */
        private final Map<String, Object> unconfirmed = new ConcurrentHashMap<>();

        /**
         * @param statuses runs the writes in order by the UID of the pod, because a nomination and its removal must not change
         *     their order
         * @param timer runs repeated removals
         */
        Nominations(PodWriter pods, Ordered statuses, Delayed timer) {
            this.pods = pods;
            this.statuses = statuses;
            this.timer = timer;
        }

        /**
         * Writes a nomination.
         *
         * @param done receives the error on the writing thread; empty on success
         */
        void write(PodInfo pod, String node, Consumer<String> done) {
            unconfirmed.remove(pod.uid());
            statuses.execute(pod.uid(), () -> {
                String reason;
                try {
                    reason = writeNow(pod, node);
                } catch (ApiIoException e) {
                    reason = String.valueOf(e.getMessage());
                }
                done.accept(reason);
            });
        }

        /**
         * Removes a nomination, if there is one. Repeated after errors of the server: no other write removes it, and kubectl, autoscalers,
         * and this scheduler after a restart would use it.
         */
        void clear(PodInfo pod) {
            if (!pod.nominatedNodeName().isEmpty()) {
                Object removal = new Object();
                unconfirmed.put(pod.uid(), removal);
                clear(pod, removal, 0);
            }
        }

        private void clear(PodInfo pod, Object removal, int failed) {
            try {
                statuses.execute(pod.uid(), () -> {
                    if (failed == 0 || unconfirmed.get(pod.uid()) == removal) {
                        clearNow(pod, removal, failed);
                    }
                });
            } catch (RejectedExecutionException e) {
                LOG.atDebug().addKeyValue("pod", pod.key()).log("nomination not cleared: the process ends");
            }
        }

        private void clearNow(PodInfo pod, Object removal, int failed) {
            String reason;
            boolean isFinal = true;
            try {
                ApiResponse response = patch(pod, null);
                reason = response == null || response.success() ? "" : response.message();
                isFinal = response == null || response.code() < SERVER_ERROR;
            } catch (ApiIoException e) {
                reason = String.valueOf(e.getMessage());
                isFinal = false;
            }
            if (isFinal || failed == MAX_FAILED) {
                unconfirmed.remove(pod.uid(), removal);
            } else {
                timer.execute(() -> clear(pod, removal, failed + 1), retryDelay(failed));
            }
            if (!reason.isEmpty()) {
                LOG.atLevel(isFinal ? Level.DEBUG : Level.WARN)
                        .addKeyValue("pod", pod.key())
                        .log("W104 nomination not cleared: {}", reason);
            }
        }

        /** Why not; empty when it is written. */
        private String writeNow(PodInfo pod, String node) throws ApiIoException {
            ApiResponse response = patch(pod, node);
            if (response == null) {
                return "the pod no longer waits for a node";
            }
            return response.success() ? "" : response.message();
        }

        /** The last response; null if the pod no longer waits for a node. */
        private @Nullable ApiResponse patch(PodInfo pod, @Nullable String node) throws ApiIoException {
            ApiResponse response = null;
            for (int attempt = 0; attempt < ATTEMPTS && (response == null || response.code() == CONFLICT); attempt++) {
                String version = pods.unboundVersion(pod.namespace(), pod.name(), pod.uid());
                if (version.isEmpty()) {
                    return null;
                }
                response = pods.patchNominatedNode(pod.namespace(), pod.name(), pod.uid(), version, node);
            }
            return response;
        }
    }
}
