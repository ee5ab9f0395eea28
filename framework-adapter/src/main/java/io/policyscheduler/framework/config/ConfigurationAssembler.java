package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.policy.SourcePosition;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes records of a decoded configuration and fills in the defaults of its version. One instance per document. */
final class ConfigurationAssembler {
    private static final String DEFAULT_SCHEDULER = "default-scheduler";
    private static final String DEFAULT_PROVIDER = "DefaultProvider";
    private static final String SYSTEM_NAMESPACE = "kube-system";
    private static final int DEFAULT_PARALLELISM = 16;

    private final ConfigVersion version;
    private final String file;
    private final FieldPositions positions;
    private final List<ConfigurationWarning> warnings;

    ConfigurationAssembler(
            ConfigVersion version, String file, FieldPositions positions, List<ConfigurationWarning> warnings) {
        this.version = version;
        this.file = file;
        this.positions = positions;
        this.warnings = warnings;
    }

    SchedulerConfiguration configuration(ObjectNode tree) throws ConfigurationException {
        boolean profiling = tree.path("enableProfiling").asBoolean(true);
        return new SchedulerConfiguration(
                file,
                version,
                profiles(tree),
                algorithmSource(tree),
                tree.path("parallelism").asInt(DEFAULT_PARALLELISM),
                integer(tree, "percentageOfNodesToScore"),
                tree.path("podInitialBackoffSeconds").asLong(1),
                tree.path("podMaxBackoffSeconds").asLong(10),
                new LeaderElectionReader(version, file, positions).read(tree.path("leaderElection")),
                client(tree.path("clientConnection")),
                ExtenderReader.read(tree.path("extenders"), version, positions),
                bindAddress(tree, "healthzBindAddress"),
                bindAddress(tree, "metricsBindAddress"),
                profiling,
                tree.path("enableContentionProfiling").asBoolean(profiling),
                tree.path("delayCacheUntilActive").asBoolean(false),
                legacy(tree),
                positions,
                warnings);
    }

    private static @Nullable Integer integer(JsonNode tree, String field) {
        return tree.has(field) ? tree.path(field).asInt() : null;
    }

    private static LegacySettings legacy(JsonNode tree) {
        LegacySettings defaults = LegacySettings.DEFAULTS;
        return new LegacySettings(
                tree.path("hardPodAffinitySymmetricWeight").asInt(defaults.hardPodAffinitySymmetricWeight()),
                tree.path("disablePreemption").asBoolean(defaults.disablePreemption()),
                Duration.ofSeconds(tree.path("bindTimeoutSeconds")
                        .asLong(defaults.bindTimeout().toSeconds())));
    }

    private static ClientSettings client(JsonNode tree) {
        String contentType = tree.path("contentType").asText("");
        double qps = tree.path("qps").asDouble(0);
        int burst = tree.path("burst").asInt(0);
        return new ClientSettings(
                tree.path("kubeconfig").asText(""),
                tree.path("acceptContentTypes").asText(""),
                contentType.isEmpty() ? "application/vnd.kubernetes.protobuf" : contentType,
                qps == 0 ? 50 : qps,
                burst == 0 ? 100 : burst);
    }

    private @Nullable String bindAddress(JsonNode tree, String field) {
        if (version.atLeast(ConfigVersion.V1BETA3)) {
            return null;
        }
        if (!tree.has(field)) {
            return BindAddress.DEFAULT;
        }
        String given = tree.path(field).asText();
        String complete = BindAddress.complete(given);
        if (complete == null) {
            warn(
                    ConfigurationWarning.BIND_ADDRESS,
                    field + " " + given + " is no address; " + BindAddress.DEFAULT + " is used",
                    field);
            return BindAddress.DEFAULT;
        }
        return complete;
    }

    private @Nullable AlgorithmSource algorithmSource(JsonNode tree) {
        if (version != ConfigVersion.V1ALPHA1) {
            return null;
        }
        JsonNode source = tree.path("algorithmSource");
        String provider = source.path("provider").asText("");
        if (!provider.isEmpty()) {
            if (source.has("policy")) {
                warn(
                        ConfigurationWarning.POLICY_IGNORED,
                        "provider " + provider + " and a policy are both given; v1.17 takes the provider",
                        "algorithmSource.policy");
            }
            return new AlgorithmSource.Provider(provider);
        }
        JsonNode policy = source.path("policy");
        if (policy.has("file")) {
            return new AlgorithmSource.PolicyFile(
                    policy.path("file").path("path").asText(""));
        }
        if (policy.has("configMap")) {
            JsonNode configMap = policy.path("configMap");
            String namespace = configMap.path("namespace").asText("");
            return new AlgorithmSource.PolicyConfigMap(
                    namespace.isEmpty() ? SYSTEM_NAMESPACE : namespace,
                    configMap.path("name").asText(""));
        }
        return source.has("policy")
                ? new AlgorithmSource.EmptyPolicy()
                : new AlgorithmSource.Provider(DEFAULT_PROVIDER);
    }

