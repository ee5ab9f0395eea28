package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.DecodedObject;
import io.policyscheduler.engine.document.DecodedObject.FieldPositions;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.QualifiedNames;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.ExtenderReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException.ConfigurationProblemCode;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationWarningCode;
import io.policyscheduler.framework.config.DefaultPlugins.PluginMerge;
import io.policyscheduler.framework.config.ProfilePlugins.PluginEntry;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.config.SchedulerConfiguration.AlgorithmSource;
import io.policyscheduler.framework.config.SchedulerConfiguration.BindAddress;
import io.policyscheduler.framework.config.SchedulerConfiguration.LeaderElectionSettings;
import io.policyscheduler.framework.config.SchedulerConfiguration.PluginArguments;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Converts a decoded configuration to records and applies the defaults of its version. One instance per document. */
final class ConfigurationAssembler {
    private static final String DEFAULT_PROVIDER = "DefaultProvider";
    private static final String DEFAULT_NAME = Settings.SCHEDULER_NAME.fileDefault(ConfigVersion.V1ALPHA1);

    private final ConfigVersion version;
    private final Release release;
    private final String file;
    private FieldPositions positions = FieldPositions.NONE;
    private final List<Warning> warnings;

    ConfigurationAssembler(ConfigVersion version, Release release, String file, List<Warning> warnings) {
        this.version = version;
        this.release = release;
        this.file = file;
        this.warnings = warnings;
    }

    SchedulerConfiguration configuration(DecodedObject document) throws ConfigurationException {
        ObjectNode tree = document.tree();
        positions = document.positions();
        List<ProfileConfiguration> profiles = profiles(tree);
        AlgorithmSource source = algorithmSource(tree);
        String healthz = bindAddress(tree, Settings.HEALTHZ_ADDRESS);
        return new SchedulerConfiguration(
                file,
                tree,
                version,
                release,
                profiles,
                source,
                integer(tree, Settings.PERCENTAGE.field()),
                leaderElection(tree),
                ExtenderReader.read(document),
                healthz,
                bindAddress(tree, Settings.METRICS_ADDRESS),
                given(tree, healthz),
                positions,
                Warning.combined(warnings));
    }

    private JsonNode value(JsonNode tree, Setting setting) {
        return setting.value(tree, version);
    }

    private static @Nullable Integer integer(JsonNode tree, String field) {
        return tree.has(field) ? tree.path(field).asInt() : null;
    }

    private LeaderElectionSettings leaderElection(JsonNode tree) throws ConfigurationException {
        List<Problem> problems = new ArrayList<>();
        LeaderElectionSettings settings = new LeaderElectionAssembler(
                        version,
                        positions,
                        (message, position) ->
                                problems.add(Problem.at(ConfigurationProblemCode.DECODE, message, file, position)))
                .settings(tree);
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
        return settings;
    }

    /** The values that the file sets, by field path and in the syntax of flags. */
    private Map<String, String> given(JsonNode tree, @Nullable String healthz) {
        Map<String, String> given = new LinkedHashMap<>();
        for (Setting setting : Settings.all()) {
            JsonNode value = value(tree, setting);
            if (setting.isIn(version)
                    && !value.isMissingNode()
                    && positions.of(setting.field()).isPresent()) {
                given.put(setting.field(), setting.text(value));
            }
        }
        given.computeIfPresent(Settings.HEALTHZ_ADDRESS.field(), (field, text) -> healthz == null ? text : healthz);
        LeaderElectionAssembler.lockGiven(given);
        // If several sources are set, 1.17 takes the first in this order.
        if (!given.getOrDefault(Settings.PROVIDER.field(), "").isEmpty()) {
            given.remove(Settings.POLICY_FILE.field());
        } else {
            given.remove(Settings.PROVIDER.field());
        }
        if (given.containsKey(Settings.PROVIDER.field()) || given.containsKey(Settings.POLICY_FILE.field())) {
            given.remove(Settings.POLICY_CONFIG_MAP.field());
            given.remove(Settings.POLICY_CONFIG_MAP_NAMESPACE.field());
        }
        return given;
    }

