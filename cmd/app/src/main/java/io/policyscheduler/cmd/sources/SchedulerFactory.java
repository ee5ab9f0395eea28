package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.Algorithms.VolumeBinders;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.cmd.sources.ProfileResolver.Configured;
import io.policyscheduler.cmd.sources.ProfileResolver.Resolved;
import io.policyscheduler.cmd.sources.ReleaseOptions.SchedulerRelease;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.devices.DeviceAllocator.ClaimReserver;
import io.policyscheduler.framework.insight.compare.PolicySchedulers;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.explain.Explainer.RequiredLabels;
import io.policyscheduler.framework.modern.DynamicResources;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.profile.PolicyTranslator;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import io.policyscheduler.predicates.VolumeBinder;
import java.nio.file.Path;
import java.util.List;
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

    /** Creates the clients of extenders. */
    @FunctionalInterface
    public interface ExtenderSource {
        /**
         * Returns the extenders of a policy or a configuration, in call order.
         *
         * @param strictV117 reproduce the errors of v1.17 in the protocol
         * @throws InputException if TLS files cannot be used
         */
        Extenders of(String file, List<ExtenderConfig> configs, boolean strictV117);
    }

    private final PolicyOptions policyOptions;
    private final PolicyTexts texts;
    private final ProfileResolver profiles;
    private final PolicySchedulers policies;
    /** Of the cluster. */
    private final FeatureGates gates;
    /** Receives one line each. */
    private final Consumer<String> warnings;
    /** Default release of the kube-scheduler; null for the newest supported one. */
    private final @Nullable Release release;
    /** Share of feasible nodes after which the search stops; null for the value of the configuration, or all nodes without one. */
    private final @Nullable Integer percentage;
    /** Creates extenders; null if they are not called. */
    private final @Nullable ExtenderSource extenders;

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
        this.profiles = new ProfileResolver(gates, pluginOptions);
        this.policies = new PolicySchedulers(profiles.algorithms(), Algorithms.environment());
        this.gates = gates;
        this.warnings = warnings;
        this.release = null;
        this.percentage = null;
        this.extenders = null;
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

    /** A factory before the release of the cluster is known. Warnings are discarded: the copy for the release repeats them. */
    public static SchedulerFactory ofUnknownRelease(
            PolicyOptions policyOptions,
            ReleaseOptions releaseOptions,
            PluginOptions pluginOptions,
            Supplier<KubeConnection> cluster) {
        FeatureGates gates = releaseOptions.unknown(policyOptions.gates());
        return new SchedulerFactory(policyOptions, gates, pluginOptions, cluster, Warnings.NONE).as(releaseOptions);
    }

    private SchedulerFactory(
            SchedulerFactory other,
            PolicyTexts texts,
            FeatureGates gates,
            Consumer<String> warnings,
            @Nullable Release release,
            @Nullable Integer percentage,
            @Nullable ExtenderSource extenders) {
        this.policyOptions = other.policyOptions;
        this.texts = texts;
        this.profiles = other.profiles;
        this.policies = other.policies;
        this.gates = gates;
        this.warnings = warnings;
        this.release = release;
        this.percentage = percentage;
        this.extenders = extenders;
    }

    /** A copy for another cluster and receiver of warnings. */
    public SchedulerFactory in(FeatureGates other, Consumer<String> listener) {
        return new SchedulerFactory(this, texts, other, listener, release, percentage, extenders);
    }

    /** A copy for which a file has another text. Warnings are discarded: those about the file itself are similar. */
    public SchedulerFactory withText(Path file, String text) {
        PolicyTexts others = texts;
        PolicyTexts changed = new PolicyTexts() {
            @Override
            public String file(Path named) {
                return named.equals(file) ? text : others.file(named);
            }

            @Override
            public boolean exists(Path named) {
                return others.exists(named);
            }

            @Override
            public String configMap(ConfigMapName name) {
                return others.configMap(name);
            }
        };
        return new SchedulerFactory(this, changed, gates, Warnings.NONE, release, percentage, extenders);
    }

    /** A copy whose profiles follow the release of the options, if they set one. */
    public SchedulerFactory as(ReleaseOptions options) {
        return as(options.ofScheduler().orElse(null));
    }

    /**
     * A copy whose profiles follow a release of kube-scheduler.
     *
     * @param other null for the newest supported one
     */
    public SchedulerFactory as(@Nullable Release other) {
        return new SchedulerFactory(this, texts, gates, warnings, other, percentage, extenders);
    }

    /**
     * A copy whose profiles stop the search after this share of feasible nodes.
     *
     * @param share 0 to 100, 0 adapts to the size of the cluster; null for the value of the configuration, else all nodes
     */
    public SchedulerFactory onPercentageOfNodes(@Nullable Integer share) {
        return new SchedulerFactory(this, texts, gates, warnings, release, share, extenders);
    }

    /** A copy whose extenders are called. */
    public SchedulerFactory calling(ExtenderSource source) {
        return new SchedulerFactory(this, texts, gates, warnings, release, percentage, source);
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
            return new Named(modern(text, release(text, source.release())), null);
        }
        Optional<Configured> configured = source.configuration(text, texts);
        if (configured.isPresent()) {
            SchedulerConfiguration first = AlgorithmSources.read(
                    configured.get().text(), configured.get().file());
            return first == null
                    ? new Named(of(configured.get(), release(text, source.release())), null)
                    : v1alpha1(first, configured.get(), source);
        }
        if (source.release() != null) {
            SchedulerRelease asked = new SchedulerRelease(text, source.release());
            asked.requireReadsPolicies();
            return new Named(source.isDefaultProvider() ? modern(text, asked) : translated(source, asked), null);
        }
        EffectivePolicy policy = policy(source);
        if (source.functions() && extenders != null && !policy.extenders().isEmpty()) {
            throw new InputException(
                    "\"" + text + "\": legacy: calls no extenders; remove legacy: or --call-extenders");
        }
        SchedulerSpec decider = source.functions()
                ? functions(text, policy)
                : policies.plugins(text, policy, percentage(null, null), PlacedVolumes.of(policy), extenders(policy));
        return new Named(independent(decider, policy), policy);
    }

    /** The policy or the provider of a v1alpha1 configuration, and its plugins. */
    private Named v1alpha1(SchedulerConfiguration file, Configured configured, SourceText source) {
        if (source.release() != null) {
            throw new InputException(
                    "\"" + source.text() + "\": v1alpha1 decides as 1.17 did; remove @" + source.release());
        }
        // Rejects a profile that the file does not have.
        configured.in(file, warnings);
        EffectivePolicy policy = profiles.policy(file, policyOptions, gates, texts, warnings);
        int share = percentage(null, file.percentageOfNodesToScore());
        SchedulerSpec.Volumes volumes = PlacedVolumes.of(policy);
        if (!AlgorithmSources.addsPlugins(file)) {
            SchedulerSpec plain = policies.plugins(configured.name(), policy, share, volumes, extenders(policy));
            return new Named(independent(plain, policy), policy);
        }
        Resolved resolved = ProfileResolver.accepted(file.file(), () -> profiles.withPlugins(policy, file));
        SchedulerSpec added =
                policies.plugins(configured.name(), policy, resolved::create, share, volumes, extenders(policy));
        return new Named(independent(added, policy), policy);
    }

    /** The default profile of the newest release, or of the requested one. */
    private SchedulerSpec modern(String name, @Nullable SchedulerRelease asked) {
        Release rules = Release.NEWEST;
        Function<ClusterState, Profile> profile = ModernProfile::defaults;
        if (asked != null) {
            asked.warn(gates.release(), warnings);
            rules = asked.rules();
            SchedulerConfiguration configuration = ModernProfile.configuration("default-scheduler", rules);
            profile = ProfileResolver.accepted(
                    name,
                    () -> profiles.plugins(
                            configuration, configuration.profiles().get(0)))::create;
        }
        return independent(ProfileSchedulers.of(
                name,
                profile,
                percentage(null, null),
                PlacedVolumes.of(gates.at(rules), gates.release(), true, true),
                Extenders.NONE));
    }

    /** A profile of a configuration. */
    private SchedulerSpec of(Configured configured, @Nullable SchedulerRelease asked) {
        return ProfileResolver.accepted(configured.file(), () -> checked(configured, asked));
    }

    private SchedulerSpec checked(Configured configured, @Nullable SchedulerRelease asked)
            throws ConfigurationException {
        SchedulerConfiguration configuration = read(configured, asked == null ? usual(configured) : asked.rules());
        if (asked != null) {
            asked.requireReads(configuration.version());
            asked.warn(gates.release(), warnings);
        }
        ProfileResolver.warn(configuration, warnings);
        ProfileConfiguration profile = configured.in(configuration, warnings);
        Extenders called = extenders(configured.file(), configuration.extenders(), false);
        return of(configured.name(), profiles.plugins(configuration, profile), called);
    }

    private SchedulerSpec of(String name, Resolved resolved, Extenders called) {
        SchedulerConfiguration configuration = resolved.configuration();
        return independent(ProfileSchedulers.of(
                name,
                resolved::create,
                percentage(resolved.profile().percentageOfNodesToScore(), configuration.percentageOfNodesToScore()),
                PlacedVolumes.of(
                        gates.at(configuration.release()),
                        gates.release(),
                        resolved.hasFilter("VolumeBinding"),
                        resolved.hasFilter(DynamicResources.NAME)),
                called));
    }

    private static SchedulerConfiguration read(Configured configured, Release release) throws ConfigurationException {
        SchedulerConfiguration configuration =
                new ConfigurationReader(release).read(configured.text(), configured.file());
        new ConfigurationValidator().check(configuration);
        return configuration;
    }

    /**
     * The release of the cluster if it is older than {@code v1} and reads the version of the configuration, as in {@code run}; else
     * the newest supported one, unless the options set one.
     */
    private Release usual(Configured configured) throws ConfigurationException {
        Release cluster = gates.release();
        boolean isOld = !ConfigVersion.V1.isReadBy(cluster);
        return isOld
                        && new ConfigurationReader()
                                .read(configured.text(), configured.file())
                                .version()
                                .isReadBy(cluster)
                ? cluster
                : Release.NEWEST;
    }

    /** The release of the kube-scheduler: that of the text or of the options; null for neither. */
    private @Nullable SchedulerRelease release(String name, @Nullable Release named) {
        Release asked = named == null ? release : named;
        return asked == null ? null : new SchedulerRelease(name, asked);
    }

    /** The effective share of the nodes for the values of a configuration; null for absent ones. */
    private int percentage(@Nullable Integer ofProfile, @Nullable Integer ofAll) {
        if (percentage != null) {
            return percentage;
        }
        Integer configured = ofProfile == null ? ofAll : ofProfile;
        return configured == null ? ProfileSchedulers.ALL_NODES : configured;
    }

    /** Returns the extenders to call; logs a warning if there are some and extenders are not called. */
    private Extenders extenders(String file, List<ExtenderConfig> configs, boolean strictV117) {
        if (configs.isEmpty()) {
            return Extenders.NONE;
        }
        if (extenders != null) {
            return extenders.of(file, configs, strictV117);
        }
        warnings.accept(file + ": warning " + PolicyWarningCode.EXTENDERS + ": the extenders are not called");
        return Extenders.NONE;
    }

    private Extenders extenders(EffectivePolicy policy) {
        return extenders(policy.source(), policy.extenders(), policy.strictV117());
    }

    /** A policy or provider as kube-scheduler of 1.18 to 1.22 ran it. */
    private SchedulerSpec translated(SourceText source, SchedulerRelease asked) {
        PolicyLoader loader = new PolicyLoader(policyOptions.resolver(profiles.algorithms(), gates), texts);
        if (source.kind() == SourceText.Kind.PROVIDER) {
            // Rejects other names.
            loader.provider(source.value());
            asked.warn(gates.release(), warnings);
            return of(asked.name(), profiles.clusterAutoscaler(asked.rules()), Extenders.NONE);
        }
        Policy policy = loader.raw(source);
        Resolved resolved = profiles.translated(policy, asked.rules(), PolicyTranslator.DEFAULT_SCHEDULER_NAME);
        Extenders called = extenders(policy.file(), ExtenderConfig.inCallOrder(policy.extenders()), false);
        asked.warn(gates.release(), warnings);
        return of(asked.name(), resolved, called);
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
        Optional<Configured> configured = source.configuration(text, texts);
        if (configured.isPresent()) {
            return ProfileResolver.accepted(configured.get().file(), () -> {
                SchedulerConfiguration configuration = read(configured.get(), Release.NEWEST);
                return profiles.plugins(configuration, configured.get().in(configuration, warnings))::create;
            });
        }
        EffectivePolicy policy = policy(source);
        // Reports extenders, which profiles do not call.
        extenders(policy);
        ProviderAdapter adapter = new ProviderAdapter(profiles.algorithms(), Algorithms.environment());
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
        return policy.rules().isEmpty() && !leavesCounts(policy.gates()) ? independent(source) : source;
    }

    /** What external plugins read is unknown. */
    private SchedulerSpec independent(SchedulerSpec source) {
        return source.independent(!profiles.hasExternalPlugins() && extenders == null && !leavesCounts(gates));
    }

    /** Whether volume counts stay in the nodes. */
    private static boolean leavesCounts(FeatureGates gates) {
        return gates.enabled(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES);
    }

    private EffectivePolicy policy(SourceText source) {
        PolicyResolver resolver = source.strict()
                ? policyOptions.strictResolver(profiles.algorithms())
                : policyOptions.resolver(profiles.algorithms(), gates);
        EffectivePolicy policy = new PolicyLoader(resolver, texts).load(source);
        ProfileResolver.warn(policy, warnings);
        return policy;
    }

    /**
     * The first profile of a configuration.
     *
     * @param file name of the configuration in messages
     * @throws InputException if it is invalid
     */
    public SchedulerSpec ofConfiguration(String name, String text, String file) {
        return of(new Configured(name, text, file, ""), release(name, null));
    }

    /**
     * A profile of a configuration, with its problems as an exception.
     *
     * @param schedulerName its scheduler name; empty for the first profile
     * @throws ConfigurationException if the configuration is invalid
     * @throws PluginException if the arguments of a plugin are invalid
     * @throws InputException if the configuration has no plugins, or not the profile
     */
    public SchedulerSpec configured(String name, String text, String file, String schedulerName)
            throws ConfigurationException {
        return checked(new Configured(name, text, file, schedulerName), release(name, null));
    }

    /** Sets the volumes, devices, and labels of a pod that is placed offline. */
    private static final class PlacedVolumes {
        private PlacedVolumes() {}

        /** According to the kinds that a policy reads; with the rules of 1.17, pods keep their labels. */
        static SchedulerSpec.Volumes of(EffectivePolicy policy) {
            FeatureGates gates = policy.gates();
            return of(
                    gates,
                    gates.honoursNewerFields() ? gates.release() : Release.V1_17,
                    policy.predicates().containsKey("CheckVolumeBinding"),
                    policy.allocatesClaims());
        }

        /**
         * According to the kinds that a scheduler reads.
         *
         * @param gates of the scheduler
         * @param server the release of the API server, which labels pods
         * @param binds whether claims are bound to volumes
         * @param gives whether requested devices are allocated
         */
        static SchedulerSpec.Volumes of(FeatureGates gates, Release server, boolean binds, boolean gives) {
            VolumeBinder binder = VolumeBinders.binder(gates, binds);
            @Nullable ClaimReserver giver = gives ? new ClaimReserver(gates.release()) : null;
            return new SchedulerSpec.Volumes() {
                @Override
                public void assume(ClusterState cluster, PodInfo pod, NodeInfo node) {
                    binder.assume(cluster, pod, node);
                    if (giver != null) {
                        giver.give(cluster, pod, node);
                    }
                }

                @Override
                public PodInfo bound(ClusterState cluster, PodInfo pod, String node) {
                    NodeInfo info = cluster.node(node);
                    return info == null || !ComponentChange.POD_TOPOLOGY_LABELS.in(server)
                            ? pod.withNodeName(node)
                            : pod.toBuilder()
                                    .nodeName(node)
                                    .labels(labeled(pod.labels(), info.node().labels()))
                                    .build();
                }

                @Override
                public boolean givesDevices() {
                    return gives;
                }
            };
        }

        /**
         * The labels of a pod with the zone and the region of its node, as {@code plugin/pkg/admission/podtopologylabels} sets
         * them.
         */
        private static Labels labeled(Labels pod, Labels node) {
            Labels labels = pod;
            for (String key : List.of(Node.ZONE, Node.REGION)) {
                String value = node.get(key);
                if (value != null && !labels.has(key, value)) {
                    labels = labels.with(key, value);
                }
            }
            return labels;
        }
    }

    /** Picocli group: the scheduler, at most one. */
    public static final class SchedulerChoice {
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
