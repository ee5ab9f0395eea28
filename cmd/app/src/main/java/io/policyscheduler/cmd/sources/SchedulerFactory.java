package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.cmd.sources.ProfileSources.ConfiguredProfile;
import io.policyscheduler.cmd.sources.ProfileSources.DecidingRelease;
import io.policyscheduler.cmd.sources.ProfileSources.PlacedVolumes;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.insight.compare.PolicySchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.explain.Explainer.RequiredLabels;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.ApiConnection;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.PluginRegistry;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Creates the scheduler of a {@link SourceText} for one cluster, offline. */
public final class SchedulerFactory {
    /**
     * A scheduler.
     *
     * @param policy its policy; null for one of current releases
     */
    public record Named(SchedulerSpec source, @Nullable EffectivePolicy policy) {
        /** The node label requirements of the policy. */
        public RequiredLabels labels() {
            return policy == null
                    ? RequiredLabels.NONE
                    : new RequiredLabels(
                            policy.arguments().presentLabels(),
                            policy.arguments().absentLabels());
        }
    }

    private final PolicyOptions policyOptions;
    private final AlgorithmRegistry algorithms = Algorithms.registry();
    private final PolicySchedulers policies = new PolicySchedulers(algorithms, Algorithms.environment());
    private final PolicyTexts texts;
    private final SchedulerFactoryOptions terms;
    private final ProfileSources profiles;
    /** For v1alpha1 configurations: under the names of 1.17, with its algorithms. */
    private final PluginRegistry pluginsOf117;

    /**
     * @param gates of the cluster
     * @param texts source of policies
     * @param warnings receives one line each
     * @throws InputException if a plugin JAR is invalid
     */
    private SchedulerFactory(
            PolicyOptions policyOptions,
            FeatureGates gates,
            PluginOptions pluginOptions,
            PolicyTexts texts,
            Consumer<String> warnings) {
        this.policyOptions = policyOptions;
        this.texts = texts;
        Map<String, PluginFactory> first = new InTreePlugins(algorithms, gates, Algorithms.environment()).factories();
        Map<String, PluginFactory> builtIn = ModernPlugins.over(first);
        PluginRegistry plugins = pluginOptions.registry(builtIn);
        this.pluginsOf117 = PluginRegistry.empty().with(first).with(AlgorithmSources.added(plugins, builtIn));
        this.terms = new SchedulerFactoryOptions(
                gates, plugins, plugins.names().equals(builtIn.keySet()), warnings, null, null, null);
        this.profiles = new ProfileSources(terms);
    }

    /** A factory with files only. */
    public SchedulerFactory(
            PolicyOptions policyOptions, FeatureGates gates, PluginOptions pluginOptions, Consumer<String> warnings) {
        this(policyOptions, gates, pluginOptions, PolicyTexts.FILES, warnings);
    }

    /**
     * A factory for self-contained texts: files and clusters that they name are not read.
     *
     * @param texts by their name instead of a file name
     */
    public static SchedulerFactory ofTexts(Map<String, String> texts, FeatureGates gates, Consumer<String> warnings) {
        PolicyTexts given = new PolicyTexts() {
            @Override
            public String file(Path file) {
                String text = texts.get(file.toString());
                if (text == null) {
                    throw new InputException("no text named " + file);
                }
                return text;
            }

            @Override
            public boolean exists(Path file) {
                return texts.containsKey(file.toString());
            }

            @Override
            public String configMap(ConfigMapName name) {
                return PolicyTexts.FILES.configMap(name);
            }
        };
        return new SchedulerFactory(PolicyOptions.ofTexts(), gates, new PluginOptions(), given, warnings);
    }

    /** A factory with files and the ConfigMaps of a cluster, to which it connects on demand. */
    public SchedulerFactory(
            PolicyOptions policyOptions,
            FeatureGates gates,
            PluginOptions pluginOptions,
            Supplier<KubeConnection> cluster,
            Consumer<String> warnings) {
        this(policyOptions, gates, pluginOptions, PolicyTexts.of(cluster), warnings);
    }

    private SchedulerFactory(SchedulerFactory other, SchedulerFactoryOptions terms) {
        this.policyOptions = other.policyOptions;
        this.texts = other.texts;
        this.terms = terms;
        this.profiles = new ProfileSources(terms);
        this.pluginsOf117 = other.pluginsOf117;
    }

