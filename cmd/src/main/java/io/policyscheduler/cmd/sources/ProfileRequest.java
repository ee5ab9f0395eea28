package io.policyscheduler.cmd.sources;

import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;

/**
 * What a user has said of the profiles of a running scheduler.
 *
 * @param config the configuration file; null for none
 * @param configurations reads configurations and validates them
 * @param schedulerName the name that the profile has which is not given one
 * @param givenName the name that a flag or the environment gives; empty if neither does
 * @param source where the policy comes from
 * @param profiles more profiles, as in {@code --profile}
 * @param percentage of nodes to score, where a profile does not say
 */
public record ProfileRequest(
        @Nullable Path config,
        Configurations configurations,
        String schedulerName,
        String givenName,
        PolicySourceOptions source,
        List<String> profiles,
        int percentage,
        PluginOptions plugins,
        PolicyOptions policyOptions,
        ReleaseOptions releaseOptions) {

    /** Reads configurations and validates them. */
    @FunctionalInterface
    public interface Configurations {
        /**
         * Reads one.
         *
         * @throws ConfigurationException if the text is refused
         */
        SchedulerConfiguration read(String text, String file) throws ConfigurationException;
    }

    public ProfileRequest {
        profiles = List.copyOf(profiles);
    }

    ParameterException usage(String message) {
        return policyOptions.usage(message);
    }
}
