package io.policyscheduler.cmd.sources.profile;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The profile of a configuration that {@code config:FILE[#PROFILE]} means. */
public final class ConfiguredProfile {
    private ConfiguredProfile() {}

    /**
     * The profile of a scheduler name, or the first.
     *
     * @param wanted scheduler name; empty for the first profile
     * @throws InputException when there is none
     */
    public static ProfileConfiguration of(
            SchedulerConfiguration configuration, String wanted, Consumer<String> warnings) {
        List<ProfileConfiguration> profiles = configuration.profiles();
        if (wanted.isEmpty()) {
            ProfileConfiguration first = profiles.get(0);
            if (profiles.size() > 1) {
                warnings.accept(configuration.file() + ": only the first profile is used, " + first.schedulerName());
            }
            return first;
        }
        return profiles.stream()
                .filter(profile -> profile.schedulerName().equals(wanted))
                .findFirst()
                .orElseThrow(() -> missing(configuration, wanted));
    }

    private static InputException missing(SchedulerConfiguration configuration, String wanted) {
        List<String> names = configuration.profiles().stream()
                .map(ProfileConfiguration::schedulerName)
                .toList();
        @Nullable String nearest = Suggestions.nearest(wanted, names);
        return new InputException(configuration.file() + ": no profile \"" + wanted + "\""
                + (nearest == null ? "; it has " + String.join(", ", names) : " (did you mean \"" + nearest + "\"?)"));
    }
}