    /** A copy for another cluster and receiver of warnings. */
    public SchedulerFactory in(FeatureGates other, Consumer<String> listener) {
        return new SchedulerFactory(this, terms.in(other, listener));
    }

    /** A copy whose profiles follow the release of the options, if they set one. */
    public SchedulerFactory as(ReleaseOptions options) {
        return as(options.deciding().orElse(null));
    }

    /**
     * A copy whose profiles follow a release of kube-scheduler.
     *
     * @param release null for the newest supported one
     */
    public SchedulerFactory as(@Nullable Release release) {
        return new SchedulerFactory(this, terms.as(release));
    }

    /**
     * A copy whose profiles stop the search after this share of feasible nodes.
     *
     * @param share 0 to 100, 0 adapts to the size of the cluster; null for the value of the configuration, else all nodes
     */
    public SchedulerFactory onPercentageOfNodes(@Nullable Integer share) {
        return new SchedulerFactory(this, terms.onPercentageOfNodes(share));
    }

    /** Returns the same with extenders that are called. */
    public SchedulerFactory calling(SchedulerFactoryOptions.ExtenderSource extenders) {
        return new SchedulerFactory(this, terms.calling(extenders));
    }

    /**
     * The scheduler of a text.
     *
     * @throws InputException if the text is invalid, or if its files cannot be read or are invalid
     */
    public SchedulerSpec parse(String text) {
        return find(text).source();
    }

    /** The scheduler of a text, with its policy. */
    public Named find(String text) {
        SourceText source = SourceText.parse(text, texts::file);
        if (source.kind() == SourceText.Kind.MODERN) {
            return new Named(profiles.modern(text, terms.release(text, source.release())), null);
        }
        Optional<ProfileSources.Configured> configured = source.configuration(text, texts);
        if (configured.isPresent()) {
            SchedulerConfiguration first = AlgorithmSources.read(
                    configured.get().text(), configured.get().file());
            return first == null
                    ? new Named(profiles.of(configured.get(), terms.release(text, source.release())), null)
                    : v1alpha1(first, configured.get(), source);
        }
        if (source.release() != null && source.isDefaultProvider()) {
            DecidingRelease asked = new DecidingRelease(text, source.release());
            asked.requireReadsPolicies();
            return new Named(profiles.modern(text, asked), null);
        }
        if (source.release() != null) {
            DecidingRelease asked = new DecidingRelease(text, source.release());
            asked.requireReadsPolicies();
            return new Named(translated(source, asked), null);
        }
        EffectivePolicy policy = policy(source);
        if (source.functions()
                && terms.extenders() != null
                && !policy.extenders().isEmpty()) {
            throw new InputException(
                    "\"" + text + "\": legacy: calls no extenders; remove legacy: or --call-extenders");
        }
        SchedulerSpec decider = source.functions()
                ? functions(text, policy)
                : policies.plugins(
                        text, policy, terms.percentage(null, null), PlacedVolumes.of(policy), extenders(policy));
        return new Named(independent(decider, policy), policy);
    }

    /** The policy or the provider of a v1alpha1 configuration, and its plugins. */
    private Named v1alpha1(SchedulerConfiguration file, ProfileSources.Configured configured, SourceText source) {
        if (source.release() != null) {
            throw new InputException(
                    "\"" + source.text() + "\": v1alpha1 decides as 1.17 did; remove @" + source.release());
        }
        // Rejects a profile that the file does not have.
        ConfiguredProfile.of(file, configured.profile(), terms.warnings());
        PolicyResolver resolver = policyOptions.resolver(algorithms, terms.gates(), file);
        EffectivePolicy policy = AlgorithmSources.effective(file, new PolicyLoader(resolver, texts), texts);
        file.warnings().forEach(warning -> terms.warnings().accept(warning.line(file.file())));
        policy.warnings().forEach(warning -> terms.warnings().accept(warning.line(policy.source())));
        int percentage = terms.percentage(null, file.percentageOfNodesToScore());
        SchedulerSpec.Volumes volumes = PlacedVolumes.of(policy);
        if (!AlgorithmSources.addsPlugins(file)) {
            SchedulerSpec plain = policies.plugins(configured.name(), policy, percentage, volumes, extenders(policy));
            return new Named(independent(plain, policy), policy);
        }
        try {
            plugins(file, policy, new ClusterState()).close();
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        } catch (PluginException e) {
            throw new InputException(file.file() + ": " + e.getMessage(), e);
        }
        SchedulerSpec added = policies.plugins(
                configured.name(),
                policy,
                cluster -> {
                    try {
                        return plugins(file, policy, cluster);
                    } catch (ConfigurationException e) {
                        throw new IllegalStateException(e);
                    }
                },
                percentage,
                volumes,
                extenders(policy));
        return new Named(independent(added, policy), policy);
    }

