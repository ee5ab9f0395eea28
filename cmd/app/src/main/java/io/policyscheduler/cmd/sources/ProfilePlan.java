package io.policyscheduler.cmd.sources;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.PluginList;
import io.policyscheduler.cmd.live.PolicyReloader;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.cmd.sources.PolicyLoader.ProfileTexts;
import io.policyscheduler.cmd.sources.ProfileResolver.Configured;
import io.policyscheduler.cmd.sources.ProfileResolver.Resolved;
import io.policyscheduler.cmd.sources.ReleaseOptions.SchedulerRelease;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.InputDocument;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.AlgorithmSource;
import io.policyscheduler.framework.config.SchedulerConfiguration.PluginArguments;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.profile.Profile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;

/** The profiles according to the flags and their files. It can be loaded again after a file has changed. */
public final class ProfilePlan {
    private final ProfileRequest request;
    private final PolicyResolver resolver;
    private final FeatureGates gates;
    private final ProfileResolver profileResolver;

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
        this.request = request;
        gates = request.releaseOptions().unknown(request.policyOptions().gates());
        request.policyOptions().withoutMeasuredValues();
        profileResolver = new ProfileResolver(gates, request.plugins());
        resolver = request.policyOptions().resolver(profileResolver.algorithms(), gates);
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

