package io.policyscheduler.cmd.sources;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.PluginList;
import io.policyscheduler.cmd.live.PolicyReloader;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.cmd.sources.ProfileSources.ConfiguredProfile;
import io.policyscheduler.cmd.sources.ProfileSources.DecidingRelease;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.InputDocument;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.AlgorithmSource;
import io.policyscheduler.framework.config.SchedulerConfiguration.PluginArguments;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.ApiConnection;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.PluginRegistry;
import io.policyscheduler.framework.profile.PolicyTranslator;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;

/** The profiles according to the flags and their files. It can be loaded again after a file has changed. */
public final class ProfilePlan {
    private final ProfileRequest request;
    private final AlgorithmRegistry algorithms = Algorithms.registry();
    private final PolicyResolver resolver;
    private final FeatureGates gates;
    /** External plugins. */
    private final Map<String, PluginFactory> jars;
    /** Plugins under their current names; those that current releases have removed consist of algorithms of 1.17. */
    private final PluginRegistry plugins;
    /** Plugins under the names of 1.17, which consist of its algorithms. */
    private final PluginRegistry pluginsOf117;

    private @Nullable Canary canary;
    private volatile String canaryText = "";

    /**
     * A new policy next to that of the first profile.
     *
     * @param file a policy or a configuration
     * @param share share of the owners whose pods it schedules, 0 to 1
     */
    public record Canary(Path file, double share) {}

    /**
     * Profiles, checked.
     *
     * @param texts source texts
     * @param gates feature gates of the cluster
     * @param warnings one line each
     */
    public record Loaded(
            List<ProfileSettings> profiles, ProfileTexts texts, FeatureGates gates, List<String> warnings) {
        public Loaded {
            profiles = List.copyOf(profiles);
            warnings = List.copyOf(warnings);
        }

        /** A copy without the canary, with a text of its own. */
        public static PolicyReloader.Loaded withoutCanary(PolicyReloader.Loaded loaded) {
            String mark = " without the canary";
            return loaded.text().endsWith(mark)
                    ? loaded
                    : new PolicyReloader.Loaded(
                            loaded.profiles().stream()
                                    .filter(profile -> !profile.isCanary())
                                    .toList(),
                            loaded.text() + mark,
                            loaded.warnings());
        }

        public PolicyReloader.Loaded forReloading() {
            return new PolicyReloader.Loaded(profiles, texts.all() + " " + gates.release(), warnings);
        }
    }

    /** @throws InputException if a plugin JAR is invalid */
    public ProfilePlan(ProfileRequest request) {
        this(request, request.releaseOptions().unknown(request.policyOptions().gates()), null);
    }

    /** Adds a canary to the profiles of all later loads. */
    public ProfilePlan withCanary(@Nullable Canary added) {
        canary = added;
        return this;
    }

    /** The last text of the canary file; empty without a canary. */
    public String canaryText() {
        return canaryText;
    }

    /** @param jars external plugins, if they are already loaded */
    private ProfilePlan(ProfileRequest request, FeatureGates gates, @Nullable Map<String, PluginFactory> jars) {
        this.request = request;
        this.gates = gates;
        request.policyOptions().withoutMeasuredValues();
        this.resolver = request.policyOptions().resolver(algorithms, gates);
        Map<String, PluginFactory> first = new InTreePlugins(algorithms, gates, Algorithms.environment()).factories();
        Map<String, PluginFactory> current = ModernPlugins.over(first);
        this.jars = jars == null ? AlgorithmSources.added(request.plugins().registry(current), current) : jars;
        this.plugins = PluginRegistry.empty().with(current).with(this.jars);
        this.pluginsOf117 = PluginRegistry.empty().with(first).with(this.jars);
    }

    /**
     * Checks the configuration file, its plugins, and the policy that it names, or else the provider of the flags, without a
     * cluster. A policy in a ConfigMap, or one that flags name, is not checked.
     *
     * @return warnings, one line each
     * @throws InputException with a line for each problem
     */
    public List<String> check() {
        List<String> warnings = new ArrayList<>();
        request.source().check(request::usage);
        if (request.config() != null) {
            configured(warnings);
        } else if (request.source().file() == null
                && request.source().configMap().isEmpty()) {
            offline(texts -> ofSource(texts, warnings));
        }
        return warnings;
    }