    private Profile plugins(SchedulerConfiguration file, EffectivePolicy policy, ClusterState cluster)
            throws ConfigurationException {
        return AlgorithmSources.profile(
                policy,
                file,
                pluginsOf117,
                algorithms,
                cluster,
                WaitingPods.NONE,
                SteadyClock.system(),
                ClaimWriter.inMemory(cluster.assumedClaims()),
                ApiConnection.NONE);
    }

    private Extenders extenders(EffectivePolicy policy) {
        return terms.extenders(policy.source(), policy.extenders(), policy.strictV117());
    }

    /** A policy or provider as kube-scheduler of 1.18 to 1.22 ran it. */
    private SchedulerSpec translated(SourceText source, DecidingRelease asked) {
        PolicyLoader loader = new PolicyLoader(policyOptions.resolver(algorithms, terms.gates()), texts);
        if (source.kind() == SourceText.Kind.PROVIDER) {
            // Rejects other names.
            loader.provider(source.value());
            return profiles.clusterAutoscaler(asked);
        }
        Policy policy = loader.raw(source);
        return profiles.translated(policy, asked);
    }

    /**
     * The plugins of a text, created for each cluster.
     *
     * @throws InputException if the text names functions or a translation, or is invalid
     */
    public Function<ClusterState, Profile> profiles(String text) {
        SourceText source = SourceText.parse(text, texts::file);
        if (source.functions() || source.release() != null) {
            throw new InputException(
                    "\"" + text + "\" is not decided by plugins as they are; give policy:FILE, provider:NAME,"
                            + " config:FILE[#PROFILE] or modern");
        }
        if (source.kind() == SourceText.Kind.MODERN) {
            return ModernProfile::defaults;
        }
        Optional<ProfileSources.Configured> configured = source.configuration(text, texts);
        if (configured.isPresent()) {
            return profiles.plugins(configured.get());
        }
        EffectivePolicy policy = policy(source);
        // Reports extenders, which profiles do not call.
        extenders(policy);
        ProviderAdapter adapter = new ProviderAdapter(algorithms, Algorithms.environment());
        return cluster -> adapter.adapt(policy, cluster);
    }

    /** A policy as plugins on all nodes, under its own name. */
    public SchedulerSpec ofPolicy(EffectivePolicy policy) {
        return independent(policies.plugins(policy.source(), policy, PlacedVolumes.of(policy), Extenders.NONE), policy);
    }

    /** The scheduler with its extenders on a part of the nodes: {@code percentage}, 0 to adapt to the size of the cluster. */
    public SchedulerSpec ofPolicy(EffectivePolicy policy, int percentage) {
        return policies.plugins(policy.source(), policy, percentage, PlacedVolumes.of(policy), extenders(policy));
    }

    /** A policy as functions on all nodes, under its own name. */
    public SchedulerSpec ofFunctions(EffectivePolicy policy) {
        return independent(functions(policy.source(), policy), policy);
    }

    private SchedulerSpec functions(String name, EffectivePolicy policy) {
        // Reports extenders, which functions do not call.
        extenders(policy);
        return policies.functions(name, policy, PlacedVolumes.of(policy));
    }

    /** The caches of rules are not thread-safe. */
    private SchedulerSpec independent(SchedulerSpec source, EffectivePolicy policy) {
        return policy.rules().isEmpty() && !SchedulerFactoryOptions.leavesCounts(policy.gates())
                ? terms.independent(source)
                : source;
    }

    private EffectivePolicy policy(SourceText source) {
        PolicyResolver resolver = source.strict()
                ? policyOptions.strictResolver(algorithms)
                : policyOptions.resolver(algorithms, terms.gates());
        EffectivePolicy policy = new PolicyLoader(resolver, texts).load(source);
        policy.warnings().forEach(warning -> terms.warnings().accept(warning.line(policy.source())));
        return policy;
    }