    private List<ProfileConfiguration> profiles(JsonNode tree) {
        if (version == ConfigVersion.V1ALPHA1) {
            return List.of(profile(tree, "", DEFAULT_SCHEDULER));
        }
        JsonNode list = tree.path("profiles");
        if (list.isEmpty()) {
            return List.of(profile(list, "profiles[0]", DEFAULT_SCHEDULER));
        }
        List<ProfileConfiguration> profiles = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            // Only a single profile may go without a name.
            String name = list.size() == 1 ? DEFAULT_SCHEDULER : "";
            profiles.add(profile(list.get(i), "profiles[" + i + "]", name));
        }
        return profiles;
    }

    private ProfileConfiguration profile(JsonNode tree, String path, String defaultName) {
        String prefix = path.isEmpty() ? "" : path + ".";
        ProfilePlugins plugins = new PluginMerge(version).merge(plugins(tree.path("plugins"), prefix + "plugins"));
        return new ProfileConfiguration(
                tree.path("schedulerName").asText(defaultName),
                version == ConfigVersion.V1ALPHA1 ? null : integer(tree, "percentageOfNodesToScore"),
                plugins,
                arguments(tree.path("pluginConfig"), prefix + "pluginConfig", plugins));
    }

    private ProfilePlugins plugins(JsonNode tree, String path) {
        Map<ExtensionPoint, PluginSet> points = new EnumMap<>(ExtensionPoint.class);
        for (ExtensionPoint point : ExtensionPoint.values()) {
            if (tree.has(point.key())) {
                points.put(point, set(tree.path(point.key()), path + "." + point.key()));
            }
        }
        return new ProfilePlugins(
                set(tree.path("multiPoint"), path + ".multiPoint"),
                points,
                set(tree.path("unreserve"), path + ".unreserve"));
    }

    private PluginSet set(JsonNode tree, String path) {
        List<PluginEntry> enabled = new ArrayList<>();
        for (int i = 0; i < tree.path("enabled").size(); i++) {
            JsonNode entry = tree.path("enabled").get(i);
            enabled.add(new PluginEntry(
                    entry.path("name").asText(""),
                    entry.path("weight").asInt(0),
                    positions.nearest(path + ".enabled[" + i + "]")));
        }
        List<String> disabled = new ArrayList<>();
        tree.path("disabled").forEach(entry -> disabled.add(entry.path("name").asText("")));
        if (version == ConfigVersion.V1ALPHA1 && !disabled.isEmpty()) {
            warn(
                    ConfigurationWarning.DISABLED_IGNORED,
                    path + ".disabled has no effect in v1alpha1, not even \"*\"",
                    path + ".disabled");
        }
        return new PluginSet(enabled, disabled);
    }

    private List<PluginArguments> arguments(JsonNode list, String path, ProfilePlugins plugins) {
        List<PluginArguments> arguments = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            String name = list.get(i).path("name").asText("");
            JsonNode args = list.get(i).path("args");
            ArgumentShapes shapes = ArgumentShapes.of(version);
            if (args.isMissingNode() && !shapes.has(name)) {
                args = NullNode.instance;
            }
            if (shapes.has(name)) {
                ObjectNode filled = args instanceof ObjectNode object ? object : DefaultArguments.of(version, name);
                DefaultArguments.fill(version, name, filled);
                args = filled;
            }
            arguments.add(new PluginArguments(name, args, positions.nearest(path + "[" + i + "]")));
        }
        Set<String> given = arguments.stream().map(PluginArguments::name).collect(Collectors.toSet());
        Set<String> enabled = new TreeSet<>();
        plugins.sets().forEach(set -> enabled.addAll(set.names()));
        ArgumentShapes shapes = ArgumentShapes.of(version);
        for (String plugin : enabled) {
            if (shapes.has(plugin) && !given.contains(plugin)) {
                arguments.add(
                        new PluginArguments(plugin, DefaultArguments.of(version, plugin), SourcePosition.UNKNOWN));
            }
        }
        return arguments;
    }

    private void warn(String code, String message, String path) {
        warnings.add(new ConfigurationWarning(code, message, positions.nearest(path)));
    }
}
