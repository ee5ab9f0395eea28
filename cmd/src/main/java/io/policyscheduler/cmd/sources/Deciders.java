package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.cmd.setup.VolumeBinders;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.ProfileConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.setting.ConfigVersion;
import io.policyscheduler.framework.devices.ClaimGiver;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import io.policyscheduler.framework.insight.compare.decider.PolicyDeciders;
import io.policyscheduler.framework.insight.compare.decider.ProfileDeciders;
import io.policyscheduler.framework.insight.explain.LabelDemands;
import io.policyscheduler.framework.insight.migrate.Migration;
import io.policyscheduler.framework.insight.migrate.MigrationOptions;
import io.policyscheduler.framework.insight.migrate.MigrationTarget;
import io.policyscheduler.framework.insight.migrate.Migrator;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.modern.device.DynamicResources;
import io.policyscheduler.framework.plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginRegistry;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import io.policyscheduler.framework.profile.ProviderAdapter;
import io.policyscheduler.predicates.volume.VolumeBinder;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes what a {@link SourceText} says into something that decides, on one cluster and offline. */
public final class Deciders {
    /**
     * A way of deciding.
     *
     * @param policy what it goes by; null for one of current releases
     */
    public record Named(DeciderSource source, @Nullable EffectivePolicy policy) {
        /** What the policy demands of node labels. */
        public LabelDemands labels() {
            return policy == null
                    ? LabelDemands.NONE
                    : new LabelDemands(
                            policy.arguments().presentLabels(),
                            policy.arguments().absentLabels());
        }
    }

    private final PolicyOptions policyOptions;
    private final FeatureGates gates;
    private final AlgorithmRegistry algorithms = Algorithms.registry();
    private final PolicyDeciders policies = new PolicyDeciders(algorithms, Algorithms.environment());
    private final PluginRegistry plugins;
    /** Whether all plugins are our own. */
    private final boolean ownPlugins;

    private final PolicyTexts texts;
    private final Consumer<String> warnings;
    /** Whose kube-scheduler decides where a text does not say it; null for the newest one known. */
    private final @Nullable Release deciding;
    /** Null for what a configuration says, and all nodes where none says it. */
    private final @Nullable Integer percentage;

    /**
     * @param gates of the cluster that will be looked at
     * @param texts where policies are read
     * @param warnings is told what is probably not meant, a line each
     * @throws InputException when a plugin jar cannot be used
     */
    private Deciders(
            PolicyOptions policyOptions,
            FeatureGates gates,
            PluginOptions pluginOptions,
            PolicyTexts texts,
            Consumer<String> warnings) {
        this.policyOptions = policyOptions;
        this.gates = gates;
        Map<String, PluginFactory> builtIn =
                ModernPlugins.over(new InTreePlugins(algorithms, gates, Algorithms.environment()).factories());
        this.plugins = pluginOptions.registry(builtIn);
        this.ownPlugins = plugins.names().equals(builtIn.keySet());
        this.texts = texts;
        this.warnings = warnings;
        this.deciding = null;
        this.percentage = null;
    }

    /** Those of files only. */
    public Deciders(
            PolicyOptions policyOptions, FeatureGates gates, PluginOptions pluginOptions, Consumer<String> warnings) {
        this(policyOptions, gates, pluginOptions, PolicyTexts.FILES, warnings);
    }