    /**
     * The first profile of a configuration.
     *
     * @param file name of the configuration in messages
     * @throws InputException if it is invalid
     */
    public SchedulerSpec ofConfiguration(String name, String text, String file) {
        return profiles.of(new ProfileSources.Configured(name, text, file, ""), terms.release(name, null));
    }

    /**
     * A profile of a configuration, with its problems as an exception.
     *
     * @param wanted its scheduler name; empty for the first profile
     * @throws ConfigurationException if the configuration is invalid
     * @throws PluginException if the arguments of a plugin are invalid
     * @throws InputException if the configuration has no plugins, or not the profile
     */
    public SchedulerSpec configured(String name, String text, String file, String wanted)
            throws ConfigurationException {
        return profiles.checked(new ProfileSources.Configured(name, text, file, wanted));
    }

    /** Picocli group: the scheduler, at most one. */
    public static final class DeciderChoice {
        /** The default. */
        static final String DEFAULT = "provider:DefaultProvider";

        @Option(
                names = "--policy",
                paramLabel = "FILE",
                description = "Policy file, JSON or YAML, or a file with a ConfigMap that contains a policy.")
        private @Nullable String policy;

        @Option(
                names = "--scheduler",
                paramLabel = "SCHEDULER",
                description = "Scheduler to use: policy:FILE, configmap:NAMESPACE/NAME, provider:NAME,"
                        + " config:FILE[#PROFILE], or modern. The help of compare lists all forms.")
        private @Nullable String scheduler;

        @Option(
                names = "--provider",
                paramLabel = "NAME",
                description = "Shortcut for --scheduler=provider:NAME: DefaultProvider or ClusterAutoscalerProvider.")
        private @Nullable String provider;

        @Option(
                names = "--profile",
                paramLabel = "modern|config:FILE[#PROFILE]",
                description = "Shortcut for --scheduler=modern and --scheduler=config:FILE[#PROFILE].")
        private @Nullable String profile;

        @Option(
                names = "--decider",
                hidden = true,
                paramLabel = "SCHEDULER",
                description = "Older name of --scheduler.")
        private @Nullable String decider;

        /**
         * The choice in the syntax of {@link SchedulerFactory}.
         *
         * @throws InputException if it is not a profile
         */
        public String text() {
            if (policy != null) {
                return "framework:" + policy;
            }
            if (provider != null) {
                return "provider:" + provider;
            }
            if (profile != null) {
                SourceText source = SourceText.parse(profile, InputFiles::text);
                if (source.isPolicy()) {
                    throw new InputException("--profile: \"" + profile + "\" is not modern or config:FILE[#PROFILE]"
                            + " (did you mean --scheduler " + profile + "?)");
                }
                return profile;
            }
            String chosen = scheduler == null ? decider : scheduler;
            return chosen == null ? DEFAULT : chosen;
        }

        /**
         * The policy of {@code --policy} or {@code --provider}; null if neither is set.
         *
         * @throws InputException if it cannot be read or is invalid
         */
        @Nullable
        public EffectivePolicy policy(PolicyResolver resolver) {
            return policy == null && provider == null
                    ? null
                    : PolicySource.resolve(policy == null ? null : Path.of(policy), provider, resolver);
        }

        /** Picocli group: the source of the policy, exactly one. */
        public static final class PolicySource {
            @Option(
                    names = "--policy",
                    paramLabel = "FILE",
                    description = "Policy file, JSON or YAML, or a file with a ConfigMap that contains a policy.")
            private @Nullable Path file;

            @Option(
                    names = "--provider",
                    paramLabel = "NAME",
                    description = "Algorithm provider: DefaultProvider or ClusterAutoscalerProvider.")
            private @Nullable String provider;

            /**
             * The policy.
             *
             * @throws InputException if it cannot be read or is invalid, with a line for each problem
             */
            public EffectivePolicy resolve(PolicyResolver resolver) {
                return resolve(file, provider, resolver);
            }

            /** The policy of a file, or the provider if there is no file. */
            public static EffectivePolicy resolve(
                    @Nullable Path file, @Nullable String provider, PolicyResolver resolver) {
                PolicyLoader loader = new PolicyLoader(resolver, PolicyTexts.FILES);
                return file == null ? loader.provider(provider == null ? "" : provider) : loader.file(file);
            }
        }
    }
}