    private @Nullable String bindAddress(JsonNode tree, Setting setting) {
        if (!setting.isIn(version)) {
            return null;
        }
        String field = setting.field();
        String given = value(tree, setting).asText();
        String complete = BindAddress.complete(given);
        if (complete == null) {
            warn(
                    ConfigurationWarningCode.BIND_ADDRESS,
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
                        ConfigurationWarningCode.POLICY_IGNORED,
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
            return new AlgorithmSource.PolicyConfigMap(
                    value(tree, Settings.POLICY_CONFIG_MAP_NAMESPACE).asText(),
                    configMap.path("name").asText(""));
        }
        return source.has("policy")
                ? new AlgorithmSource.EmptyPolicy()
                : new AlgorithmSource.Provider(DEFAULT_PROVIDER);
    }

    private List<ProfileConfiguration> profiles(JsonNode tree) {
        if (version == ConfigVersion.V1ALPHA1) {
            return List.of(profile(tree, "", DEFAULT_NAME));
        }
        JsonNode list = tree.path("profiles");
        if (list.isEmpty()) {
            return List.of(profile(list, "profiles[0]", DEFAULT_NAME));
        }
        List<ProfileConfiguration> profiles = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            // The name is optional only if there is a single profile.
            String name = list.size() == 1 ? DEFAULT_NAME : "";
            profiles.add(profile(list.get(i), "profiles[" + i + "]", name));
        }
        return profiles;
    }

