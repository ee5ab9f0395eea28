package io.policyscheduler.framework.profile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.DefaultPlugins;
import io.policyscheduler.framework.config.PluginExpansion;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins.PluginIndex;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.PluginArguments;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.plugin.ApiConnection;
import io.policyscheduler.framework.plugin.BindPlugin;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PostBindPlugin;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.QueueSortPlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultBinder;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultPreemption;
import io.policyscheduler.framework.profile.InTreePlugins.LegacyPlugin;
import io.policyscheduler.framework.profile.InTreePlugins.PodGroupPlugin;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.profile.Profile.PartialReserve;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/** Builds the profiles of a configuration from registered plugins. Mirrors {@code NewFramework}. */
public final class ProfileBuilder {
    private final PluginRegistry registry;
    private final ClusterView cluster;
    private final WaitingPods waitingPods;
    private final Clock clock;
    private final ClaimWriter claimWriter;
    private final ApiConnection api;

    /**
     * A builder of profiles for simulations.
     *
     * @param cluster the cluster to schedule; not read before the first pod
     */
    public ProfileBuilder(PluginRegistry registry, ClusterView cluster, WaitingPods waitingPods, Clock clock) {
        this(registry, cluster, waitingPods, clock, ClaimWriter.inMemory(cluster.assumedClaims()));
    }

    /**
     * A builder.
     *
     * @param cluster the cluster to schedule; not read before the first pod
     */
    public ProfileBuilder(
            PluginRegistry registry,
            ClusterView cluster,
            WaitingPods waitingPods,
            Clock clock,
            ClaimWriter claimWriter) {
        this(registry, cluster, waitingPods, clock, claimWriter, ApiConnection.NONE);
    }

    /**
     * A builder for plugins that write to the API server.
     *
     * @param cluster the cluster to schedule; not read before the first pod
     */
    public ProfileBuilder(
            PluginRegistry registry,
            ClusterView cluster,
            WaitingPods waitingPods,
            Clock clock,
            ClaimWriter claimWriter,
            ApiConnection api) {
        this.api = api;
        this.claimWriter = claimWriter;
        this.registry = registry;
        this.cluster = cluster;
        this.waitingPods = waitingPods;
        this.clock = clock;
    }

    /**
     * Builds a profile of plugins, for versions after {@code v1alpha1}.
     *
     * @throws ConfigurationException if a plugin does not exist or does not implement its extension point
     * @throws PluginException if a plugin rejects its arguments
     */
    public Profile build(SchedulerConfiguration configuration, ProfileConfiguration profile)
            throws ConfigurationException {
        StateKeys keys = new StateKeys();
        return fill(
                Profile.builder(profile.schedulerName(), Family.MODERN, keys)
                        .release(configuration.release())
                        .bindsByDefault(false),
                configuration,
                profile,
                keys);
    }

    /**
     * The effective plugins of a profile.
     *
     * @throws ConfigurationException if a plugin does not exist or does not implement its extension point
     * @throws PluginException if a plugin rejects its arguments
     */
    public EffectivePlugins plugins(SchedulerConfiguration configuration, ProfileConfiguration profile)
            throws ConfigurationException {
        return new PluginExpansion(new Instances(configuration, profile, new StateKeys()))
                .expand(configuration, profile);
    }

    /**
     * Appends the plugins of a {@code v1alpha1} configuration to those of the policy.
     *
     * @param policy the profile of the policy, from {@link ProviderAdapter#start}
     * @param keys of that profile
     * @throws ConfigurationException if a plugin does not exist or does not implement its extension point
     * @throws PluginException if a plugin rejects its arguments
     */
    public Profile extend(Profile.Builder policy, StateKeys keys, SchedulerConfiguration configuration)
            throws ConfigurationException {
        return fill(policy, configuration, configuration.profiles().get(0), keys);
    }

