package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.plugin.ApiConnection;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.PluginRegistry;
import io.policyscheduler.framework.profile.PolicyTranslator;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The way from a configuration, or from a policy that a release after 1.17 ran, to the plugins of a profile. {@link ProfilePlan} makes
 * the profiles of a running scheduler of them, {@link SchedulerFactory} the schedulers for a snapshot.
 */
final class ProfileResolver {
    private final AlgorithmRegistry algorithms = Algorithms.registry();
    /** External plugins. */
    private final Map<String, PluginFactory> jars;
    /** Plugins under their current names; those that current releases have removed consist of algorithms of 1.17. */
    private final PluginRegistry plugins;
    /** Plugins under the names of 1.17, which consist of its algorithms. */
    private final PluginRegistry pluginsOf117;

    /** @throws InputException if a plugin JAR is invalid */
    ProfileResolver(FeatureGates gates, PluginOptions options) {
        this(gates, options::load);
    }

    /** @param added loads external plugins, given the built-in ones */
    private ProfileResolver(FeatureGates gates, UnaryOperator<Map<String, PluginFactory>> added) {
        Map<String, PluginFactory> first = new InTreePlugins(algorithms, gates, Algorithms.environment()).factories();
        Map<String, PluginFactory> current = ModernPlugins.over(first);
        jars = added.apply(current);
        plugins = PluginRegistry.empty().with(current).with(jars);
        pluginsOf117 = PluginRegistry.empty().with(first).with(jars);
    }

    /** The same external plugins in a cluster with other gates. */
    ProfileResolver in(FeatureGates gates) {
        return new ProfileResolver(gates, builtIn -> jars);
    }

    AlgorithmRegistry algorithms() {
        return algorithms;
    }

    boolean hasExternalPlugins() {
        return !jars.isEmpty();
    }

    /**
     * One profile of a configuration, by name.
     *
     * @param name of the scheduler in reports
     * @param text of the configuration
     * @param file its name in messages
     * @param profile scheduler name; empty for the first profile
     */
    record Configured(String name, String text, String file, String profile) {
        /**
         * The profile of the scheduler name, or the first.
         *
         * @throws InputException if there is none
         */
        ProfileConfiguration in(SchedulerConfiguration configuration, Consumer<String> warnings) {
            List<ProfileConfiguration> profiles = configuration.profiles();
            if (profile.isEmpty()) {
                ProfileConfiguration first = profiles.get(0);
                if (profiles.size() > 1) {
                    warnings.accept(
                            configuration.file() + ": only the first profile is used, " + first.schedulerName());
                }
                return first;
            }
            return profiles.stream()
                    .filter(found -> found.schedulerName().equals(profile))
                    .findFirst()
                    .orElseThrow(() -> missing(configuration));
        }

        private InputException missing(SchedulerConfiguration configuration) {
            List<String> names = configuration.profiles().stream()
                    .map(ProfileConfiguration::schedulerName)
                    .toList();
            @Nullable String nearest = Suggestions.nearest(profile, names);
            return new InputException(configuration.file() + ": no profile \"" + profile + "\""
                    + (nearest == null
                            ? "; it has " + String.join(", ", names)
                            : " (did you mean \"" + nearest + "\"?)"));
        }
    }

    /**
     * A profile whose plugins can be created.
     *
     * @param factory creates its plugins
     * @param sample its plugins for an empty cluster, closed
     */
    record Resolved(
            SchedulerConfiguration configuration,
            ProfileConfiguration profile,
            ProfileSettings.Source.Factory factory,
            Profile sample) {
        /** Creates the plugins for a cluster that is decided about but not scheduled. */
        Profile create(ClusterState cluster) {
            return factory.create(cluster, WaitingPods.NONE, SteadyClock.system());
        }

        boolean hasFilter(String name) {
            return sample.filters().stream().anyMatch(plugin -> plugin.name().equals(name));
        }
    }

    /** Creates the plugins of a profile; an invalid configuration is an error. */
    @FunctionalInterface
    private interface CheckedFactory {
        Profile create(
                ClusterState cluster, WaitingPods waitingPods, Clock clock, ClaimWriter claims, ApiConnection api)
                throws ConfigurationException;
    }

    /**
     * The plugins of a profile of a configuration after {@code v1alpha1}.
     *
     * @throws ConfigurationException if the configuration is invalid
     * @throws PluginException if the arguments of a plugin are invalid
     */
    Resolved plugins(SchedulerConfiguration configuration, ProfileConfiguration profile) throws ConfigurationException {
        return plugins(configuration, profile, UnaryOperator.identity());
    }

