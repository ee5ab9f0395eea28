package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Settings;
import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The KubeSchedulerConfiguration with the effective settings: {@code v1alpha1}, or the version of the configuration file. Mirrors
 * {@code --write-config-to} of kube-scheduler, which also writes the policy flags into {@code algorithmSource}.
 */
final class EffectiveConfiguration {
    private static final List<Setting> SOURCES = List.of(
            Settings.PROVIDER, Settings.POLICY_FILE, Settings.POLICY_CONFIG_MAP, Settings.POLICY_CONFIG_MAP_NAMESPACE);
    private static final List<Setting> OLDER = List.of(Settings.LOCK_OBJECT_NAME, Settings.LOCK_OBJECT_NAMESPACE);

    private final SettingTree settings;
    private final ConfigVersion version;
    private final ObjectNode tree = JsonNodeFactory.instance.objectNode();

    private EffectiveConfiguration(SettingTree settings, ConfigVersion version) {
        this.settings = settings;
        this.version = version;
    }

    /**
     * The configuration.
     *
     * @param file the configuration file; empty for none
     * @param status address of plain HTTP; null for none
     * @throws IllegalArgumentException if its version has no field for a setting; the message is for users
     */
    static ObjectNode of(
            SettingTree settings, Optional<SchedulerConfiguration> file, @Nullable InetSocketAddress status) {
        ConfigVersion version = file.map(SchedulerConfiguration::version).orElse(ConfigVersion.V1ALPHA1);
        EffectiveConfiguration configuration = new EffectiveConfiguration(settings, version);
        configuration.requirePlaces();
        configuration.write(file, status);
        return configuration.tree;
    }

    /**
     * The configuration with the Go field names of the internal type, as in {@code /configz} of kube-scheduler, without settings
     * that its version does not have.
     */
    static ObjectNode shown(
            SettingTree settings, Optional<SchedulerConfiguration> file, @Nullable InetSocketAddress status) {
        ConfigVersion version = file.map(SchedulerConfiguration::version).orElse(ConfigVersion.V1ALPHA1);
        EffectiveConfiguration configuration = new EffectiveConfiguration(settings, version);
        configuration.write(file, status);
        ObjectNode shown = (ObjectNode) goNames(configuration.tree);
        if (version == ConfigVersion.V1ALPHA1) {
            ObjectNode source = shown.withObjectProperty("AlgorithmSource");
            List.of("Policy", "Provider").stream()
                    .filter(key -> !source.has(key))
                    .forEach(source::putNull);
            List.of("Plugins", "PluginConfig").stream()
                    .filter(key -> !shown.has(key))
                    .forEach(shown::putNull);
        }
        return shown;
    }

