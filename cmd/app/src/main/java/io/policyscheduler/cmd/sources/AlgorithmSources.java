package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.AlgorithmSource;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.plugin.ApiConnection;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.PluginRegistry;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.nio.file.Path;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler of a {@code v1alpha1} configuration: the policy or the provider that {@code algorithmSource} names, and the plugins
 * of the configuration behind it. Mirrors {@code New} of {@code pkg/scheduler/scheduler.go} of 1.17.
 */
public final class AlgorithmSources {
    private static final String EMPTY_POLICY = "{\"kind\":\"Policy\",\"apiVersion\":\"v1\"}";

    private AlgorithmSources() {}

    /**
     * Returns the {@code v1alpha1} configuration in a text, or null if the text has another version or is no configuration.
     *
     * @param file name of the text, for messages
     * @throws InputException if the configuration is rejected
     */
    public static @Nullable SchedulerConfiguration read(String text, String file) {
        SchedulerConfiguration configuration = parse(text, file);
        if (configuration.version() != ConfigVersion.V1ALPHA1) {
            return null;
        }
        try {
            new ConfigurationValidator().check(configuration);
            return configuration;
        } catch (ConfigurationException e) {
            throw InputException.of(e);
        }
    }

    /**
     * Returns the configuration in a text, which is not validated.
     *
     * @param file name of the text, for messages
     * @throws InputException if it is no configuration
     */
    public static SchedulerConfiguration parse(String text, String file) {
        try {
            return new ConfigurationReader().read(text, file);
        } catch (ConfigurationException e) {
            throw InputException.of(e);
        }
    }

    /**
     * Reads the policy that a configuration names, without resolving it.
     *
     * @return null if the configuration names a provider
     * @throws InputException if the policy cannot be read
     * @throws PolicyException if the policy is rejected
     */
    public static @Nullable Policy policy(SchedulerConfiguration configuration, PolicyTexts texts, PolicyReader reader)
            throws PolicyException {
        AlgorithmSource source = configuration.algorithmSource();
        if (source instanceof AlgorithmSource.PolicyFile named) {
            Path file = requireFile(named, configuration, texts);
            return reader.read(texts.file(file), file.toString());
        }
        if (source instanceof AlgorithmSource.PolicyConfigMap named) {
            ConfigMapName map = new ConfigMapName(named.namespace(), named.name());
            return reader.read(configMap(map, configuration, texts), "configmap " + map);
        }
        return source instanceof AlgorithmSource.EmptyPolicy ? reader.read(EMPTY_POLICY, configuration.file()) : null;
    }

    /**
     * Reads and resolves the policy or the provider of a configuration.
     *
     * @throws InputException if it cannot be read or is rejected
     */
    static EffectivePolicy effective(SchedulerConfiguration configuration, PolicyLoader loader, PolicyTexts texts) {
        AlgorithmSource source = configuration.algorithmSource();
        if (source instanceof AlgorithmSource.PolicyFile named) {
            return loader.file(requireFile(named, configuration, texts));
        }
        if (source instanceof AlgorithmSource.PolicyConfigMap named) {
            ConfigMapName map = new ConfigMapName(named.namespace(), named.name());
            return loader.text(configMap(map, configuration, texts), "configmap " + map);
        }
        return source instanceof AlgorithmSource.EmptyPolicy
                ? empty(configuration, loader)
                : provider(configuration, loader.resolver());
    }

    /**
     * Resolves the provider of a configuration that names no policy.
     *
     * @throws InputException if there is no such provider
     */
    public static EffectivePolicy provider(SchedulerConfiguration configuration, PolicyResolver resolver) {
        try {
            return resolver.resolveProvider(provider(configuration), configuration.file() + ": algorithmSource");
        } catch (PolicyException e) {
            throw InputException.of(e);
        }
    }

    /** Resolves {@code policy: {}}, a policy without any entry. */
    static EffectivePolicy empty(SchedulerConfiguration configuration, PolicyLoader loader) {
        return loader.text(EMPTY_POLICY, configuration.file());
    }

    /** Returns the name of the provider of a configuration that names no policy. */
    public static String provider(SchedulerConfiguration configuration) {
        return configuration.algorithmSource() instanceof AlgorithmSource.Provider named
                        && !named.name().isEmpty()
                ? named.name()
                : Providers.DEFAULT;
    }

    private static Path requireFile(
            AlgorithmSource.PolicyFile named, SchedulerConfiguration configuration, PolicyTexts texts) {
        Path file = Path.of(named.path());
        if (!texts.exists(file)) {
            throw new InputException(
                    configuration.file() + ": missing policy config file " + file + ", which algorithmSource names");
        }
        return file;
    }

    private static String configMap(ConfigMapName map, SchedulerConfiguration configuration, PolicyTexts texts) {
        if (texts == PolicyTexts.FILES) {
            throw new InputException(configuration.file() + ": the policy is in the ConfigMap " + map
                    + ": pass a file with it, from kubectl get configmap -n " + map.namespace() + " " + map.name()
                    + " -o yaml");
        }
        return texts.configMap(map);
    }

    /** Whether a configuration adds plugins to its policy. */
    static boolean addsPlugins(SchedulerConfiguration configuration) {
        return !configuration.document().path("plugins").isEmpty();
    }

    /**
     * Creates the profile of a policy with the plugins of a configuration behind it.
     *
     * @param plugins under the names of 1.17
     * @throws ConfigurationException if the configuration names plugins that do not exist or do not implement the extension point
     */
    static Profile profile(
            EffectivePolicy policy,
            SchedulerConfiguration configuration,
            PluginRegistry plugins,
            AlgorithmRegistry algorithms,
            ClusterState cluster,
            WaitingPods waitingPods,
            Clock clock,
            ClaimWriter claims,
            ApiConnection api)
            throws ConfigurationException {
        StateKeys keys = new StateKeys();
        Plugin devices = ModernPlugins.devices(
                cluster, keys, clock, claims, policy.gates().release());
        ProviderAdapter adapter = new ProviderAdapter(algorithms, Algorithms.environment());
        return new ProfileBuilder(plugins, cluster, waitingPods, clock, claims, api)
                .extend(adapter.start(policy, cluster, keys, devices), keys, configuration);
    }
}
