package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Lists;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.QualifiedNames;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ManagedResource;
import io.policyscheduler.engine.policy.ExtenderReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ProfilePlugins.PluginEntry;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.config.SchedulerConfiguration.BindAddress;
import io.policyscheduler.framework.config.SchedulerConfiguration.LeaderElectionSettings;
import io.policyscheduler.framework.config.SchedulerConfiguration.PluginArguments;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds all invalid values of a configuration. Mirrors {@code ValidateKubeSchedulerConfiguration} in texts, paths and order. Also
 * reports what plugins reject in their constructors, with the messages of the constructors.
 */
public final class ConfigurationValidator {
    /** The settings that Kubernetes validates, at their place in its order. */
    private static final Set<Setting> IN_ORDER = Set.of(
            Settings.BURST, Settings.PARALLELISM, Settings.HARD_WEIGHT, Settings.PERCENTAGE, Settings.INITIAL_BACKOFF);

    /**
     * Returns every problem in the order of Kubernetes; empty if the configuration is valid. Errors of plugin constructors are
     * included only if there is no other problem.
     */
    public List<Problem> validate(SchedulerConfiguration configuration) {
        return errors(configuration).all();
    }

    private static FieldErrors errors(SchedulerConfiguration configuration) {
        FieldErrors errors = new FieldErrors(configuration, configuration.release());
        if (configuration.version() == ConfigVersion.V1ALPHA1) {
            v1alpha1(configuration, errors);
        } else {
            profiled(configuration, errors);
        }
        others(configuration, errors);
        return errors;
    }

    /**
     * Validates a configuration.
     *
     * @throws ConfigurationException with the problems of {@link #validate}, if there is one
     */
    public void check(SchedulerConfiguration configuration) throws ConfigurationException {
        errors(configuration).check();
    }

    private static void others(SchedulerConfiguration configuration, FieldErrors errors) {
        for (Setting setting : Settings.all()) {
            String given = configuration.given().get(setting.field());
            if (given != null && setting.range() != null && !IN_ORDER.contains(setting)) {
                range(setting, Long.parseLong(given), errors);
            }
        }
    }

    private static void v1alpha1(SchedulerConfiguration configuration, FieldErrors errors) {
        client(configuration, errors);
        leaderElection(configuration, "leaderElectionConfiguration", errors);
        if (configuration.profiles().get(0).schedulerName().isEmpty()) {
            errors.required("schedulerName", "");
        }
        addresses(configuration, errors);
        range(Settings.HARD_WEIGHT, configuration.value(Settings.HARD_WEIGHT).asInt(), errors);
        backoffAndPercentage(configuration, errors);
    }

    private static void profiled(SchedulerConfiguration configuration, FieldErrors errors) {
        client(configuration, errors);
        leaderElection(configuration, "leaderElection", errors);
        if (configuration.version().atLeast(ConfigVersion.V1BETA3)
                && SchedulerChange.LEASES_ONLY.in(configuration.release())
                && configuration.leaderElection().leaderElect()
                && !configuration.leaderElection().resourceLock().equals("leases")) {
            errors.invalid(
                    "leaderElection.resourceLock",
                    configuration.leaderElection().resourceLock(),
                    "resourceLock value must be \"leases\"");
        }
        range(Settings.PARALLELISM, configuration.value(Settings.PARALLELISM).asInt(), errors);
        profiles(configuration, errors);
        addresses(configuration, errors);
        backoffAndPercentage(configuration, errors);
        extenders(configuration, errors);
    }

    private static void client(SchedulerConfiguration configuration, FieldErrors errors) {
        range(Settings.BURST, configuration.value(Settings.BURST).asInt(), errors);
    }