    /**
     * Checks as {@link #check} does, and returns the profiles; none without a configuration file, and none for a policy in a
     * ConfigMap.
     *
     * @param warnings receives a line for each warning
     */
    public List<ProfileSettings> configured(List<String> warnings) {
        Path file = request.config();
        if (file == null) {
            return List.of();
        }
        List<ProfileSettings> profiles = new ArrayList<>();
        try {
            SchedulerConfiguration configuration = read(file, InputFiles.text(file));
            configuration.warnings().forEach(warning -> warnings.add(warning.line(configuration.file())));
            if (configuration.version() != ConfigVersion.V1ALPHA1) {
                for (ProfileConfiguration profile : configuration.profiles()) {
                    profiles.add(ofPlugins(configuration, profile));
                }
            } else if (!request.source().configMap().isEmpty()
                    && !request.source().useFile()) {
                warnings.add(file + ": note: the policy in the ConfigMap "
                        + request.source().configMapNamespace() + "/"
                        + request.source().configMap() + " is not checked");
            } else {
                profiles.add(ofAlgorithmSource(configuration, PolicyTexts.FILES, warnings));
            }
            return profiles;
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        } catch (PluginException e) {
            throw new InputException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Creates the profile of a provider, or one that {@code --profile} names, without a cluster.
     *
     * @param text as in {@code --profile}, without the scheduler name
     * @param warnings receives a line for each warning
     * @throws InputException if it cannot be read or is rejected
     */
    public ProfileSettings profile(String text, List<String> warnings) {
        return offline(texts -> extra("default-scheduler=" + text, texts, warnings));
    }

    /** Creates a profile from files only. */
    private static ProfileSettings offline(Function<ProfileTexts, ProfileSettings> profile) {
        try (KubeConnection none = KubeConnection.fromUrl("http://127.0.0.1:1")) {
            return profile.apply(new ProfileTexts(none));
        }
    }

    private SchedulerConfiguration read(Path file, String text) throws ConfigurationException {
        SchedulerConfiguration configuration = request.configurations().read(text, file.toString(), gates.release());
        if (configuration.version() != ConfigVersion.V1ALPHA1
                && !request.givenName().isEmpty()) {
            checkName(request.givenName(), configuration);
        }
        return configuration;
    }

    /** The profiles of a file have their own names, which a flag cannot change. */
    private void checkName(String name, SchedulerConfiguration configuration) {
        List<String> names = configuration.profiles().stream()
                .map(ProfileConfiguration::schedulerName)
                .toList();
        if (!names.get(0).equals(name)) {
            String place = configuration
                    .positions()
                    .nearest("profiles[0].schedulerName")
                    .in(configuration.file());
            throw request.usage("--scheduler-name: \"" + name + "\" contradicts " + place
                    + ", whose profiles are for " + String.join(", ", names)
                    + "; remove the flag, or change profiles[0].schedulerName");
        }
    }

    /**
     * Reads and checks all sources, for the current cluster.
     *
     * @throws InputException if a source cannot be read or is invalid, with a line for each problem
     * @throws ClusterFailure if the server does not respond
     */
    public Loaded load(KubeConnection connection) {
        // Invalid settings are reported before the connection to the server.
        Loaded asIfNewest = read(connection);
        if (request.releaseOptions().given().isPresent()) {
            return asIfNewest;
        }
        Release found;
        try {
            found = ApiDiscovery.release(connection);
        } catch (ApiIoException e) {
            throw new ClusterFailure("cannot connect to " + connection.serverUrl() + ": " + e.getMessage(), e);
        }
        FeatureGates inCluster =
                request.releaseOptions().in(found, request.policyOptions().gates());
        Loaded loaded = inCluster.equals(gates)
                ? asIfNewest
                : new ProfilePlan(request, inCluster, jars).withCanary(canary).read(connection);
        List<String> warnings = new ArrayList<>(ReleaseOptions.newer(found));
        warnings.addAll(loaded.warnings());
        return new Loaded(loaded.profiles(), loaded.texts(), loaded.gates(), warnings);
    }

    /**
     * Loads again while the scheduler runs. An empty policy is rejected also where {@link #load} accepts it for v1.17, because a
     * file that is being written is empty for a moment.
     *
     * @throws InputException as {@link #load}
     */
    public Loaded reload(KubeConnection connection) {
        Loaded loaded = load(connection);
        String empty = " warning " + PolicyWarningCode.SAYS_NOTHING + ":";
        for (String warning : loaded.warnings()) {
            if (warning.contains(empty)) {
                throw new InputException(warning.substring(0, warning.indexOf(empty)) + " the policy is empty");
            }
        }
        return loaded;
    }

    private Loaded read(KubeConnection connection) {
        ProfileTexts texts = new ProfileTexts(connection);
        request.policyOptions().configMapsFrom(texts.entries());
        List<String> warnings = new ArrayList<>();
        List<ProfileSettings> profiles = new ArrayList<>();
        if (request.config() != null) {
            profiles.addAll(ofConfiguration(request.config(), texts, warnings));
        } else if (request.profiles().isEmpty() || request.source().isGiven()) {
            profiles.add(ofSource(texts, warnings));
        }
        for (String text : request.profiles()) {
            profiles.add(extra(text, texts, warnings));
        }
        Set<String> names = new HashSet<>();
        for (ProfileSettings profile : profiles) {
            if (!names.add(profile.schedulerName())) {
                throw new InputException("two profiles for scheduler name \"" + profile.schedulerName() + "\": "
                        + profiles.stream()
                                .filter(other -> other.schedulerName().equals(profile.schedulerName()))
                                .map(ProfileSettings::origin)
                                .collect(Collectors.joining(", ")));
            }
        }
        if (canary != null) {
            profiles.add(canary(canary, profiles.get(0).schedulerName(), texts, warnings));
        }
        return new Loaded(profiles, texts, gates, warnings);
    }

    /** The new policy, under the name of the first profile. */
    private ProfileSettings canary(Canary added, String name, ProfileTexts texts, List<String> warnings) {
        Release release = request.source().release();
        String text = InputFiles.text(added.file());
        canaryText = text;
        String source = InputDocument.isConfiguration(text)
                ? "=config:" + added.file()
                : "=policy:" + added.file() + (release.equals(Release.V1_17) ? "" : "@" + release);
        return extra(name + source, texts, warnings).withShare(added.share());
    }

    /** The policy or provider of the flags, as the release of {@code --policy-release} ran it. */
    private ProfileSettings ofSource(ProfileTexts texts, List<String> warnings) {
        Release release = request.source().release();
        if (release.equals(Release.V1_17)) {
            EffectivePolicy policy = request.source().resolve(resolver, texts, request::usage);
            warn(policy, warnings);
            return ProfileSettings.ofPolicy(request.schedulerName(), policy, request.percentage());
        }
        Policy policy = request.source().raw(texts, request::usage);
        return policy == null
                ? ofProvider(request.schedulerName(), request.source().provider(), release)
                : translated(request.schedulerName(), policy, release);
    }

    /** A provider as 1.18 to 1.22 ran it. */
    private ProfileSettings ofProvider(String schedulerName, String provider, Release release) {
        if (provider.isEmpty() || provider.equals(Providers.DEFAULT)) {
            return modern(schedulerName, release);
        }
        // Rejects other names.
        new PolicyLoader(resolver, PolicyTexts.FILES).provider(provider);
        try {
            SchedulerConfiguration configuration = PolicyTranslator.clusterAutoscaler(release);
            return ofPlugins(configuration, configuration.profiles().get(0), schedulerName);
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        }
    }

    /** A policy as 1.18 to 1.22 ran it. */
    private ProfileSettings translated(String schedulerName, Policy policy, Release release) {
        try {
            SchedulerConfiguration configuration = PolicyTranslator.translate(policy, release, schedulerName);
            ProfileSettings settings = ofPlugins(
                    configuration,
                    configuration.profiles().get(0),
                    schedulerName,
                    policy.alwaysCheckAllPredicates() ? Profile::checkingAllFilters : UnaryOperator.identity());
            return settings.ofTranslatedPolicy(release, ExtenderConfig.inCallOrder(policy.extenders()));
        } catch (PolicyException e) {
            throw InputException.refused(e);
        } catch (ConfigurationException | PluginException e) {
            throw InputException.refused(PolicyTranslator.rejected(policy, String.valueOf(e.getMessage())));
        }
    }

    private static void warn(EffectivePolicy policy, List<String> warnings) {
        policy.warnings().forEach(warning -> warnings.add(warning.line(policy.source())));
    }

    private ProfileSettings extra(String text, ProfileTexts texts, List<String> warnings) {
        int equals = text.indexOf('=');
        SourceText source;
        try {
            source = SourceText.parse(text.substring(equals + 1), InputFiles::text);
        } catch (InputException e) {
            throw request.usage("--profile: " + e.getMessage());
        }
        if (equals == 0 || (equals < 0 && source.kind() != SourceText.Kind.MODERN)) {
            throw request.usage("--profile: \"" + text + "\" does not contain a scheduler name; write NAME="
                    + text.substring(equals + 1));
        }
        if (source.functions() || source.strict()) {
            throw request.usage("--profile: \"" + text + "\": run does not support legacy: and strict: (did you mean"
                    + " --strict-v1.17?)");
        }
        String name = equals < 0 ? request.schedulerName() : text.substring(0, equals);
        Release release = source.release();
        Optional<ProfileSources.Configured> configured = source.configuration(text, texts);
        if (release != null && configured.isPresent()) {
            throw request.usage(
                    "--profile: \"" + text + "\": run takes @" + release + " only after modern and policies");
        }
        if (release != null && source.isPolicy()) {
            new DecidingRelease(text, release).requireReadsPolicies();
            return source.kind() == SourceText.Kind.PROVIDER
                    ? ofProvider(name, source.value(), release)
                    : translated(name, new PolicyLoader(resolver, texts).raw(source), release);
        }
        if (source.kind() == SourceText.Kind.MODERN) {
            return release == null ? ofCluster(name) : modern(name, tell(text, release, warnings));
        }
        if (configured.isPresent()) {
            return ofConfigured(name, configured.get(), texts, warnings);
        }
        EffectivePolicy policy = new PolicyLoader(resolver, texts).load(source);
        warn(policy, warnings);
        return ProfileSettings.ofPolicy(name, policy, request.percentage());
    }

    /** The release whose semantics apply. */
    private static Release tell(String name, Release release, List<String> warnings) {
        DecidingRelease deciding = new DecidingRelease(name, release);
        deciding.tell(release, warnings::add);
        return deciding.rules();
    }

    /** One profile of a configuration, under another name. */
    private ProfileSettings ofConfigured(
            String name, ProfileSources.Configured configured, ProfileTexts texts, List<String> warnings) {
        try {
            SchedulerConfiguration configuration =
                    request.configurations().read(configured.text(), configured.file(), gates.release());
            configuration.warnings().forEach(warning -> warnings.add(warning.line(configuration.file())));
            ProfileConfiguration profile = ConfiguredProfile.of(configuration, configured.profile(), warnings::add);
            if (configuration.version() != ConfigVersion.V1ALPHA1) {
                return ofPlugins(configuration, profile, name).withSemantics(semantics(configuration));
            }
            PolicyResolver ofFile = request.policyOptions().resolver(algorithms, gates, configuration);
            EffectivePolicy policy = AlgorithmSources.effective(configuration, new PolicyLoader(ofFile, texts), texts);
            warn(policy, warnings);
            CheckedSource source = added(configuration, policy);
            PluginList plugins = PluginList.of(check(source), origins(configuration, policy));
            return ProfileSettings.ofPolicy(name, policy, configuration.percentageOfNodesToScore(profile))
                    .withSource(source.unchecked(plugins));
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        } catch (PluginException e) {
            throw new InputException(configured.file() + ": " + e.getMessage(), e);
        }
    }

    /** The default profile of the cluster's release, or of the nearest release with default plugins. */
    private ProfileSettings ofCluster(String schedulerName) {
        Release release = DecidingRelease.of(gates.release());
        return modern(schedulerName, release)
                .withSemantics("modern: decides as kube-scheduler " + release
                        + (release.equals(gates.release()) ? ", the release of the cluster" : "")
                        + "; modern@1.N selects a release");
    }

    /** The default profile of kube-scheduler without a configuration. */
    private ProfileSettings modern(String schedulerName, Release release) {
        SchedulerConfiguration configuration;
        try {
            configuration = ModernProfile.configuration(schedulerName, release);
        } catch (IllegalArgumentException e) {
            throw request.usage("--profile: " + e.getMessage());
        }
        try {
            return ofPlugins(configuration, configuration.profiles().get(0));
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        }
    }

    private List<ProfileSettings> ofConfiguration(Path file, ProfileTexts texts, List<String> warnings) {
        try {
            SchedulerConfiguration configuration = read(file, texts.file(file));
            configuration.warnings().forEach(warning -> warnings.add(warning.line(file.toString())));
            if (configuration.version() == ConfigVersion.V1ALPHA1) {
                return List.of(ofAlgorithmSource(configuration, texts, warnings));
            }
            List<ProfileSettings> profiles = new ArrayList<>();
            for (ProfileConfiguration profile : configuration.profiles()) {
                // A summary line for all profiles of the file.
                profiles.add(ofPlugins(configuration, profile)
                        .withSemantics(profiles.isEmpty() ? semantics(configuration) : ""));
            }
            return profiles;
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        } catch (PluginException e) {
            throw new InputException(file + ": " + e.getMessage(), e);
        }
    }

    private String semantics(SchedulerConfiguration configuration) {
        Release release = configuration.release();
        return configuration.file() + ": decides as kube-scheduler " + release
                + (release.equals(gates.release()) ? ", the release of the cluster" : "")
                + "; --release=1.N selects a release";
    }

    /** Profiles of a policy, to which plugins can be added. */
    private ProfileSettings ofAlgorithmSource(
            SchedulerConfiguration configuration, PolicyTexts texts, List<String> warnings)
            throws ConfigurationException {
        if (!request.source().release().equals(Release.V1_17)) {
            throw request.usage(
                    "--policy-release: " + configuration.file() + " has version v1alpha1, which is run as 1.17"
                            + " ran it; use --policy-config-file without --config");
        }
        EffectivePolicy policy = policyOf(configuration, texts);
        warn(policy, warnings);
        ProfileSettings plain = ProfileSettings.ofPolicy(request.schedulerName(), policy, request.percentage());
        CheckedSource source = added(configuration, policy);
        return plain.withSource(source.unchecked(PluginList.of(check(source), origins(configuration, policy))));
    }

    private static PluginList.Origins origins(SchedulerConfiguration configuration, EffectivePolicy policy) {
        return PluginList.Origins.of(
                policy,
                PluginList.Origins.of(configuration, configuration.profiles().get(0)));
    }

    /** A policy with the plugins of a v1alpha1 configuration behind it. */
    private CheckedSource added(SchedulerConfiguration configuration, EffectivePolicy policy) {
        return (cluster, waitingPods, clock, claims, api) -> AlgorithmSources.profile(
                policy, configuration, pluginsOf117, algorithms, cluster, waitingPods, clock, claims, api);
    }

    private EffectivePolicy policyOf(SchedulerConfiguration configuration, PolicyTexts texts) {
        if (configuration.algorithmSource() instanceof AlgorithmSource.EmptyPolicy
                && !request.source().isGiven()) {
            return AlgorithmSources.empty(configuration, new PolicyLoader(resolver, texts));
        }
        if (request.source().isProviderOf(configuration)) {
            return AlgorithmSources.provider(configuration, resolver);
        }
        return request.source().resolve(resolver, texts, request::usage);
    }

    private ProfileSettings ofPlugins(SchedulerConfiguration configuration, ProfileConfiguration profile)
            throws ConfigurationException {
        return ofPlugins(configuration, profile, profile.schedulerName());
    }

    private ProfileSettings ofPlugins(SchedulerConfiguration configuration, ProfileConfiguration profile, String name)
            throws ConfigurationException {
        return ofPlugins(configuration, profile, name, UnaryOperator.identity());
    }

    /** @param finish sets what a configuration cannot express */
    private ProfileSettings ofPlugins(
            SchedulerConfiguration configuration,
            ProfileConfiguration profile,
            String name,
            UnaryOperator<Profile> finish)
            throws ConfigurationException {
        CheckedSource source = (cluster, waitingPods, clock, claims, api) -> finish.apply(
                new ProfileBuilder(plugins, cluster, waitingPods, clock, claims, api).build(configuration, profile));
        Profile built = check(source);
        return new ProfileSettings(
                name,
                configuration.file(),
                built.plugins().size() + " plugins",
                built.plugins().stream().map(Plugin::name).toList(),
                source.unchecked(PluginList.of(built, PluginList.Origins.of(configuration, profile))),
                configuration.extenders(),
                false,
                gates,
                built.filters().stream().map(FilterPlugin::name).anyMatch("VolumeBinding"::equals),
                profile.percentageOfNodesToScore() == null ? request.percentage() : profile.percentageOfNodesToScore(),
                volumeTimeout(configuration, profile));
    }

    /** A plugin argument in these versions; 0 does not wait. Null if only the flag applies. */
    private static @Nullable Duration volumeTimeout(
            SchedulerConfiguration configuration, ProfileConfiguration profile) {
        return configuration
                .argumentsOf(profile, "VolumeBinding")
                .filter(PluginArguments::given)
                .map(arguments -> arguments.args().path("bindTimeoutSeconds"))
                .filter(JsonNode::isNumber)
                .map(seconds -> Duration.ofSeconds(seconds.asLong()))
                .orElse(null);
    }

    private static Profile check(CheckedSource source) throws ConfigurationException {
        ClusterState nothing = new ClusterState();
        Profile profile = source.create(
                nothing,
                WaitingPods.NONE,
                SteadyClock.system(),
                ClaimWriter.inMemory(nothing.assumedClaims()),
                ApiConnection.NONE);
        profile.close();
        return profile;
    }

    /** Creates a profile; an invalid configuration is an input error. */
    @FunctionalInterface
    private interface CheckedSource {
        Profile create(
                ClusterState cluster, WaitingPods waitingPods, Clock clock, ClaimWriter claims, ApiConnection api)
                throws ConfigurationException;

        /** The settings of a validated profile with these plugins. */
        default ProfileSettings.Source unchecked(PluginList plugins) {
            CheckedSource source = this;
            return new ProfileSettings.Source() {
                @Override
                public Profile create(ClusterState cluster, WaitingPods waitingPods, Clock clock, ClaimWriter claims) {
                    return create(cluster, waitingPods, clock, claims, ApiConnection.NONE);
                }

                @Override
                public Profile create(
                        ClusterState cluster,
                        WaitingPods waitingPods,
                        Clock clock,
                        ClaimWriter claims,
                        ApiConnection api) {
                    try {
                        return source.create(cluster, waitingPods, clock, claims, api);
                    } catch (ConfigurationException e) {
                        throw new IllegalStateException(e);
                    }
                }

                @Override
                public PluginList plugins() {
                    return plugins;
                }
            };
        }
    }

    /**
     * The command-line settings for the profiles of a scheduler.
     *
     * @param config the configuration file; null for none
     * @param configurations reads and validates configurations
     * @param schedulerName default name of a profile
     * @param givenName the name of the flag or environment variable; empty for none
     * @param source the source of the policy
     * @param profiles more profiles, as in {@code --profile}
     * @param percentage default percentage of nodes to score
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

        /** Reads and validates configurations. */
        @FunctionalInterface
        public interface Configurations {
            /**
             * Reads a configuration.
             *
             * @param cluster the release of the cluster, whose rules the profiles follow if it reads the version
             * @throws ConfigurationException if the text is invalid
             */
            SchedulerConfiguration read(String text, String file, Release cluster) throws ConfigurationException;
        }

        public ProfileRequest {
            profiles = List.copyOf(profiles);
        }

        ParameterException usage(String message) {
            return policyOptions.usage(message);
        }
    }
}
