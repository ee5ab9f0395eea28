package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.framework.config.setting.ConfigVersion;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks the plugins of profiles: names that a version has dropped, arguments, and one queue order for all. */
final class ProfileValidator {
    private static final Set<String> DROPPED_IN_V1BETA2 = Set.of(
            PluginNames.NODE_LABEL,
            PluginNames.SERVICE_AFFINITY,
            PluginNames.NODE_PREFER_AVOID_PODS,
            PluginNames.NODE_RESOURCES_LEAST,
            PluginNames.NODE_RESOURCES_MOST,
            PluginNames.REQUESTED_TO_CAPACITY_RATIO);
    /** By 1.34, which has forgotten the names that earlier versions dropped; they do not exist there. */
    private static final Set<String> DROPPED_IN_V1 = Set.of(
            PluginNames.AZURE_DISK_LIMITS,
            PluginNames.CINDER_LIMITS,
            PluginNames.EBS_LIMITS,
            PluginNames.GCE_PD_LIMITS);

    private static final List<ExtensionPoint> POINTS = List.of(
            ExtensionPoint.PRE_ENQUEUE,
            ExtensionPoint.QUEUE_SORT,
            ExtensionPoint.PRE_FILTER,
            ExtensionPoint.FILTER,
            ExtensionPoint.POST_FILTER,
            ExtensionPoint.PRE_SCORE,
            ExtensionPoint.SCORE,
            ExtensionPoint.RESERVE,
            ExtensionPoint.PERMIT,
            ExtensionPoint.PRE_BIND,
            ExtensionPoint.BIND,
            ExtensionPoint.POST_BIND);

    private final SchedulerConfiguration configuration;
    private final FieldErrors errors;

    ProfileValidator(SchedulerConfiguration configuration, FieldErrors errors) {
        this.configuration = configuration;
        this.errors = errors;
    }

    void validate(ProfileConfiguration profile, String path) {
        for (ExtensionPoint point : POINTS) {
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
            errors.plain(StartupText.profile(scheduler) + "repeated config for plugin " + plugin, arguments.position());
        }
        String dropped = dropped(plugin);
        if (dropped != null) {
            errors.invalid(path, plugin, dropped);
            return;
        }
        ArgumentsValidator validator = new ArgumentsValidator(errors, path + ".args");
        if (!plugin.equals(PluginNames.NODE_RESOURCES_FIT)) {
            validator.validate(plugin, arguments.args());
        } else if (profile.plugins().sets().anyMatch(set -> set.enables(plugin))) {
            // Kubernetes looks for these arguments under a wrong name, so only the plugin itself finds the problems.
            errors.atStartup(
                    StartupText.plugin(scheduler, plugin),
                    path + ".args",
                    () -> validator.validate(plugin, arguments.args()));
        }
    }

    /** Why a plugin cannot be named in the version, null if it can. */
    private @Nullable String dropped(String plugin) {
        ConfigVersion version = configuration.version();
        ConfigVersion since;
        if (version == ConfigVersion.V1) {
            since = DROPPED_IN_V1.contains(plugin) ? ConfigVersion.V1 : null;
        } else {
            boolean listed = version.atLeast(ConfigVersion.V1BETA2) && DROPPED_IN_V1BETA2.contains(plugin);
            since = listed ? ConfigVersion.V1BETA2 : null;
        }
        return since == null
                ? null
                : "was invalid in version " + GoText.quote(nameOf(since)) + " (KubeSchedulerConfiguration is version "
                        + GoText.quote(version.apiVersion()) + ")";
    }

    /** 1.34 names its own version by that of pods, which has no group. */
    private static String nameOf(ConfigVersion version) {
        return version == ConfigVersion.V1 ? "v1" : version.apiVersion();
    }

    /** All profiles feed one queue, so they must order it alike. */
    void queueSort() {
        List<ProfileConfiguration> profiles = configuration.profiles();
        PluginSet first = profiles.get(0).plugins().at(ExtensionPoint.QUEUE_SORT);
        if (first.enabled().size() > 1) {
            errors.invalid(
                    "profiles[0].plugins.queueSort.Enabled",
                    first.enabled().size(),
                    "only one queue sort plugin can be enabled");
        }
        String plugin = first.enabled().isEmpty() ? "" : first.enabled().get(0).name();
        Optional<JsonNode> args = profiles.get(0).argumentsOf(plugin).map(PluginArguments::args);
        for (int i = 1; i < profiles.size(); i++) {
            PluginSet other = profiles.get(i).plugins().at(ExtensionPoint.QUEUE_SORT);
            if (!FieldErrors.GoValue.of(other).equals(FieldErrors.GoValue.of(first))) {
                errors.invalid(
                        "profiles[" + i + "].plugins.queueSort",
                        FieldErrors.GoValue.of(other),
                        "must be the same for all profiles");
            }
            Optional<JsonNode> otherArgs = profiles.get(i).argumentsOf(plugin).map(PluginArguments::args);
            if (otherArgs.isPresent() && !otherArgs.equals(args)) {
                String json = otherArgs.get().toString();
                errors.invalid(
                        "profiles[" + i + "].pluginConfig.args",
                        new FieldErrors.GoValue(json, json),
                        "queueSort must be the same for all profiles");
            }
        }
    }
}