    private static JsonNode goNames(JsonNode node) {
        if (node instanceof ArrayNode array) {
            ArrayNode named = JsonNodeFactory.instance.arrayNode();
            array.forEach(item -> named.add(goNames(item)));
            return named;
        }
        if (!(node instanceof ObjectNode object)) {
            return node;
        }
        ObjectNode named = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            String key = entry.getKey();
            String name = key.equals("qps") ? "QPS" : key.substring(0, 1).toUpperCase(Locale.ROOT) + key.substring(1);
            // The arguments of a plugin have a type of their own.
            named.set(name, key.equals("args") ? entry.getValue() : goNames(entry.getValue()));
        }
        named.remove(List.of("ApiVersion", "Kind"));
        return named;
    }

    private void requirePlaces() {
        if (!settings.texts(RunSettings.PROFILE).isEmpty()) {
            throw noPlace(RunSettings.PROFILE);
        }
        for (Setting setting : Settings.all()) {
            // The name may only repeat that of the first profile.
            boolean missing = !setting.isIn(version)
                    && !setting.equals(Settings.SCHEDULER_NAME)
                    && settings.isGivenAtStart(setting);
            if (missing) {
                throw noPlace(setting);
            }
        }
    }

    private IllegalArgumentException noPlace(Setting setting) {
        return new IllegalArgumentException("--write-config-to: " + version.apiVersion() + " does not support "
                + setting.flag() + "; remove one of the two");
    }

    private void write(Optional<SchedulerConfiguration> file, @Nullable InetSocketAddress status) {
        tree.put("apiVersion", version.apiVersion()).put("kind", ConfigVersion.KIND);
        file.ifPresent(given -> tree.setAll(given.document()));
        for (Setting setting : Settings.all()) {
            if (setting.isIn(version) && !SOURCES.contains(setting) && !OLDER.contains(setting)) {
                put(setting, value(setting));
            }
        }
        if (Settings.HEALTHZ_ADDRESS.isIn(version)) {
            String address = status == null ? "" : ListenAddress.text(status);
            remove(Settings.HEALTHZ_ADDRESS);
            put(Settings.HEALTHZ_ADDRESS, address);
        }
        if (version == ConfigVersion.V1ALPHA1) {
            OLDER.forEach(this::remove);
            algorithmSource();
        }
    }

    private String value(Setting setting) {
        if (setting.equals(Settings.RESOURCE_NAME) && settings.text(setting).isEmpty()) {
            return settings.text(Settings.SCHEDULER_NAME);
        }
        return settings.text(setting);
    }

    private void algorithmSource() {
        boolean file = settings.find(Settings.POLICY_FILE).isPresent();
        boolean configMap = !settings.text(Settings.POLICY_CONFIG_MAP).isEmpty();
        boolean emptyPolicy = !file
                && !configMap
                && settings.text(Settings.PROVIDER).isEmpty()
                && tree.at("/algorithmSource/policy").isObject();
        if (emptyPolicy) {
            return;
        }
        tree.remove("algorithmSource");
        if (file && (settings.isOn(RunSettings.USE_LEGACY_POLICY) || !configMap)) {
            put(Settings.POLICY_FILE, settings.text(Settings.POLICY_FILE));
        } else if (configMap) {
            put(Settings.POLICY_CONFIG_MAP, settings.text(Settings.POLICY_CONFIG_MAP));
            put(Settings.POLICY_CONFIG_MAP_NAMESPACE, settings.text(Settings.POLICY_CONFIG_MAP_NAMESPACE));
        } else {
            String provider = settings.text(Settings.PROVIDER);
            put(Settings.PROVIDER, provider.isEmpty() ? "DefaultProvider" : provider);
        }
    }

    private void put(Setting setting, String text) {
        if (text.isEmpty()) {
            return;
        }
        ObjectNode object = tree;
        Iterator<String> keys = Splitter.on('.').split(setting.field()).iterator();
        String key = keys.next();
        while (keys.hasNext()) {
            object = object.withObjectProperty(key);
            key = keys.next();
        }
        object.set(key, setting.node(text));
    }

    private void remove(Setting setting) {
        int dot = setting.field().lastIndexOf('.');
        if (dot < 0) {
            tree.remove(setting.field());
        } else if (tree.get(setting.field().substring(0, dot)) instanceof ObjectNode object) {
            object.remove(setting.field().substring(dot + 1));
        }
    }

    /** The configuration in effect, for {@code /configz}. */
    static final class Text {
        private Text() {}

        /**
         * {@code {"componentconfig": {...}}}: the fields of kube-scheduler, followed by those of this program in lower case.
         *
         * @param kubeScheduler the fields of kube-scheduler, from {@link EffectiveConfiguration#shown}
         * @param generation of the profiles
         * @param policyHash hash to compare replicas
         * @param tables generation of each table
         */
        static String of(
                ObjectNode kubeScheduler,
                SchedulerSettings settings,
                long generation,
                String policyHash,
                SortedMap<String, Long> tables) {
            ObjectNode root = JsonNodeFactory.instance.objectNode();
            ObjectNode config = root.putObject("componentconfig");
            config.setAll(kubeScheduler);
            config.put("policyGeneration", generation).put("policyHash", policyHash);
            if (!tables.isEmpty()) {
                tables.forEach(config.putObject("tableGenerations")::put);
            }
            LeaderElectionConfig lease = settings.election();
            if (lease != null) {
                config.put("leaderIdentity", lease.identity());
            }
            ArrayNode profiles = config.putArray("profiles");
            for (ProfileSettings profile : settings.profiles()) {
                ObjectNode shown = profiles.addObject()
                        .put("schedulerName", profile.schedulerName())
                        .put("source", profile.origin())
                        .put("percentageOfNodesToScore", profile.percentageOfNodesToScore());
                profile.algorithms().forEach(shown.putArray("algorithms")::add);
                profile.source().plugins().addTo(shown.putArray("plugins"));
            }
            return root.toString();
        }
    }
}
