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
import io.policyscheduler.engine.preemption.Preemption;
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

/** Makes what carries preemption out for the profiles of one scheduler, which share what is under way. */
public final class Preemptors {
    private final Evictions underway;
    private final WaitingPods waitingPods;
    private final EventInbox inbox;
    private final SchedulerListener listener;
    private final Api api;

    /**
     * The ways to the cluster.
     *
     * @param evictions runs the calls that evict pods for profiles of today, as many at once as the server is to be sent
     * @param others runs other writes
     * @param statuses runs writes of pods' statuses, by UID
     * @param timer starts later what must wait
     */
    public record Api(
            PodWriter pods,
            EventRecorder events,
            Executor evictions,
            Executor others,
            Ordered statuses,
            Delayed timer) {}

    /**
     * For one scheduler.
     *
     * @param cluster of the scheduling thread
     * @param waitingPods may be evicted by taking them back
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
     * For one profile: as its release does it.
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

    /** Writes into pods which node they are promised, for as long as they wait for one. */
    static final class Nominations {
        private static final Logger LOG = LoggerFactory.getLogger(Nominations.class);
        private static final int CONFLICT = 409;
        /** Somebody else may write the pod at the same time. */
        private static final int ATTEMPTS = 3;

        private final PodWriter pods;
        private final Ordered statuses;

        /** @param statuses runs the writes, by the UID of the pod: a promise and its end must not change places */
        Nominations(PodWriter pods, Ordered statuses) {
            this.pods = pods;
            this.statuses = statuses;
        }

        /**
         * Writes a promise.
         *
         * @param done gets why not, on the thread that writes; empty when it is written
         */
        void write(PodInfo pod, String node, Consumer<String> done) {
            statuses.execute(pod.uid(), () -> {
                String refusal;
                try {
                    refusal = writeNow(pod, node);
                } catch (ApiIoException e) {
                    refusal = String.valueOf(e.getMessage());
                }
                done.accept(refusal);
            });
        }

        /** Takes a promise back, if there is one; a failure is only told. */
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
                String refusal = writeNow(pod, null);
                if (!refusal.isEmpty()) {
                    LOG.atDebug().addKeyValue("pod", pod.key()).log("nomination not cleared: {}", refusal);
                }
            } catch (ApiIoException e) {
                LOG.atWarn().addKeyValue("pod", pod.key()).log("W104 nomination not cleared: {}", e.getMessage());
            }
        }

        /** Why not; empty when it is written. */
        private String writeNow(PodInfo pod, @Nullable String node) throws ApiIoException {
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
    }
}
