package io.policyscheduler.cmd.live.preemption;

import io.policyscheduler.cmd.kube.write.EventWriter;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.threads.DelayedExecutor;
import io.policyscheduler.cmd.threads.OrderedExecutor;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.Preemptor;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.util.concurrent.Executor;

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
            EventWriter events,
            Executor evictions,
            Executor others,
            OrderedExecutor statuses,
            DelayedExecutor timer) {}

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
                        new SeveralEvictions(evictor::evict, api.evictions()),
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
}
