package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.extender.client.ExtenderBinding;
import io.policyscheduler.cmd.extender.client.ExtenderClients.ExtenderClientSource;
import io.policyscheduler.cmd.extender.client.HttpExtender.HttpExtenders;
import io.policyscheduler.cmd.extender.client.RawObjects.KubeRawObjects;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.kube.write.EventRecorder;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.Algorithms.VolumeBinders;
import io.policyscheduler.cmd.live.VolumeWriter.VolumeReservation;
import io.policyscheduler.cmd.live.WorkerThreads.Delayed;
import io.policyscheduler.cmd.live.WorkerThreads.Ordered;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.framework.cycle.DecisionVerification.Sample;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.NodeSampling.SearchStart;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.plugin.ApiConnection;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.api.Binder;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.Preemptor;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.loop.KubeletRejections;
import io.policyscheduler.framework.scheduler.loop.KubeletRejections.RejectedNodesFilter;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the runtime of each profile, at the start and at each reload. */
final class ProfileRuntimes {
    private static final Logger LOG = LoggerFactory.getLogger(ProfileRuntimes.class);

    private final ClusterState state;
    private final TieBreak tieBreak;
    private final boolean disablePreemption;
    private final Sample verified;
    private final SchedulerListener listener;
    private final Duration volumeTimeout;
    private final Api api;
    private final WaitingPods waitingPods;
    private final Clock clock;
    private final Preemptors preemptors;
    private final SearchStart searchStart = new SearchStart();
    private final KubeletRejections kubeletRejections;

    /**
     * The executors and connections that all profiles share.
     *
     * @param binder binds through the API server
     * @param binds runs the binds of extenders
     * @param others runs other writes
     * @param plugins the API server for plugins
     * @param statuses runs writes of pods' statuses, by UID
     * @param evictions runs evictions, with a limit of concurrent calls
     * @param extenderCalls runs concurrent calls of several extenders
     * @param timer runs delayed tasks
     * @param mayWrite false once another process leads
     * @param recording of the responses of extenders
     */
    record Api(
            Binder binder,
            PodWriter pods,
            EventRecorder events,
            VolumeWriter volumes,
            ClaimWriter claims,
            ApiConnection plugins,
            KubeRawObjects rawObjects,
            ExtenderClientSource extenderClients,
            Executor binds,
            Executor others,
            Ordered statuses,
            Executor evictions,
            Executor extenderCalls,
            Delayed timer,
            BooleanSupplier mayWrite,
            InputRecording recording) {}

    ProfileRuntimes(
            ClusterState state,
            SchedulerSettings settings,
            Api api,
            EventInbox inbox,
            WaitingPods waitingPods,
            KubeletRejections kubeletRejections,
            Clock clock) {
        this.state = state;
        this.tieBreak = settings.tieBreak();
        this.disablePreemption = settings.disablePreemption();
        this.verified = new Sample(settings.verifiedDecisions(), new SplittableRandom(1));
        this.listener = settings.listener();
        this.volumeTimeout = settings.volumeTimeout();
        this.api = api;
        this.waitingPods = waitingPods;
        this.kubeletRejections = kubeletRejections;
        this.clock = clock;
        this.preemptors = new Preemptors(
                state,
                waitingPods,
                inbox,
                settings.listener(),
                new Preemptors.Api(
                        api.pods(), api.events(), api.evictions(), api.others(), api.statuses(), api.timer()));
    }

    /**
     * Creates the plugins and writers without changing the running ones.
     *
     * @throws ClusterException when the TLS files of an extender cannot be used
     */
    Profiles create(long generation, List<ProfileSettings> settings) {
        List<ProfileRuntime> runtimes = new ArrayList<>();
        try {
            for (ProfileSettings profile : settings) {
                runtimes.add(create(generation, profile));
            }
            return Profiles.of(generation, runtimes);
        } catch (RuntimeException e) {
            runtimes.forEach(runtime -> runtime.profile().close());
            throw e;
        }
    }

    private ProfileRuntime create(long generation, ProfileSettings settings) {
        Profile made = settings.source().factory().create(state, waitingPods, clock, api.claims(), api.plugins());
        Profile profile = made.withFilter(new RejectedNodesFilter(kubeletRejections, clock, made.stateKeys()));
        try {
            return create(generation, settings, profile);
        } catch (RuntimeException e) {
            profile.close();
            throw e;
        }
    }

    private ProfileRuntime create(long generation, ProfileSettings settings, Profile profile) {
        Extenders extenders = extenders(settings);
        SchedulingCycle cycle = SchedulingCycle.builder(profile, state)
                .percentageOfNodesToScore(settings.percentageOfNodesToScore())
                .tieBreak(tieBreak)
                .extenders(extenders)
                .outOfRange(listener::onScoreOutOfRange)
                .attempts(listener)
                .start(searchStart)
                .verify(verified)
                .batching(clock)
                .build();
        FeatureGates gates = settings.gates();
        Duration timeout = settings.volumeTimeout() == null ? volumeTimeout : settings.volumeTimeout();
        return ProfileRuntime.of(
                        settings.schedulerName(),
                        profile,
                        cycle,
                        preemptor(generation, settings, profile, cycle),
                        extenders.isEmpty()
                                ? api.binder()
                                : new ExtenderBinding(
                                        api.binder(),
                                        extenders,
                                        api.binds(),
                                        api.mayWrite(),
                                        skips(generation, settings, profile)),
                        new VolumeReservation(
                                VolumeBinders.binder(gates, settings.bindsVolumes()), state, api.volumes(), timeout),
                        !extenders.isEmpty())
                .withShare(settings.share());
    }

    private ExtenderBinding.SkippedBinds skips(long generation, ProfileSettings settings, Profile profile) {
        if (settings.strictV117() || !profile.rules().skipsIgnorableBinders()) {
            return ExtenderBinding.SkippedBinds.NEVER;
        }
        return (pod, extender, error) -> {
            listener.onExtenderBindSkipped(extender.name());
            LOG.atWarn()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("extender", extender.name())
                    .log("W118 skipping the extender for the bind: {}", error);
            api.events()
                    .record(
                            new ObjectReference(pod.namespace(), pod.name(), pod.uid(), pod.resourceVersion()),
                            new EventText(
                                    pod.spec().schedulerName(),
                                    "Warning",
                                    "ExtenderBindSkipped",
                                    "extender " + extender.name() + " failed to bind, and is ignorable: " + error,
                                    generation));
            return true;
        };
    }

    private Preemptor preemptor(long generation, ProfileSettings settings, Profile profile, SchedulingCycle cycle) {
        if (disablePreemption) {
            return Preemptor.NONE;
        }
        Preemption preemption = Preemption.live(settings.gates(), settings.strictV117());
        return preemptors.create(generation, profile, cycle, preemption);
    }

    private Extenders extenders(ProfileSettings settings) {
        String profile = (settings.isCanary() ? "canary " : "") + settings.schedulerName();
        AtomicInteger number = new AtomicInteger();
        try {
            return HttpExtenders.of(
                    settings.extenders(),
                    settings.strictV117(),
                    api.rawObjects(),
                    api.extenderClients(),
                    api.extenderCalls(),
                    listener::onExtenderNotScored,
                    extender -> api.recording().isOn()
                            ? new RecordedExtender(
                                    extender, profile + " extender " + number.getAndIncrement(), api.recording())
                            : extender);
        } catch (IOException e) {
            throw new ClusterException("couldn't create scheduler from policy: " + e.getMessage(), e);
        }
    }
}
