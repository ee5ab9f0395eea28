package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.run.SteadyClock;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.cmd.setup.VolumeBinders;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.FeatureGates;
import io.policyscheduler.engine.cluster.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.compare.DeciderSource;
import io.policyscheduler.framework.compare.PolicyDeciders;
import io.policyscheduler.framework.compare.ProfileDeciders;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.ProfileConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginRegistry;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ways of deciding as users name them: {@code legacy:FILE}, {@code framework:FILE}, {@code strict:FILE}, {@code provider:NAME},
 * {@code modern} and {@code modern:CONFIG}.
 */
final class Deciders {
    private static final List<String> KINDS = List.of("legacy", "framework", "strict", "provider", "modern");
    private static final String MODERN = "modern";

    /**
     * A way of deciding.
     *
     * @param policy what it goes by; null for one of current releases
     */
    record Named(DeciderSource source, @Nullable EffectivePolicy policy) {}

    private final PolicyOptions policyOptions;
    private final FeatureGates gates;
    private final AlgorithmRegistry algorithms = Algorithms.registry();
    private final PolicyDeciders policies = new PolicyDeciders(algorithms, Algorithms.environment());
    private final PluginRegistry plugins;
    private final Consumer<String> warnings;

    /**
     * @param gates of the cluster that will be looked at
     * @param warnings is told what is probably not meant, a line each
     * @throws InputException when a plugin jar cannot be used
     */
    Deciders(PolicyOptions policyOptions, FeatureGates gates, PluginOptions pluginOptions, Consumer<String> warnings) {
        this.policyOptions = policyOptions;
        this.gates = gates;
        this.plugins = pluginOptions.registry(
                ModernPlugins.over(new InTreePlugins(algorithms, gates, Algorithms.environment()).factories()));
        this.warnings = warnings;
    }

    private Deciders(Deciders other, FeatureGates gates, Consumer<String> warnings) {
        this.policyOptions = other.policyOptions;
        this.gates = gates;
        this.plugins = other.plugins;
        this.warnings = warnings;
    }

    /** The same for another cluster, with somebody else told. */
    Deciders in(FeatureGates other, Consumer<String> listener) {
        return new Deciders(this, other, listener);
    }

    /**
     * The way of deciding that a text names.
     *
     * @throws InputException when the text means nothing, or what it names cannot be read or is refused
     */
    DeciderSource parse(String text) {
        return find(text).source();
    }

    /** The same, with the policy. */
    Named find(String text) {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? text : text.substring(0, colon);
        String value = colon < 0 ? "" : text.substring(colon + 1);
        if (kind.equals(MODERN)) {
            return new Named(value.isEmpty() ? modern(text) : configured(text, Path.of(value)), null);
        }
        if (!KINDS.contains(kind) || value.isEmpty()) {
            String nearest = KINDS.contains(kind) ? null : Suggestions.nearest(kind, KINDS);
            throw new InputException("\"" + text + "\" is not legacy:FILE, framework:FILE, strict:FILE, provider:NAME,"
                    + " modern or modern:CONFIG"
                    + (nearest == null ? "" : " (did you mean \"" + text.replaceFirst(kind, nearest) + "\"?)"));
        }
        EffectivePolicy policy = policy(kind, value);
        DeciderSource source = kind.equals("legacy")
                ? policies.functions(text, policy, volumes(policy))
                : policies.plugins(text, policy, volumes(policy), Extenders.NONE);
        return new Named(source, policy);
    }

    /** A policy as plugins on all nodes, under its own name. */
    DeciderSource ofPolicy(EffectivePolicy policy) {
        return policies.plugins(policy.source(), policy, volumes(policy), Extenders.NONE);
    }

    /** The same with extenders, on part of the nodes: {@code percentage} of them, 0 to adapt to the size of the cluster. */
    DeciderSource ofPolicy(EffectivePolicy policy, int percentage, Extenders extenders) {
        return policies.plugins(policy.source(), policy, percentage, volumes(policy), extenders);
    }

    /** A policy as functions on all nodes, under its own name. */
    DeciderSource ofFunctions(EffectivePolicy policy) {
        return policies.functions(policy.source(), policy, volumes(policy));
    }

    private EffectivePolicy policy(String kind, String value) {
        PolicyResolver resolver = kind.equals("strict")
                ? policyOptions.strictResolver(algorithms)
                : policyOptions.resolver(algorithms, gates);
        EffectivePolicy policy;
        try {
            policy = kind.equals("provider")
                    ? resolver.resolveProvider(value)
                    : resolver.resolve(resolver.reader().read(InputFiles.text(Path.of(value)), value));
        } catch (PolicyException e) {
            throw InputException.refused(e);
        }
        policy.warnings().forEach(warning -> warnings.accept(warning.line(policy.source())));
        if (!policy.extenders().isEmpty()) {
            warnings.accept(policy.source() + ": the extenders are not called");
        }
        return policy;
    }

    private DeciderSource modern(String name) {
        return ProfileDeciders.of(
                name, ModernProfile::defaults, volumes(gates.at(Release.NEWEST), true), Extenders.NONE);
    }

    private DeciderSource configured(String name, Path file) {
        return ofConfiguration(name, InputFiles.text(file), file.toString());
    }

    /**
     * The first profile of a configuration.
     *
     * @param file name of the configuration, for messages
     * @throws InputException when it is refused
     */
    DeciderSource ofConfiguration(String name, String text, String file) {
        try {
            SchedulerConfiguration configuration = new ConfigurationReader().read(text, file);
            new ConfigurationValidator().check(configuration);
            if (configuration.version() == ConfigVersion.V1ALPHA1) {
                throw new InputException(file + ": " + configuration.version().apiVersion()
                        + " names a policy or a provider: use legacy:FILE, framework:FILE or provider:NAME");
            }
            configuration.warnings().forEach(warning -> warnings.accept(warning.line(file)));
            if (!configuration.extenders().isEmpty()) {
                warnings.accept(file + ": the extenders are not called");
            }
            ProfileConfiguration profile = configuration.profiles().get(0);
            if (configuration.profiles().size() > 1) {
                warnings.accept(file + ": only the first profile is looked at, " + profile.schedulerName());
            }
            Profile sample = build(configuration, profile, new ClusterState());
            boolean binds =
                    sample.filters().stream().anyMatch(plugin -> plugin.name().equals("VolumeBinding"));
            sample.close();
            return ProfileDeciders.of(
                    name,
                    cluster -> unchecked(configuration, profile, cluster),
                    volumes(gates.at(Release.NEWEST), binds),
                    Extenders.NONE);
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        } catch (PluginException e) {
            throw new InputException(file + ": " + e.getMessage(), e);
        }
    }

    private Profile build(SchedulerConfiguration configuration, ProfileConfiguration profile, ClusterState cluster)
            throws ConfigurationException {
        return new ProfileBuilder(plugins, cluster, WaitingPods.NONE, SteadyClock.system())
                .build(configuration, profile);
    }

    /** For what has been built once. */
    private Profile unchecked(
            SchedulerConfiguration configuration, ProfileConfiguration profile, ClusterState cluster) {
        try {
            return build(configuration, profile, cluster);
        } catch (ConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static DeciderSource.Volumes volumes(EffectivePolicy policy) {
        return volumes(policy.gates(), policy.predicates().containsKey("CheckVolumeBinding"));
    }

    private static DeciderSource.Volumes volumes(FeatureGates gates, boolean binds) {
        return VolumeBinders.binder(gates, binds)::assume;
    }
}
