package io.policyscheduler.framework.scheduler;

import io.policyscheduler.framework.plugin.StateKeys;
import io.policyscheduler.framework.profile.DefaultPreemption;
import io.policyscheduler.framework.profile.FrameworkVersion;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.SchedulingGates;
import java.util.List;

/** Profiles for tests: one for the pods of {@code default-scheduler}, decided by a function. */
final class TestProfiles {
    static final String NAME = "default-scheduler";

    private TestProfiles() {}

    static Profiles of(PodDecider decider, Binder binder) {
        return of(decider, binder, Preemptor.NONE, VolumeAssumer.NONE);
    }

    static Profiles of(PodDecider decider, Binder binder, Preemptor preemptor, VolumeAssumer volumes) {
        Profile profile = Profile.builder("test", FrameworkVersion.V1_17, new StateKeys())
                .preEnqueue(new SchedulingGates())
                .postFilter(new DefaultPreemption())
                .build();
        return of(1, profile, decider, binder, preemptor, volumes);
    }

    static Profiles of(
            long generation,
            Profile profile,
            PodDecider decider,
            Binder binder,
            Preemptor preemptor,
            VolumeAssumer volumes) {
        return Profiles.of(generation, List.of(ProfileRuntime.of(NAME, profile, decider, preemptor, binder, volumes)));
    }
}
