package io.policyscheduler.cmd.live;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a running scheduler.
 *
 * @param profiles at least one, each with its own scheduler name; the first one names the process
 * @param tieBreak chooses among equally good nodes
 * @param disablePreemption never evict
 * @param volumeTimeout how long to wait for the volumes of a pod to be bound
 * @param options times and start conditions
 * @param listener receives the events of the scheduler
 * @param election leader election; null to schedule without it
 * @param ignoreUnreadablePods whether nodes with unreadable pods accept other pods
 * @param verifiedDecisions which share of the decisions is verified, 0 to 1
 */
public record SchedulerSettings(
        List<ProfileSettings> profiles,
        TieBreak tieBreak,
        boolean disablePreemption,
        Duration volumeTimeout,
        SchedulerOptions options,
        SchedulerListener listener,
        @Nullable LeaderElectionConfig election,
        boolean ignoreUnreadablePods,
        double verifiedDecisions) {
    /** As in v1.17. */
    public static final Duration DEFAULT_VOLUME_TIMEOUT = Duration.ofMinutes(10);

    public SchedulerSettings {
        profiles = ImmutableList.copyOf(profiles);
        if (profiles.isEmpty()) {
            throw new IllegalArgumentException("a scheduler needs a profile");
        }
    }

    /** Settings by which a pod that cannot be read closes its node, and no decision is verified. */
    public SchedulerSettings(
            List<ProfileSettings> profiles,
            TieBreak tieBreak,
            boolean disablePreemption,
            Duration volumeTimeout,
            SchedulerOptions options,
            SchedulerListener listener,
            @Nullable LeaderElectionConfig election) {
        this(profiles, tieBreak, disablePreemption, volumeTimeout, options, listener, election, false, 0);
    }

    /** Settings of one policy for one scheduler name, with the defaults of v1.17. */
    public SchedulerSettings(
            String schedulerName,
            EffectivePolicy policy,
            TieBreak tieBreak,
            int percentageOfNodesToScore,
            boolean disablePreemption,
            SchedulerListener listener) {
        this(
                List.of(ProfileSettings.ofPolicy(schedulerName, policy, percentageOfNodesToScore)),
                tieBreak,
                disablePreemption,
                DEFAULT_VOLUME_TIMEOUT,
                SchedulerOptions.defaults(),
                listener,
                null);
    }

    /** A copy with leader election. */
    public SchedulerSettings withElection(@Nullable LeaderElectionConfig value) {
        return copy(profiles, options, listener, value);
    }

    /** A copy with other profiles. */
    public SchedulerSettings withProfiles(List<ProfileSettings> value) {
        return copy(value, options, listener, election);
    }

    /** A copy with another listener. */
    public SchedulerSettings withListener(SchedulerListener value) {
        return copy(profiles, options, value, election);
    }

    /** A copy with other times and start conditions. */
    public SchedulerSettings withOptions(SchedulerOptions value) {
        return copy(profiles, value, listener, election);
    }

    private SchedulerSettings copy(
            List<ProfileSettings> newProfiles,
            SchedulerOptions newOptions,
            SchedulerListener newListener,
            @Nullable LeaderElectionConfig newElection) {
        return new SchedulerSettings(
                newProfiles,
                tieBreak,
                disablePreemption,
                volumeTimeout,
                newOptions,
                newListener,
                newElection,
                ignoreUnreadablePods,
                verifiedDecisions);
    }

    /**
     * The feature gates that objects are read with: those of the newest release, because the cluster may be upgraded while the
     * scheduler runs. Annotations of pods are kept if a rule of a profile reads them.
     */
    public FeatureGates readingGates() {
        FeatureGates gates = profiles.get(0).gates();
        FeatureGates any = gates.honoursNewerFields() ? gates.at(Release.NEWEST) : gates;
        return any.keepingPodAnnotations(
                profiles.stream().anyMatch(profile -> profile.source().readsPodAnnotations()));
    }

    /** The scheduler name of the first profile, after which the process is named in events and leases. */
    public String name() {
        return profiles.get(0).schedulerName();
    }
}
