package io.policyscheduler.cmd.sources;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.engine.document.InputDocument;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Reads the source texts of profiles, and records them with their origins. */
public final class ProfileTexts implements PolicyTexts {
    private static final String KEY = "policy.cfg";

    private final KubeConnection connection;
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final Map<String, String> entries = new LinkedHashMap<>();
    private final Set<Path> files = new LinkedHashSet<>();
    private final Set<ConfigMapName> configMaps = new LinkedHashSet<>();

    ProfileTexts(KubeConnection connection) {
        this.connection = connection;
    }

    @Override
    public String file(Path file) {
        files.add(file);
        String text = InputFiles.text(file);
        texts.put("file " + file, text);
        return text;
    }

    @Override
    public String configMap(ConfigMapName map) {
        configMaps.add(map);
        String path = "/api/v1/namespaces/" + map.namespace() + "/configmaps/" + map.name();
        try {
            ApiResponse response = connection.get(path);
            if (!response.success()) {
                throw new InputException("couldn't get policy config map " + map + ": " + response.message());
            }
            String text = text(response.json(), map);
            texts.put("configmap " + map, text);
            return text;
        } catch (IOException e) {
            throw new ClusterFailure("couldn't get policy config map " + map + ": " + e.getMessage(), e);
        }
    }

    /** The policy of a ConfigMap, or its only configuration. */
    private static String text(JsonNode object, ConfigMapName map) {
        JsonNode policy = object.path("data").path(KEY);
        if (policy.isTextual()) {
            return policy.asText();
        }
        Map<String, String> configurations = new LinkedHashMap<>();
        object.path("data").properties().forEach(entry -> {
            String text = entry.getValue().asText();
            if (InputDocument.isConfiguration(text)) {
                configurations.put(entry.getKey(), text);
            }
        });
        if (configurations.size() == 1) {
            return configurations.values().iterator().next();
        }
        throw new InputException("missing policy config map value at key \"" + KEY + "\" in config map " + map
                + (configurations.isEmpty()
                        ? ""
                        : "; several keys contain a KubeSchedulerConfiguration: "
                                + String.join(", ", configurations.keySet()) + "; keep one of them"));
    }

    /** The texts that were read, by {@code file PATH}, {@code configmap NAMESPACE/NAME}, or that with {@code KEY}. */
    public Map<String, String> texts() {
        Map<String, String> all = new LinkedHashMap<>(texts);
        all.putAll(entries);
        return Collections.unmodifiableMap(all);
    }

    /** The entries of ConfigMaps that tables name; they are remembered, but do not count for {@link #all}. */
    ConfigMapEntries entries() {
        ConfigMapEntries read = ConfigMapEntries.of(connection);
        return (map, key) -> {
            String text = read.entry(map, key);
            entries.put("configmap " + map + " " + key, text);
            return text;
        };
    }

    /** All texts read so far, concatenated. */
    String all() {
        return texts.toString();
    }

    /** The files that were read. */
    public Set<Path> files() {
        return files;
    }

    /** The ConfigMaps that were read. */
    public Set<ConfigMapName> configMaps() {
        return configMaps;
    }
}
