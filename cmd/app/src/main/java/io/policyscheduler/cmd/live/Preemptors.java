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
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.Preemptor;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the preemption of each profile of one scheduler. All profiles share the running preemptions. */
public final class Preemptors {
    private final Evictions underway;
    private final WaitingPods waitingPods;
    private final EventInbox inbox;
    private final SchedulerListener listener;
    private final Api api;

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
    }

    /**
     * Creates the preemption of a profile, according to its release.
     *
     * @param generation of the profiles that decide
     * @param cycle of the profile
     * @param preemption the rules of 1.17
     */
    public Preemptor create(long generation, Profile profile, SchedulingCycle cycle, Preemption preemption) {
        Nominations nominations = new Nominations(api.pods(), api.statuses());
        PodEvictor evictor = new PodEvictor(api.pods(), api.events(), waitingPods, profile.rules(), generation);
        return profile.rules().waitsForEvents()
                ? new AsyncPreemption(
                        cycle,
                        underway,
                        preemption,
                        new ParallelEvictions(evictor::evict, api.evictions()),
                        evictor,
                        api.pods(),
                        nominations,
                        api.others(),
                        api.timer(),
                        inbox,
                        listener)
                : new PreemptionWriter(
                        cycle,
                        underway,
                        preemption,
                        evictor,
                        api.pods(),
                        nominations,
                        api.others(),
                        api.timer(),
                        inbox,
                        listener);
    }

    /** Writes the nominated node into the status of pending pods. */
    static final class Nominations {
        private static final Logger LOG = LoggerFactory.getLogger(Nominations.class);
        private static final int CONFLICT = 409;
        /** Other clients can write the pod at the same time. */
        private static final int ATTEMPTS = 3;

        private final PodWriter pods;
        private final Ordered statuses;

        /**
         * @param statuses runs the writes in order by the UID of the pod, because a nomination and its removal must not change
         *     their order
         */
        Nominations(PodWriter pods, Ordered statuses) {
            this.pods = pods;
            this.statuses = statuses;
        }

        /**
         * Writes a nomination.
         *
         * @param done receives the error on the writing thread; empty on success
         */
        void write(PodInfo pod, String node, Consumer<String> done) {
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

        /** Removes a nomination, if there is one; a failure is only logged. */
        void clear(PodInfo pod) {
            if (!pod.nominatedNodeName().isEmpty()) {
                try {
                    statuses.execute(pod.uid(), () -> clearNow(pod));
                } catch (RejectedExecutionException e) {
                    LOG.atDebug().addKeyValue("pod", pod.key()).log("nomination not cleared: the process ends");
                }
            }
        }

        private void clearNow(PodInfo pod) {
            try {
                String reason = writeNow(pod, null);
                if (!reason.isEmpty()) {
                    LOG.atDebug().addKeyValue("pod", pod.key()).log("nomination not cleared: {}", reason);
                }
            } catch (ApiIoException e) {
                LOG.atWarn().addKeyValue("pod", pod.key()).log("W104 nomination not cleared: {}", e.getMessage());
            }
        }

        /** Why not; empty when it is written. */
        private String writeNow(PodInfo pod, @Nullable String node) throws ApiIoException {
            String reason = "";
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                String version = pods.unboundVersion(pod.namespace(), pod.name(), pod.uid());
                if (version.isEmpty()) {
                    return "the pod no longer waits for a node";
                }
                ApiResponse response = pods.patchNominatedNode(pod.namespace(), pod.name(), pod.uid(), version, node);
                if (response.success()) {
                    return "";
                }
                reason = response.message();
                if (response.code() != CONFLICT) {
                    return reason;
                }
            }
            return reason;
        }
    }
}