    private Profile fill(
            Profile.Builder profile,
            SchedulerConfiguration configuration,
            ProfileConfiguration settings,
            StateKeys keys)
            throws ConfigurationException {
        Instances instances = new Instances(configuration, settings, keys);
        EffectivePlugins plugins = new PluginExpansion(instances).expand(configuration, settings);
        boolean v1alpha1 = configuration.version() == ConfigVersion.V1ALPHA1;
        // Up to v1alpha1, PostFilter was what is now PreScore.
        List<String> postFilters = v1alpha1 ? List.of() : plugins.at(ExtensionPoint.POST_FILTER);
        List<String> preScores =
                v1alpha1 ? plugins.at(ExtensionPoint.POST_FILTER) : plugins.at(ExtensionPoint.PRE_SCORE);
        instances.each(
                instances.thatAre(PreEnqueuePlugin.class, plugins.at(ExtensionPoint.PRE_ENQUEUE)),
                PreEnqueuePlugin.class,
                profile::preEnqueue);
        instances.each(plugins.at(ExtensionPoint.QUEUE_SORT), QueueSortPlugin.class, profile::queueSort);
        instances.each(
                instances.withHalves(
                        plugins.at(ExtensionPoint.PRE_FILTER),
                        plugins.at(ExtensionPoint.FILTER),
                        PreFilterPlugin.class),
                PreFilterPlugin.class,
                profile::preFilter);
        instances.each(plugins.at(ExtensionPoint.FILTER), FilterPlugin.class, profile::filter);
        instances.each(postFilters, PostFilterPlugin.class, profile::postFilter);
        if (configuration.version() == ConfigVersion.V1ALPHA2) {
            // DefaultPreemption is a plugin since 1.19.
            profile.postFilter(new DefaultPreemption());
        }
        instances.each(
                instances.withHalves(preScores, plugins.at(ExtensionPoint.SCORE), PreScorePlugin.class),
                PreScorePlugin.class,
                profile::preScore);
        for (String name : plugins.at(ExtensionPoint.SCORE)) {
            long weight = plugins.scoreWeights().getOrDefault(name, 1);
            instances.each(List.of(name), ScorePlugin.class, plugin -> profile.score(plugin, weight));
        }
        reserves(plugins, instances, v1alpha1).forEach(profile::reserve);
        instances.each(plugins.at(ExtensionPoint.PERMIT), PermitPlugin.class, profile::permit);
        instances.each(plugins.at(ExtensionPoint.PRE_BIND), PreBindPlugin.class, profile::preBind);
        for (String name : plugins.at(ExtensionPoint.BIND)) {
            if (name.equals(DefaultBinder.NAME)) {
                profile.bindsByDefault(true);
                // The default binder never skips, so plugins after it never run.
                break;
            }
            instances.each(List.of(name), BindPlugin.class, profile::bind);
        }
        instances.each(plugins.at(ExtensionPoint.POST_BIND), PostBindPlugin.class, profile::postBind);
        Profile built = profile.build();
        rejectDuplicates("FilterPlugin", built.filters());
        rejectDuplicates(
                "ScorePlugin",
                built.scores().stream().map(Profile.WeightedScore::plugin).toList());
        return built;
    }

    /** Rejects a plugin that is listed twice. Plugins of the policy may be listed again. */
    private static void rejectDuplicates(String typeName, List<? extends Plugin> plugins) {
        Set<String> names = new HashSet<>();
        for (Plugin plugin : plugins) {
            if (!names.add(plugin.name())) {
                throw new PluginException("error initializing the scheduling framework: plugin \"" + plugin.name()
                        + "\" already registered as \"" + typeName + "\"");
            }
        }
    }

    /** The reserve plugins. In the first versions, Reserve and Unreserve were separate. */
    private static List<ReservePlugin> reserves(EffectivePlugins plugins, Instances instances, boolean v1alpha1) {
        ArrayList<ReservePlugin> reserves = new ArrayList<>();
        List<String> names = plugins.at(ExtensionPoint.RESERVE);
        if (!v1alpha1) {
            instances.each(names, ReservePlugin.class, reserves::add);
            return reserves;
        }
        instances.each(
                names,
                ReservePlugin.class,
                plugin -> reserves.add(
                        new PartialReserve(plugin, true, plugins.unreserve().contains(plugin.name()))));
        for (String name : plugins.unreserve()) {
            if (!names.contains(name)) {
                instances.each(
                        List.of(name),
                        ReservePlugin.class,
                        plugin -> reserves.add(new PartialReserve(plugin, false, true)));
            }
        }
        return reserves;
    }

    /** Creates each plugin once, on first use. */
    private final class Instances implements PluginIndex {
        private final SchedulerConfiguration configuration;
        private final ProfileConfiguration settings;
        private final StateKeys keys;
        private final Map<String, Plugin> made = new HashMap<>();

        Instances(SchedulerConfiguration configuration, ProfileConfiguration settings, StateKeys keys) {
            this.configuration = configuration;
            this.settings = settings;
            this.keys = keys;
        }

        @Override
        public boolean exists(String plugin) {
            return registry.find(plugin) != null
                    && PluginNames.isIn(plugin, configuration.version())
                    && PluginNames.isIn(plugin, configuration.release());
        }

        @Override
        public List<String> names() {
            return registry.names().stream().filter(this::exists).sorted().toList();
        }