    /** The same flags for a cluster with other gates. */
    private ProfilePlan(ProfilePlan plan, FeatureGates gates) {
        this.request = plan.request;
        this.gates = gates;
        this.canary = plan.canary;
        this.profileResolver = plan.profileResolver.in(gates);
        this.resolver = request.policyOptions().resolver(profileResolver.algorithms(), gates);
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
        return request.config() == null ? List.of() : ofConfiguration(request.config(), PolicyTexts.FILES, warnings);
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
            throw new ClusterFailure(connection.failure(e), e);
        }
        FeatureGates inCluster =
                request.releaseOptions().in(found, request.policyOptions().gates());
        Loaded loaded = inCluster.equals(gates) ? asIfNewest : new ProfilePlan(this, inCluster).read(connection);
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
            ProfileResolver.warn(policy, warnings::add);
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
        return ofPlugins(profileResolver.clusterAutoscaler(release), schedulerName);
    }

    /** A policy as 1.18 to 1.22 ran it. */
    private ProfileSettings translated(String schedulerName, Policy policy, Release release) {
        return ofPlugins(profileResolver.translated(policy, release, schedulerName), schedulerName)
                .ofTranslatedPolicy(release, ExtenderConfig.inCallOrder(policy.extenders()));
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
        Optional<Configured> configured = source.configuration(text, texts);
        if (release != null && configured.isPresent()) {
            throw request.usage(
                    "--profile: \"" + text + "\": run takes @" + release + " only after modern and policies");
        }
        if (release != null && source.isPolicy()) {
            new SchedulerRelease(text, release).requireReadsPolicies();
            return source.kind() == SourceText.Kind.PROVIDER
                    ? ofProvider(name, source.value(), release)
                    : translated(name, new PolicyLoader(resolver, texts).raw(source), release);
        }
        if (source.kind() == SourceText.Kind.MODERN) {
            return release == null ? ofCluster(name) : modern(name, rules(text, release, warnings));
        }
        if (configured.isPresent()) {
            return ofConfigured(name, configured.get(), texts, warnings);
        }
        EffectivePolicy policy = new PolicyLoader(resolver, texts).load(source);
        ProfileResolver.warn(policy, warnings::add);
        return ProfileSettings.ofPolicy(name, policy, request.percentage());
    }

    /** The release whose semantics apply. */
    private static Release rules(String name, Release release, List<String> warnings) {
        SchedulerRelease scheduler = new SchedulerRelease(name, release);
        scheduler.warn(release, warnings::add);
        return scheduler.rules();
    }

    /** One profile of a configuration, under another name. */
    private ProfileSettings ofConfigured(
            String name, Configured configured, ProfileTexts texts, List<String> warnings) {
        return ProfileResolver.accepted(configured.file(), () -> {
            SchedulerConfiguration configuration =
                    request.configurations().read(configured.text(), configured.file(), gates.release());
            if (configuration.version() != ConfigVersion.V1ALPHA1) {
                ProfileResolver.warn(configuration, warnings::add);
                ProfileConfiguration profile = configured.in(configuration, warnings::add);
                return ofPlugins(profileResolver.plugins(configuration, profile), name)
                        .withSemantics(semantics(configuration));
            }
            ProfileConfiguration profile = configured.in(configuration, warnings::add);
            EffectivePolicy policy =
                    profileResolver.policy(configuration, request.policyOptions(), gates, texts, warnings::add);
            return ofPolicy(name, policy, configuration.percentageOfNodesToScore(profile), configuration);
        });
    }

    /** The default profile of the cluster's release, or of the nearest release with default plugins. */
    private ProfileSettings ofCluster(String schedulerName) {
        Release release = SchedulerRelease.of(gates.release());
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
        return ProfileResolver.accepted(configuration.file(), () -> {
            Resolved resolved = profileResolver.plugins(
                    configuration, configuration.profiles().get(0));
            return ofPlugins(resolved, schedulerName);
        });
    }

    /** @param texts files only to check the file without a cluster */
    private List<ProfileSettings> ofConfiguration(Path file, PolicyTexts texts, List<String> warnings) {
        return ProfileResolver.accepted(file.toString(), () -> {
            SchedulerConfiguration configuration = read(file, texts.file(file));
            ProfileResolver.warn(configuration, warnings::add);
            if (configuration.version() == ConfigVersion.V1ALPHA1) {
                return ofAlgorithmSource(configuration, texts, warnings);
            }
            List<ProfileSettings> settings = new ArrayList<>();
            for (ProfileConfiguration profile : configuration.profiles()) {
                // A summary line for all profiles of the file.
                settings.add(ofPlugins(profileResolver.plugins(configuration, profile), profile.schedulerName())
                        .withSemantics(settings.isEmpty() ? semantics(configuration) : ""));
            }
            return settings;
        });
    }

    private String semantics(SchedulerConfiguration configuration) {
        Release release = configuration.release();
        return configuration.file() + ": decides as kube-scheduler " + release
                + (release.equals(gates.release()) ? ", the release of the cluster" : "")
                + "; --release=1.N selects a release";
    }

    /** The profile of a policy, to which plugins can be added; none for a policy that is not checked. */
    private List<ProfileSettings> ofAlgorithmSource(
            SchedulerConfiguration configuration, PolicyTexts texts, List<String> warnings)
            throws ConfigurationException {
        PolicySourceOptions source = request.source();
        if (texts == PolicyTexts.FILES && !source.configMap().isEmpty() && !source.useFile()) {
            warnings.add(configuration.file() + ": note: the policy in the ConfigMap " + source.configMapNamespace()
                    + "/" + source.configMap() + " is not checked");
            return List.of();
        }
        if (!source.release().equals(Release.V1_17)) {
            throw request.usage(
                    "--policy-release: " + configuration.file() + " has version v1alpha1, which is run as 1.17"
                            + " ran it; use --policy-config-file without --config");
        }
        EffectivePolicy policy = policyOf(configuration, texts);
        ProfileResolver.warn(policy, warnings::add);
        return List.of(ofPolicy(request.schedulerName(), policy, request.percentage(), configuration));
    }

    /** A policy with the plugins of a {@code v1alpha1} configuration behind it. */
    private ProfileSettings ofPolicy(
            String name, EffectivePolicy policy, int percentage, SchedulerConfiguration configuration)
            throws ConfigurationException {
        Resolved resolved = profileResolver.withPlugins(policy, configuration);
        PluginList.Origins origins =
                PluginList.Origins.of(policy, PluginList.Origins.of(configuration, resolved.profile()));
        return ProfileSettings.ofPolicy(name, policy, percentage)
                .withPlugins(resolved.factory(), PluginList.of(resolved.sample(), origins));
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

    private ProfileSettings ofPlugins(Resolved resolved, String name) {
        SchedulerConfiguration configuration = resolved.configuration();
        ProfileConfiguration profile = resolved.profile();
        Profile sample = resolved.sample();
        PluginList list = PluginList.of(sample, PluginList.Origins.of(configuration, profile));
        return new ProfileSettings(
                name,
                configuration.file(),
                sample.plugins().size() + " plugins",
                sample.plugins().stream().map(Plugin::name).toList(),
                new ProfileSettings.Source(resolved.factory(), null, () -> list),
                configuration.extenders(),
                false,
                gates,
                resolved.hasFilter("VolumeBinding"),
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