    private static void leaderElection(SchedulerConfiguration configuration, String path, FieldErrors errors) {
        LeaderElectionSettings election = configuration.leaderElection();
        if (!election.leaderElect()) {
            return;
        }
        boolean old = configuration.version() == ConfigVersion.V1ALPHA1;
        positive(path + ".leaseDuration", election.leaseDuration(), errors);
        positive(path + ".renewDeadline", election.renewDeadline(), errors);
        positive(path + ".retryPeriod", election.retryPeriod(), errors);
        int order = election.leaseDuration().compareTo(election.renewDeadline());
        if (order < 0 || (order == 0 && !old)) {
            // Kubernetes prints the renew deadline here, although the path is that of the lease duration.
            errors.invalid(
                    path + ".leaseDuration",
                    election.renewDeadline(),
                    old ? "LeaseDuration must be greater than RenewDeadline" : "must be greater than `RenewDeadline`");
        }
    }

    private static void positive(String path, Duration value, FieldErrors errors) {
        if (value.isNegative() || value.isZero()) {
            errors.invalid(path, value, "must be greater than zero");
        }
    }

    private static void addresses(SchedulerConfiguration configuration, FieldErrors errors) {
        address("healthzBindAddress", configuration.healthzBindAddress(), errors);
        address("metricsBindAddress", configuration.metricsBindAddress(), errors);
    }

    private static void address(String path, @Nullable String address, FieldErrors errors) {
        if (address != null) {
            BindAddress.problems(address).forEach(problem -> errors.invalid(path, address, problem));
        }
    }

    private static void backoffAndPercentage(SchedulerConfiguration configuration, FieldErrors errors) {
        percentage(Settings.PERCENTAGE.field(), configuration.percentageOfNodesToScore(), errors);
        long initial = configuration.value(Settings.INITIAL_BACKOFF).asLong();
        long max = configuration.value(Settings.MAX_BACKOFF).asLong();
        range(Settings.INITIAL_BACKOFF, initial, errors);
        if (max < initial) {
            errors.invalid(Settings.MAX_BACKOFF.field(), max, Settings.LESS_THAN_INITIAL);
        }
    }

    private static void percentage(String path, @Nullable Integer value, FieldErrors errors) {
        if (value != null) {
            Settings.PERCENTAGE.problem(value).ifPresent(problem -> errors.invalid(path, value, problem));
        }
    }

    private static void range(Setting setting, long value, FieldErrors errors) {
        setting.problem(value).ifPresent(problem -> errors.invalid(setting.field(), value, problem));
    }

    private static void profiles(SchedulerConfiguration configuration, FieldErrors errors) {
        ProfileValidator validator = new ProfileValidator(configuration, errors);
        Map<String, Integer> names = new HashMap<>();
        for (int i = 0; i < configuration.profiles().size(); i++) {
            ProfileConfiguration profile = configuration.profiles().get(i);
            String path = "profiles[" + i + "]";
            if (profile.schedulerName().isEmpty()) {
                errors.required(path + ".schedulerName", "");
            }
            percentage(path + "." + Settings.PERCENTAGE.field(), profile.percentageOfNodesToScore(), errors);
            validator.validate(profile, path);
            Integer earlier = names.put(profile.schedulerName(), i);
            if (earlier != null) {
                errors.duplicateOf(path + ".schedulerName", "profiles[" + earlier + "].schedulerName");
            }
        }
        validator.queueSort();
    }