    private ProfileConfiguration profile(JsonNode tree, String path, String defaultName) {
        String prefix = path.isEmpty() ? "" : path + ".";
        ProfilePlugins plugins =
                new PluginMerge(version, release).merge(plugins(tree.path("plugins"), prefix + "plugins"));
        return new ProfileConfiguration(
                tree.path("schedulerName").asText(defaultName),
                version == ConfigVersion.V1ALPHA1 ? null : integer(tree, Settings.PERCENTAGE.field()),
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
        List<Integer> weightless = new ArrayList<>();
        for (int i = 0; i < tree.path("enabled").size(); i++) {
            JsonNode entry = tree.path("enabled").get(i);
            if (entry.path("weight").asInt(1) == 0
                    && positions.of(path + ".enabled[" + i + "].weight").isPresent()) {
                weightless.add(i);
            }
            enabled.add(new PluginEntry(
                    entry.path("name").asText(""),
                    entry.path("weight").asInt(0),
                    positions.nearest(path + ".enabled[" + i + "]")));
        }
        if (!weightless.isEmpty()) {
            String names = weightless.stream()
                    .map(i -> tree.path("enabled").get(i).path("name").asText(""))
                    .collect(Collectors.joining(", "));
            warnings.add(new Warning(
                    ConfigurationWarningCode.WEIGHT_ZERO,
                    "weight 0 of " + names + " means 1",
                    "set a weight of 1 or more, or disable the plugin",
                    positions.nearest(path + ".enabled[" + weightless.get(0) + "].weight")));
        }
        List<String> disabled = new ArrayList<>();
        tree.path("disabled").forEach(entry -> disabled.add(entry.path("name").asText("")));
        if (version == ConfigVersion.V1ALPHA1 && !disabled.isEmpty()) {
            warn(
                    ConfigurationWarningCode.DISABLED_IGNORED,
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
            ArgumentShapes shapes = ArgumentShapes.of(version, release);
            if (args.isMissingNode() && !shapes.has(name)) {
                args = NullNode.instance;
            }
            resources(args, path + "[" + i + "].args");
            if (shapes.has(name)) {
                ObjectNode filled = args instanceof ObjectNode object ? object : JsonNodeFactory.instance.objectNode();
                args = filled(name, filled);
            }
            arguments.add(new PluginArguments(name, args, positions.nearest(path + "[" + i + "]")));
        }
        Set<String> given = arguments.stream().map(PluginArguments::name).collect(Collectors.toSet());
        Set<String> enabled = new TreeSet<>();
        plugins.sets().forEach(set -> enabled.addAll(set.names()));
        ArgumentShapes shapes = ArgumentShapes.of(version, release);
        for (String plugin : enabled) {
            if (shapes.has(plugin) && !given.contains(plugin)) {
                arguments.add(new PluginArguments(
                        plugin, filled(plugin, JsonNodeFactory.instance.objectNode()), SourcePosition.UNKNOWN));
            }
        }
        return arguments;
    }

    /** Warns about scored resources that no node has: all nodes get the same score for them. */
    private void resources(JsonNode args, String path) {
        for (String list : List.of("resources", "scoringStrategy.resources")) {
            JsonNode resources = args.at("/" + list.replace('.', '/'));
            for (int i = 0; i < resources.size(); i++) {
                String name = resources.get(i).path("name").asText("");
                String better = QualifiedNames.nativeResourceFor(name);
                if (better != null) {
                    warnings.add(new Warning(
                            ConfigurationWarningCode.UNKNOWN_RESOURCE,
                            name.isEmpty()
                                    ? "a resource without a name does not distinguish nodes"
                                    : "no node has a resource " + GoText.quote(name)
                                            + ", so it does not distinguish nodes",
                            better.isEmpty()
                                    ? "write the name of a resource, such as cpu, memory, or example.com/gpu"
                                    : "write " + better,
                            positions.nearest(path + "." + list + "[" + i + "]")));
                }
            }
        }
    }

    private ObjectNode filled(String plugin, ObjectNode args) {
        boolean constraintsOnly = plugin.equals(PluginNames.POD_TOPOLOGY_SPREAD)
                && version.atLeast(ConfigVersion.V1BETA1)
                && !SchedulerChange.SPREADING_BY_CONSTRAINTS.in(release);
        if (constraintsOnly && !args.has("defaultingType")) {
            args.put("defaultingType", "List");
        }
        DefaultArguments.fill(version, release, plugin, args);
        return args;
    }

    private void warn(String code, String message, String path) {
        warnings.add(new Warning(code, message, positions.nearest(path)));
    }

    /** The leader election of a decoded configuration, with the two names that {@code v1alpha1} has for its lock. */
    public static final class LeaderElectionAssembler {
        private final ConfigVersion version;
        private final FieldPositions positions;
        private final BiConsumer<String, SourcePosition> problems;

        /** @param problems receives names that contradict each other, and their position */
        public LeaderElectionAssembler(
                ConfigVersion version, FieldPositions positions, BiConsumer<String, SourcePosition> problems) {
            this.version = version;
            this.positions = positions;
            this.problems = problems;
        }

        /** The settings of a document, with the defaults of its version. */
        public LeaderElectionSettings settings(JsonNode tree) {
            return new LeaderElectionSettings(
                    Settings.LEADER_ELECT.value(tree, version).asBoolean(),
                    Settings.LEASE_DURATION.duration(tree, version),
                    Settings.RENEW_DEADLINE.duration(tree, version),
                    Settings.RETRY_PERIOD.duration(tree, version),
                    Settings.RESOURCE_LOCK.value(tree, version).asText(),
                    lockName(tree, Settings.RESOURCE_NAMESPACE, Settings.LOCK_OBJECT_NAMESPACE),
                    lockName(tree, Settings.RESOURCE_NAME, Settings.LOCK_OBJECT_NAME));
        }

        private String lockName(JsonNode tree, Setting resource, Setting lockObject) {
            String older = lockObject.value(tree, version).asText("");
            String newer = tree.at("/" + resource.field().replace('.', '/')).asText("");
            if (!newer.isEmpty() && !older.isEmpty() && !newer.equals(older)) {
                String part =
                        resource.field().substring(resource.field().lastIndexOf("resource") + "resource".length());
                String name = "Resource" + part;
                String olderName = "LockObject" + part;
                problems.accept(
                        name + " and " + olderName + " are both set and do not match, " + name + ": " + newer + ", "
                                + olderName + ": " + older,
                        positions.nearest(lockObject.field()));
            }
            return newer.isEmpty() && !older.isEmpty()
                    ? older
                    : resource.value(tree, version).asText();
        }

        /** Copies a value from the deprecated name of a field to its current name. */
        public static void lockGiven(Map<String, String> given) {
            lockGiven(given, Settings.RESOURCE_NAME, Settings.LOCK_OBJECT_NAME);
            lockGiven(given, Settings.RESOURCE_NAMESPACE, Settings.LOCK_OBJECT_NAMESPACE);
        }

        private static void lockGiven(Map<String, String> given, Setting resource, Setting lockObject) {
            String older = given.getOrDefault(lockObject.field(), "");
            if (!older.isEmpty()) {
                given.put(resource.field(), older);
            }
        }
    }

    /** The defaults of plugin arguments. Mirrors {@code defaults.go} of each version. */
    static final class DefaultArguments {
        private static final int BIND_TIMEOUT_SECONDS = 600;

        private DefaultArguments() {}

        /** The default arguments of a plugin; an empty object if it has none. */
        public static ObjectNode of(ConfigVersion version, String plugin) {
            ObjectNode args = JsonNodeFactory.instance.objectNode();
            fill(version, Release.NEWEST, plugin, args);
            return args;
        }

        /** Adds missing values in place. */
        static void fill(ConfigVersion version, Release release, String plugin, ObjectNode args) {
            if (!ArgumentShapes.of(version, release).has(plugin)) {
                return;
            }
            switch (plugin) {
                case PluginNames.NODE_RESOURCES_FIT -> fit(version, args);
                case PluginNames.NODE_RESOURCES_BALANCED -> {
                    resources(args);
                    weights(args);
                }
                case PluginNames.NODE_RESOURCES_LEAST,
                        PluginNames.NODE_RESOURCES_MOST,
                        PluginNames.REQUESTED_TO_CAPACITY_RATIO -> resources(args);
                case PluginNames.INTER_POD_AFFINITY -> interPodAffinity(version, args);
                case PluginNames.POD_TOPOLOGY_SPREAD -> topologySpread(version, args);
                case PluginNames.VOLUME_BINDING -> number(args, "bindTimeoutSeconds", BIND_TIMEOUT_SECONDS);
                case PluginNames.DEFAULT_PREEMPTION -> {
                    number(args, "minCandidateNodesPercentage", 10);
                    number(args, "minCandidateNodesAbsolute", 100);
                }
                case PluginNames.DYNAMIC_RESOURCES -> {
                    if (SchedulerChange.DEVICE_ARGUMENTS.in(release) && !args.has("filterTimeout")) {
                        args.put("filterTimeout", "10s");
                    }
                    if (SchedulerChange.DEVICE_FEATURES.in(release) && !args.has("bindingTimeout")) {
                        args.put("bindingTimeout", "10m0s");
                    }
                }
                default -> {
                    // NodeAffinity, NodeLabel and ServiceAffinity have no defaults.
                }
            }
        }

        private static void fit(ConfigVersion version, ObjectNode args) {
            list(args, "ignoredResources");
            if (!version.atLeast(ConfigVersion.V1BETA1)) {
                return;
            }
            list(args, "ignoredResourceGroups");
            if (!(args.get("scoringStrategy") instanceof ObjectNode)) {
                args.putObject("scoringStrategy").put("type", "LeastAllocated");
            }
            if (args.get("scoringStrategy") instanceof ObjectNode strategy) {
                resources(strategy);
                weights(strategy);
            }
        }

        private static void interPodAffinity(ConfigVersion version, ObjectNode args) {
            number(args, "hardPodAffinityWeight", 1);
            if (version.atLeast(ConfigVersion.V1BETA2) && !args.has("ignorePreferredTermsOfExistingPods")) {
                args.put("ignorePreferredTermsOfExistingPods", false);
            }
        }

        private static void topologySpread(ConfigVersion version, ObjectNode args) {
            list(args, "defaultConstraints");
            boolean missing = args.path("defaultingType").asText("").isEmpty();
            if (missing && version.atLeast(ConfigVersion.V1BETA1)) {
                boolean guess = version == ConfigVersion.V1BETA1
                        && !args.path("defaultConstraints").isEmpty();
                args.put("defaultingType", guess ? "List" : "System");
            }
        }

        private static void resources(ObjectNode parent) {
            if (parent.path("resources").isEmpty()) {
                ArrayNode resources = parent.putArray("resources");
                resources.addObject().put("name", "cpu").put("weight", 1L);
                resources.addObject().put("name", "memory").put("weight", 1L);
            }
        }

        private static void weights(ObjectNode parent) {
            for (JsonNode resource : parent.path("resources")) {
                if (resource.path("weight").asLong(0) == 0) {
                    ((ObjectNode) resource).put("weight", 1L);
                }
            }
        }

        private static void number(ObjectNode args, String field, int value) {
            if (!args.has(field)) {
                args.put(field, value);
            }
        }

        private static void list(ObjectNode args, String field) {
            if (!args.has(field)) {
                args.putArray(field);
            }
        }
    }
}