    /**
     * Those of texts that stand for themselves: no file and no cluster is read, whatever they name.
     *
     * @param texts by the name that is written where a file would be
     */
    public static Deciders ofTexts(Map<String, String> texts, FeatureGates gates, Consumer<String> warnings) {
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
            public String configMap(ConfigMapName name) {
                return PolicyTexts.FILES.configMap(name);
            }
        };
        return new Deciders(PolicyOptions.ofTexts(), gates, new PluginOptions(), given, warnings);
    }

    /** Those of files and of the ConfigMaps of a cluster, which is connected to when one is named. */
    public Deciders(
            PolicyOptions policyOptions,
            FeatureGates gates,
            PluginOptions pluginOptions,
            Supplier<KubeConnection> cluster,
            Consumer<String> warnings) {
        this(policyOptions, gates, pluginOptions, PolicyTexts.of(cluster), warnings);
    }

    private Deciders(
            Deciders other,
            FeatureGates gates,
            Consumer<String> warnings,
            @Nullable Release deciding,
            @Nullable Integer percentage) {
        this.policyOptions = other.policyOptions;
        this.gates = gates;
        this.plugins = other.plugins;
        this.ownPlugins = other.ownPlugins;
        this.texts = other.texts;
        this.warnings = warnings;
        this.deciding = deciding;
        this.percentage = percentage;
    }

    /** The same for another cluster, with somebody else told. */
    public Deciders in(FeatureGates other, Consumer<String> listener) {
        return new Deciders(this, other, listener, deciding, percentage);
    }

    /** The same, where profiles decide as the kube-scheduler of the release that the options ask for, if they ask for one. */
    public Deciders as(ReleaseOptions options) {
        return as(options.deciding().orElse(null));
    }

    /**
     * The same, where profiles decide as the kube-scheduler of a release.
     *
     * @param release null for the newest one known
     */
    public Deciders as(@Nullable Release release) {
        return new Deciders(this, gates, warnings, release, percentage);
    }

    /**
     * The same with profiles that stop looking when they have found this share of the nodes.
     *
     * @param share 0 to 100, 0 adapts to the size of the cluster; null for what the configuration says, else all nodes
     */
    public Deciders onPercentageOfNodes(@Nullable Integer share) {
        return new Deciders(this, gates, warnings, deciding, share);
    }

    private int percentage(@Nullable Integer ofProfile, @Nullable Integer ofAll) {
        if (percentage != null) {
            return percentage;
        }
        Integer said = ofProfile == null ? ofAll : ofProfile;
        return said == null ? ProfileDeciders.ALL_NODES : said;
    }

    /**
     * The way of deciding that a text names.
     *
     * @throws InputException when the text means nothing, or what it names cannot be read or is refused
     */
    public DeciderSource parse(String text) {
        return find(text).source();
    }

    /** The same, with the policy. */
    public Named find(String text) {
        SourceText source = SourceText.parse(text, texts::file);
        if (source.kind() == SourceText.Kind.MODERN) {
            return new Named(independent(modern(text, releaseOf(text, source))), null);
        }
        if (source.kind() == SourceText.Kind.CONFIG) {
            return new Named(ofConfiguration(text, source, releaseOf(text, source)), null);
        }
        if (source.release() != null && source.isDefaultProvider()) {
            DecidingRelease asked = new DecidingRelease(text, source.release());
            asked.requireReadsPolicies();
            return new Named(independent(modern(text, asked)), null);
        }
        EffectivePolicy policy = policy(source);
        if (source.release() != null) {
            return new Named(translated(policy, new DecidingRelease(text, source.release())), policy);
        }
        DeciderSource decider = source.functions()
                ? policies.functions(text, policy, volumes(policy))
                : policies.plugins(text, policy, volumes(policy), Extenders.NONE);
        return new Named(independent(decider, policy), policy);
    }

    /**
     * The plugins by which a text decides, to be made for each cluster.
     *
     * @throws InputException when the text names functions or a translation, means nothing, or what it names is refused
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
        if (source.kind() == SourceText.Kind.CONFIG) {
            return configured(source);
        }
        EffectivePolicy policy = policy(source);
        ProviderAdapter adapter = new ProviderAdapter(algorithms, Algorithms.environment());
        return cluster -> adapter.adapt(policy, cluster);
    }

    private Function<ClusterState, Profile> configured(SourceText source) {
        String file = source.file().toString();
        try {
            SchedulerConfiguration configuration = read(texts.file(source.file()), file, Release.NEWEST);
            ConfiguredProfile.requirePlugins(configuration);
            ProfileConfiguration profile = ConfiguredProfile.of(configuration, source.profile(), warnings);
            build(configuration, profile, new ClusterState()).close();
            return cluster -> unchecked(configuration, profile, cluster);
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        } catch (PluginException e) {
            throw new InputException(file + ": " + e.getMessage(), e);
        }
    }

    /** A policy as plugins on all nodes, under its own name. */
    public DeciderSource ofPolicy(EffectivePolicy policy) {
        return independent(policies.plugins(policy.source(), policy, volumes(policy), Extenders.NONE), policy);
    }

    /** The same with extenders, on part of the nodes: {@code percentage} of them, 0 to adapt to the size of the cluster. */
    public DeciderSource ofPolicy(EffectivePolicy policy, int percentage, Extenders extenders) {
        return policies.plugins(policy.source(), policy, percentage, volumes(policy), extenders);
    }

    /** A policy as functions on all nodes, under its own name. */
    public DeciderSource ofFunctions(EffectivePolicy policy) {
        return independent(policies.functions(policy.source(), policy, volumes(policy)), policy);
    }

    /** What rules remember is not made for several threads. */
    private DeciderSource independent(DeciderSource source, EffectivePolicy policy) {
        return policy.rules().isEmpty() && !leavesCounts(policy.gates()) ? independent(source) : source;
    }

    /** Of plugins that others have written nothing is known. */
    private DeciderSource independent(DeciderSource source) {
        return source.independent(ownPlugins && !leavesCounts(gates));
    }

    /** True when counts of volumes stay behind on the nodes. */
    private static boolean leavesCounts(FeatureGates gates) {
        return gates.enabled(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES);
    }

    private EffectivePolicy policy(SourceText source) {
        PolicyResolver resolver =
                source.strict() ? policyOptions.strictResolver(algorithms) : policyOptions.resolver(algorithms, gates);
        EffectivePolicy policy = new PolicyLoader(resolver, texts).load(source);
        policy.warnings().forEach(warning -> warnings.accept(warning.line(policy.source())));
        if (!policy.extenders().isEmpty()) {
            warnings.accept(policy.source() + ": the extenders are not called");
        }
        return policy;
    }

    /** The release that a source names, else the one that was given for all; null for neither. */
    private @Nullable DecidingRelease releaseOf(String name, SourceText source) {
        if (source.release() != null) {
            return new DecidingRelease(name, source.release());
        }
        return deciding == null ? null : new DecidingRelease(name, deciding);
    }

    private DeciderSource modern(String name, @Nullable DecidingRelease asked) {
        if (asked == null) {
            return ProfileDeciders.of(
                    name,
                    ModernProfile::defaults,
                    percentage(null, null),
                    volumes(gates.at(Release.NEWEST), true, true),
                    Extenders.NONE);
        }
        asked.tell(gates.release(), warnings);
        return ProfileDeciders.of(
                name,
                cluster -> ModernProfile.defaults(asked.rules(), plugins, cluster),
                percentage(null, null),
                volumes(gates.at(Release.NEWEST), true, true),
                Extenders.NONE);
    }

    /** A policy as the kube-scheduler of a later release carried it out. */
    private DeciderSource translated(EffectivePolicy policy, DecidingRelease asked) {
        asked.requireReadsPolicies();
        MigrationTarget target = MigrationTarget.ofPolicies(asked.rules());
        Migration migration = new Migrator(target, MigrationOptions.DEFAULTS).migrate(policy, null);
        String told = target.version() == ConfigVersion.V1BETA1
                ? ": translated as migrate --to=v1beta1 --release=" + asked.release() + " does"
                        + (migration.loses() ? ", which tells what is lost" : "")
                : ": translated to plugins of " + asked.release() + (migration.loses() ? "; some of it is lost" : "");
        warnings.accept("W304 " + asked.name() + told);
        try {
            return configured(
                    asked.name(),
                    migration.configuration(),
                    asked.name(),
                    "",
                    asked,
                    policy.alwaysCheckAllPredicates() ? Profile::checkingAllFilters : UnaryOperator.identity());
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        } catch (PluginException e) {
            throw new InputException(asked.name() + ": " + e.getMessage(), e);
        }
    }

    private DeciderSource ofConfiguration(String name, SourceText source, @Nullable DecidingRelease asked) {
        String file = source.file().toString();
        try {
            return configured(name, texts.file(source.file()), file, source.profile(), asked);
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        } catch (PluginException e) {
            throw new InputException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * The first profile of a configuration.
     *
     * @param file name of the configuration, for messages
     * @throws InputException when it is refused
     */
    public DeciderSource ofConfiguration(String name, String text, String file) {
        return ofConfiguration(name, text, file, "");
    }

    /**
     * A profile of a configuration.
     *
     * @param wanted its scheduler name; empty for the first
     * @throws InputException when the configuration is refused
     */
    public DeciderSource ofConfiguration(String name, String text, String file, String wanted) {
        try {
            DecidingRelease asked = deciding == null ? null : new DecidingRelease(name, deciding);
            return configured(name, text, file, wanted, asked);
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        } catch (PluginException e) {
            throw new InputException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * The same, with what is wrong as data.
     *
     * @throws ConfigurationException when the configuration is refused
     * @throws PluginException when a plugin cannot be made of what it says
     * @throws InputException when the configuration has no plugins, or not the profile
     */
    public DeciderSource configured(String name, String text, String file, String wanted)
            throws ConfigurationException {
        return configured(name, text, file, wanted, null);
    }

    private DeciderSource configured(
            String name, String text, String file, String wanted, @Nullable DecidingRelease asked)
            throws ConfigurationException {
        return configured(name, text, file, wanted, asked, UnaryOperator.identity());
    }

    /** @param finish makes of a profile what a configuration cannot say */
    private DeciderSource configured(
            String name,
            String text,
            String file,
            String wanted,
            @Nullable DecidingRelease asked,
            UnaryOperator<Profile> finish)
            throws ConfigurationException {
        Release release = asked == null ? Release.NEWEST : asked.rules();
        SchedulerConfiguration configuration = read(text, file, release);
        if (asked != null) {
            asked.requireReads(configuration.version());
            asked.tell(gates.release(), warnings);
        }
        ConfiguredProfile.requirePlugins(configuration);
        configuration.warnings().forEach(warning -> warnings.accept(warning.line(file)));
        if (!configuration.extenders().isEmpty()) {
            warnings.accept(file + ": the extenders are not called");
        }
        ProfileConfiguration profile = ConfiguredProfile.of(configuration, wanted, warnings);
        Profile sample = build(configuration, profile, new ClusterState());
        boolean binds =
                sample.filters().stream().anyMatch(plugin -> plugin.name().equals("VolumeBinding"));
        boolean gives =
                sample.filters().stream().anyMatch(plugin -> plugin.name().equals(DynamicResources.NAME));
        sample.close();
        return independent(ProfileDeciders.of(
                name,
                cluster -> finish.apply(unchecked(configuration, profile, cluster)),
                percentage(profile.percentageOfNodesToScore(), configuration.percentageOfNodesToScore()),
                volumes(gates.at(Release.NEWEST), binds, gives),
                Extenders.NONE));
    }

    private static SchedulerConfiguration read(String text, String file, Release release)
            throws ConfigurationException {
        SchedulerConfiguration configuration = new ConfigurationReader(release).read(text, file);
        new ConfigurationValidator().check(configuration);
        return configuration;
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
        return volumes(policy.gates(), policy.predicates().containsKey("CheckVolumeBinding"), policy.allocatesClaims());
    }

    /** @param gives whether pods get the devices that they ask for */
    private static DeciderSource.Volumes volumes(FeatureGates gates, boolean binds, boolean gives) {
        VolumeBinder binder = VolumeBinders.binder(gates, binds);
        if (!gives) {
            return binder::assume;
        }
        ClaimGiver giver = new ClaimGiver();
        return new DeciderSource.Volumes() {
            @Override
            public void assume(ClusterState cluster, PodInfo pod, NodeInfo node) {
                binder.assume(cluster, pod, node);
                giver.give(cluster, pod, node);
            }

            @Override
            public boolean givesDevices() {
                return true;
            }
        };
    }
}