    private static void extenders(SchedulerConfiguration configuration, FieldErrors errors) {
        int binders = 0;
        Set<String> managed = new HashSet<>();
        for (int i = 0; i < configuration.extenders().size(); i++) {
            ExtenderConfig extender = configuration.extenders().get(i);
            String path = "extenders[" + i + "]";
            if (!extender.prioritizeVerb().isEmpty() && extender.weight() <= 0) {
                errors.invalid(path + ".weight", extender.weight(), "must have a positive weight applied to it");
            }
            binders += extender.bindVerb().isEmpty() ? 0 : 1;
            for (int j = 0; j < extender.managedResources().size(); j++) {
                ManagedResource resource = extender.managedResources().get(j);
                String namePath = path + ".managedResources[" + j + "].name";
                resourceProblems(resource.name())
                        .forEach(problem -> errors.invalid(namePath, resource.name(), problem));
                if (!managed.add(resource.name())) {
                    errors.invalid(namePath, resource.name(), "duplicate extender managed resource name");
                }
            }
        }
        if (binders > 1) {
            errors.invalid(
                    "extenders",
                    "found " + binders + " extenders implementing bind",
                    "only one extender can implement bind");
        }
        for (ExtenderConfig extender : Lists.reverse(configuration.extenders())) {
            String problem = ExtenderReader.tlsProblem(extender, false);
            if (problem != null) {
                errors.beforeStartup("couldn't build extenders: " + problem, extender.position());
            }
        }
        boolean noFit = configuration.profiles().stream()
                .anyMatch(profile ->
                        profile.argumentsOf(PluginNames.NODE_RESOURCES_FIT).isEmpty());
        if (noFit && !configuration.ignoredByScheduler().isEmpty()) {
            SourcePosition position = configuration.positions().nearest("extenders");
            errors.beforeStartup("can't find NodeResourcesFitArgs in plugin config", position);
        }
    }

    private static List<String> resourceProblems(String name) {
        List<String> problems = new ArrayList<>(QualifiedNames.problems(name));
        if (problems.isEmpty() && !QualifiedNames.isExtendedResource(name)) {
            problems.add("is an invalid extended resource name");
        }
        return problems;
    }

    /** Validates the plugins of profiles: names that a version has removed, arguments, and a common queue sort plugin. */
    static final class ProfileValidator {
        private static final String SAME = "must be the same for all profiles";
        private static final String MATCH = "has to match for all profiles";

        private final SchedulerConfiguration configuration;
        private final FieldErrors errors;

        ProfileValidator(SchedulerConfiguration configuration, FieldErrors errors) {
            this.configuration = configuration;
            this.errors = errors;
        }

        void validate(ProfileConfiguration profile, String path) {
            for (ExtensionPoint point : ProfilePlugins.POINTS) {
                List<PluginEntry> enabled = profile.plugins().at(point).enabled();
                for (int i = 0; i < enabled.size(); i++) {
                    String dropped = dropped(enabled.get(i).name());
                    if (dropped != null) {
                        errors.invalid(
                                path + ".plugins." + point.key() + ".enabled[" + i + "]",
                                enabled.get(i).name(),
                                dropped,
                                enabled.get(i).position());
                    }
                }
            }
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < profile.arguments().size(); i++) {
                PluginArguments arguments = profile.arguments().get(i);
                if (arguments.given()) {
                    arguments(profile, arguments, path + ".pluginConfig[" + i + "]", !seen.add(arguments.name()));
                }
            }
        }

        private void arguments(ProfileConfiguration profile, PluginArguments arguments, String path, boolean repeated) {
            String plugin = arguments.name();
            String scheduler = profile.schedulerName();
            if (repeated && configuration.version().atLeast(ConfigVersion.V1BETA2)) {
                errors.duplicate(path, plugin);
            } else if (repeated) {
                errors.plain(
                        StartupText.profile(scheduler) + "repeated config for plugin " + plugin, arguments.position());
            }
            String dropped = dropped(plugin);
            if (dropped != null) {
                errors.invalid(path, plugin, dropped);
                return;
            }
            ArgumentsValidator validator = new ArgumentsValidator(errors, path + ".args", configuration.release());
            if (SchedulerChange.ARGUMENTS_BEFORE_PLUGINS.in(configuration.release())
                    && !plugin.equals(PluginNames.NODE_RESOURCES_FIT)) {
                validator.validate(plugin, arguments.args());
            } else if (profile.plugins().sets().anyMatch(set -> set.enables(plugin))) {
                // Later releases look up the arguments of NodeResourcesFit under a wrong name, so only the plugin
                // itself reports the problems.
                errors.atStartup(
                        StartupText.plugin(scheduler, plugin),
                        path + ".args",
                        () -> validator.validate(plugin, arguments.args()));
            }
        }

