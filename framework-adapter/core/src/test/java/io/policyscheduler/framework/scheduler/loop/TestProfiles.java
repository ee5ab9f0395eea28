package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.framework.cycle.ScheduleAlgorithm;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultPreemption;
import io.policyscheduler.framework.profile.InTreePlugins.SchedulingGates;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.scheduler.api.Binder;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.Preemptor;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.api.Profiles;
import java.util.List;

/** Profiles for tests: one for the pods of {@code default-scheduler}, with a function as the scheduler. */
public final class TestProfiles {
    static final String NAME = "default-scheduler";

    private TestProfiles() {}

    public static Profiles of(ScheduleAlgorithm algorithm, Binder binder) {
        return of(algorithm, binder, Preemptor.NONE, VolumeAssumer.NONE);
    }

    public static Profiles of(ScheduleAlgorithm algorithm, Binder binder, Preemptor preemptor, VolumeAssumer volumes) {
        Profile profile = Profile.builder("test", Family.LEGACY, new StateKeys())
                .preEnqueue(new SchedulingGates())
                .postFilter(new DefaultPreemption())
                .build();
        return of(1, profile, algorithm, binder, preemptor, volumes);
    }

    public static Profiles of(
            long generation,
            Profile profile,
            ScheduleAlgorithm algorithm,
            Binder binder,
            Preemptor preemptor,
            VolumeAssumer volumes) {
        return Profiles.of(
                generation, List.of(ProfileRuntime.of(NAME, profile, algorithm, preemptor, binder, volumes)));
    }
}