    /** @param finish sets what a configuration cannot express */
    private Resolved plugins(
            SchedulerConfiguration configuration, ProfileConfiguration profile, UnaryOperator<Profile> finish)
            throws ConfigurationException {
        return checked(
                configuration,
                profile,
                (cluster, waitingPods, clock, claims, api) ->
                        finish.apply(new ProfileBuilder(plugins, cluster, waitingPods, clock, claims, api)
                                .build(configuration, profile)));
    }

    /**
     * A policy with the plugins of a {@code v1alpha1} configuration behind it.
     *
     * @throws ConfigurationException if the configuration is invalid
     * @throws PluginException if the arguments of a plugin are invalid
     */
    Resolved withPlugins(EffectivePolicy policy, SchedulerConfiguration configuration) throws ConfigurationException {
        return checked(
                configuration,
                configuration.profiles().get(0),
                (cluster, waitingPods, clock, claims, api) -> AlgorithmSources.profile(
                        policy, configuration, pluginsOf117, algorithms, cluster, waitingPods, clock, claims, api));
    }

    private static Resolved checked(
            SchedulerConfiguration configuration, ProfileConfiguration profile, CheckedFactory factory)
            throws ConfigurationException {
        ClusterState empty = new ClusterState();
        Profile sample = factory.create(
                empty,
                WaitingPods.NONE,
                SteadyClock.system(),
                ClaimWriter.inMemory(empty.assumedClaims()),
                ApiConnection.NONE);
        sample.close();
        return new Resolved(
                configuration,
                profile,
                (cluster, waitingPods, clock, claims, api) -> {
                    try {
                        return factory.create(cluster, waitingPods, clock, claims, api);
                    } catch (ConfigurationException e) {
                        throw new IllegalStateException(e);
                    }
                },
                sample);
    }

    /**
     * A policy as kube-scheduler of 1.18 to 1.22 ran it.
     *
     * @param policy as read in strict mode
     * @throws InputException if the release rejects the policy
     */
    Resolved translated(Policy policy, Release release, String schedulerName) {
        try {
            SchedulerConfiguration configuration = PolicyTranslator.translate(policy, release, schedulerName);
            return plugins(
                    configuration,
                    configuration.profiles().get(0),
                    policy.alwaysCheckAllPredicates() ? Profile::checkingAllFilters : UnaryOperator.identity());
        } catch (PolicyException e) {
            throw InputException.of(e);
        } catch (ConfigurationException | PluginException e) {
            throw InputException.of(PolicyTranslator.rejected(policy, String.valueOf(e.getMessage())));
        }
    }

    /** The provider ClusterAutoscalerProvider of 1.18 to 1.22. */
    Resolved clusterAutoscaler(Release release) {
        return accepted(Providers.CLUSTER_AUTOSCALER, () -> {
            SchedulerConfiguration configuration = PolicyTranslator.clusterAutoscaler(release);
            return plugins(configuration, configuration.profiles().get(0));
        });
    }

    /** The policy or the provider of a {@code v1alpha1} configuration, with the warnings of both. */
    EffectivePolicy policy(
            SchedulerConfiguration configuration,
            PolicyOptions options,
            FeatureGates gates,
            PolicyTexts texts,
            Consumer<String> warnings) {
        PolicyLoader loader = new PolicyLoader(options.resolver(algorithms, gates, configuration), texts);
        EffectivePolicy policy = AlgorithmSources.effective(configuration, loader, texts);
        warn(configuration, warnings);
        warn(policy, warnings);
        return policy;
    }

    static void warn(EffectivePolicy policy, Consumer<String> warnings) {
        policy.warnings().forEach(warning -> warnings.accept(warning.line(policy.source())));
    }

    static void warn(SchedulerConfiguration configuration, Consumer<String> warnings) {
        configuration.warnings().forEach(warning -> warnings.accept(warning.line(configuration.file())));
    }

    /** Reads or creates something of a configuration. */
    @FunctionalInterface
    interface Resolution<T> {
        T get() throws ConfigurationException;
    }

    /**
     * Reports problems of a configuration as input errors.
     *
     * @throws InputException with a line for each problem
     */
    static <T> T accepted(String file, Resolution<T> resolution) {
        try {
            return resolution.get();
        } catch (ConfigurationException e) {
            throw InputException.of(e);
        } catch (PluginException e) {
            throw new InputException(file + ": " + e.getMessage(), e);
        }
    }
}