        /** The reason why the version does not have a plugin, null if it has it. */
        private @Nullable String dropped(String plugin) {
            ConfigVersion version = configuration.version();
            Release release = configuration.release();
            ConfigVersion since;
            if (version == ConfigVersion.V1) {
                // 1.34 reports them as unknown because its version has no list of plugins that earlier versions
                // removed.
                boolean isLimit = SchedulerChange.LIMITS_OF_CSI_ONLY.in(release)
                        && PluginNames.IN_TREE_VOLUME_LIMITS.contains(plugin);
                boolean listed = isLimit
                        || (plugin.equals(PluginNames.SELECTOR_SPREAD)
                                && !SchedulerChange.NO_SELECTOR_SPREAD.in(release));
                since = listed ? ConfigVersion.V1 : null;
            } else {
                // A release that does not support the version also gets the reason.
                boolean isKnown =
                        !SchedulerChange.REMOVED_PLUGINS_ARE_UNKNOWN.in(release) || !version.isReadBy(release);
                boolean listed = isKnown
                        && version.atLeast(ConfigVersion.V1BETA2)
                        && PluginNames.REMOVED_IN_V1BETA2.contains(plugin);
                since = listed ? ConfigVersion.V1BETA2 : null;
            }
            return since == null
                    ? null
                    : (SchedulerChange.REMOVED_PLUGINS_ARE_UNKNOWN.in(release) ? "was invalid" : "was removed")
                            + " in version "
                            + GoText.quote(nameOf(since))
                            + " (KubeSchedulerConfiguration is version " + GoText.quote(version.apiVersion()) + ")";
        }

        /** The name of a version in messages. 1.34 prints the version of pods, which has no group. */
        private static String nameOf(ConfigVersion version) {
            return version == ConfigVersion.V1 ? "v1" : version.apiVersion();
        }

        /** All profiles share one queue, so they must have the same queue sort plugin. */
        void queueSort() {
            List<ProfileConfiguration> profiles = configuration.profiles();
            PluginSet first = profiles.get(0).plugins().at(ExtensionPoint.QUEUE_SORT);
            if (first.enabled().size() > 1) {
                errors.invalid(
                        "profiles[0].plugins.queueSort.Enabled",
                        first.enabled().size(),
                        "only one queue sort plugin can be enabled");
            }
            String plugin =
                    first.enabled().isEmpty() ? "" : first.enabled().get(0).name();
            Optional<JsonNode> args = profiles.get(0).argumentsOf(plugin).map(PluginArguments::args);
            Release release = configuration.release();
            boolean isToday = SchedulerChange.ONE_QUEUE_SORT_TEXT.in(release);
            boolean namesPoint = SchedulerChange.ONE_QUEUE_SORT.in(release);
            for (int i = 1; i < profiles.size(); i++) {
                PluginSet other = profiles.get(i).plugins().at(ExtensionPoint.QUEUE_SORT);
                if (!FieldErrors.GoValue.of(other).equals(FieldErrors.GoValue.of(first))) {
                    errors.invalid(
                            "profiles[" + i + "].plugins.queueSort",
                            FieldErrors.GoValue.of(other),
                            isToday ? SAME : namesPoint ? "queueSort " + SAME : MATCH);
                }
                Optional<JsonNode> otherArgs =
                        profiles.get(i).argumentsOf(plugin).map(PluginArguments::args);
                if (otherArgs.isPresent() && !otherArgs.equals(args)) {
                    String json = otherArgs.get().toString();
                    errors.invalid(
                            "profiles[" + i + "].pluginConfig.args",
                            new FieldErrors.GoValue(json, json),
                            namesPoint ? "queueSort " + SAME : MATCH);
                }
            }
        }
    }

    /** The prefixes of kube-scheduler for errors that occur while it builds its profiles. */
    static final class StartupText {
        private StartupText() {}

        static String profile(String schedulerName) {
            return "initializing profiles: creating profile for scheduler name " + schedulerName + ": ";
        }

        static String plugin(String schedulerName, String plugin) {
            return profile(schedulerName) + "initializing plugin " + GoText.quote(plugin) + ": ";
        }
    }
}