        @Override
        public boolean implementsPoint(String plugin, ExtensionPoint point) {
            boolean asPreScore =
                    point == ExtensionPoint.POST_FILTER && configuration.version() == ConfigVersion.V1ALPHA1;
            return PluginPoints.implementsPoint(get(plugin), asPreScore ? ExtensionPoint.PRE_SCORE : point);
        }

        <T extends Plugin> void each(List<String> names, Class<T> type, Consumer<T> consumer) {
            names.forEach(name -> consumer.accept(type.cast(get(name))));
        }

        List<String> thatAre(Class<? extends Plugin> type, List<String> names) {
            return names.stream().filter(name -> type.isInstance(get(name))).toList();
        }

        /**
         * The plugins of a preparing extension point (PreFilter, PreScore), and those that only the following point lists although
         * they prepare: plugins that wrap an algorithm of 1.17, which had shared metadata, and in older versions in-tree plugins,
         * which had no preparing step in the releases of those versions.
         */
        List<String> withHalves(List<String> before, List<String> after, Class<? extends Plugin> preparing) {
            boolean older = !configuration.version().atLeast(ConfigVersion.V1BETA3);
            List<String> all = new ArrayList<>(before);
            for (String name : after) {
                Plugin plugin = get(name);
                boolean grown = older && DefaultPlugins.isDefault(name) && preparing.isInstance(plugin);
                if (!before.contains(name) && (grown || plugin instanceof LegacyPlugin)) {
                    all.add(name);
                }
            }
            return all;
        }

        private Plugin get(String name) {
            Plugin known = made.get(name);
            if (known != null) {
                return known;
            }
            PluginFactory factory = Objects.requireNonNull(registry.find(name));
            JsonNode args = configuration
                    .argumentsOf(settings, name)
                    .map(PluginArguments::args)
                    .orElse(MissingNode.getInstance());
            Plugin plugin;
            try {
                plugin = factory.create(new Handle(
                        settings.schedulerName(),
                        args,
                        keys,
                        cluster,
                        waitingPods,
                        claimWriter,
                        clock,
                        configuration.release(),
                        api));
            } catch (RuntimeException e) {
                throw new PluginException(initializing(name) + e.getMessage(), e);
            }
            made.put(name, plugin);
            return plugin;
        }

        private String initializing(String name) {
            return configuration.version() == ConfigVersion.V1ALPHA1
                    ? "error initializing the scheduling framework: error initializing plugin \"" + name + "\": "
                    : "initializing profiles: creating profile for scheduler name " + settings.schedulerName()
                            + ": initializing plugin \"" + name + "\": ";
        }
    }

    private record Handle(
            String profile,
            JsonNode args,
            StateKeys stateKeys,
            ClusterView cluster,
            WaitingPods waitingPods,
            ClaimWriter claimWriter,
            Clock clock,
            Release release,
            ApiConnection api)
            implements ClaimWriter.Handle {}

    /** The interface of each extension point. */
    static final class PluginPoints {
        /**
         * In-tree plugins that implement PreEnqueue in current releases. A plugin here without a PreEnqueue implementation is not
         * called.
         */
        private static final Set<String> PRE_ENQUEUE = Set.of(DefaultPreemption.NAME, "DynamicResources");

        private PluginPoints() {}

        /** True if the plugin implements the extension point. */
        public static boolean implementsPoint(Plugin plugin, ExtensionPoint point) {
            return switch (point) {
                case PRE_ENQUEUE -> plugin instanceof PreEnqueuePlugin || PRE_ENQUEUE.contains(plugin.name());
                case PRE_FILTER -> plugin instanceof PreFilterPlugin;
                case FILTER -> plugin instanceof FilterPlugin;
                case RESERVE -> plugin instanceof ReservePlugin;
                case POST_FILTER -> plugin instanceof PostFilterPlugin;
                case PRE_SCORE -> plugin instanceof PreScorePlugin;
                case SCORE -> plugin instanceof ScorePlugin;
                case PRE_BIND -> plugin instanceof PreBindPlugin;
                case BIND -> plugin instanceof BindPlugin;
                case POST_BIND -> plugin instanceof PostBindPlugin;
                case PERMIT -> plugin instanceof PermitPlugin;
                case QUEUE_SORT -> plugin instanceof QueueSortPlugin;
                case PLACEMENT_GENERATE -> plugin instanceof PodGroupPlugin group && group.generatesPlacements();
                case PLACEMENT_SCORE ->
                    plugin.name().equals(PluginNames.NODE_RESOURCES_FIT)
                            || (plugin instanceof PodGroupPlugin group && group.scoresPlacements());
            };
        }
    }
}
