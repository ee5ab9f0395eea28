package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.extender.ExtenderBinding;
import io.policyscheduler.cmd.kube.EventWriter;
import io.policyscheduler.cmd.kube.KubeConnection;
import io.policyscheduler.cmd.kube.PodWriter;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.FeatureGates;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import io.policyscheduler.framework.scheduler.ClusterWriter;
import io.policyscheduler.framework.scheduler.PodOwnership;
import io.policyscheduler.framework.scheduler.Preemptor;
import io.policyscheduler.framework.scheduler.Scheduler;
import io.policyscheduler.framework.scheduler.cycle.SchedulingCycle;
import io.policyscheduler.predicates.VolumeBinder;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Puts a scheduler together that decides by a policy and writes to a cluster. Starts no thread of its own: whoever calls it
 * brings the executors, feeds the scheduler's inbox and drives it.
 */
public final class SchedulerAssembly {
    private final SchedulerSettings settings;
    private final KubeConnection connection;
    private final String evictionVersion;
    private final EventWriter events;
    private final Extenders extenders;

    /**
     * @param evictionVersion group version of evictions that the server understands
     * @param extenders those of the policy
     */
    public SchedulerAssembly(
            SchedulerSettings settings,
            KubeConnection connection,
            String evictionVersion,
            EventWriter events,
            Extenders extenders) {
        this.settings = settings;
        this.connection = connection;
        this.evictionVersion = evictionVersion;
        this.events = events;
        this.extenders = extenders;
    }

    /**
     * What calls to the API server run on.
     *
     * @param binds runs binds, several at once
     * @param others runs every other write and read, so that they never hold up a bind
     * @param timer starts later what must wait
     * @param volumeTimeout how long the volumes of a pod may take to be bound
     */
    public record Calls(Executor binds, Executor others, DelayedExecutor timer, Duration volumeTimeout) {}

    /** The scheduler, with an empty state. */
    public Scheduler assemble(Calls calls, Clock clock) {
        FeatureGates gates = settings.policy().gates();
        PodWriter pods = new PodWriter(connection, evictionVersion);
        ClusterState state = new ClusterState();
        AlgorithmRegistry registry = Algorithms.registry();
        Profile profile = new ProviderAdapter(registry, Algorithms.environment()).adapt(settings.policy());
        SchedulingCycle cycle = new SchedulingCycle(
                profile, state, settings.percentageOfNodesToScore(), settings.tieBreak(), extenders);
        ClusterWriter api = new KubeClusterWriter(pods, events, calls.binds(), calls.others(), gates);
        VolumeBinder volumes =
                new VolumeBinder(gates, settings.policy().predicates().containsKey("CheckVolumeBinding"));
        PreemptionWriter preemption = new PreemptionWriter(
                cycle,
                state,
                new Preemption(
                        gates.enabled(FeatureGates.NON_PREEMPTING_PRIORITY),
                        gates.enabled(FeatureGates.POD_DISRUPTION_BUDGET)),
                pods,
                events,
                calls.others());
        VolumeWriter volumeWrites =
                new VolumeWriter(connection, calls.others(), calls.timer(), clock, calls.volumeTimeout());
        Scheduler scheduler = Scheduler.builder(
                        PodOwnership.ofSchedulerName(settings.schedulerName()),
                        state,
                        cycle,
                        extenders.isEmpty() ? api : new ExtenderBinding(api, extenders, calls.binds()),
                        clock)
                .listener(settings.listener())
                .volumes(new VolumeBinding(volumes, state, volumeWrites))
                .preemptor(settings.disablePreemption() ? Preemptor.NONE : preemption)
                .build();
        preemption.connect(scheduler.inbox());
        return scheduler;
    }
}
