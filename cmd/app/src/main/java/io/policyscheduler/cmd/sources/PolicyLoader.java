package io.policyscheduler.cmd.sources;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.DumpFiles.DumpObjects;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.engine.document.InputDocument;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Reads and resolves policies from all sources. The problems of a policy are an input error with one line each. */
public final class PolicyLoader {
    private final PolicyResolver resolver;
    private final PolicyTexts texts;

    PolicyLoader(PolicyResolver resolver, PolicyTexts texts) {
        this.resolver = resolver;
        this.texts = texts;
    }

    /** The policy of a source that has one. */
    EffectivePolicy load(SourceText source) {
        return switch (source.kind()) {
            case POLICY -> file(source.file());
            case CONFIGMAP -> configMap(source.configMap());
            case PROVIDER -> provider(source.value());
            case CONFIG, MODERN -> throw new InputException("\"" + source.text() + "\" is no policy");
        };
    }

    PolicyResolver resolver() {
        return resolver;
    }

    EffectivePolicy file(Path file) {
        return text(texts.file(file), file.toString());
    }

    EffectivePolicy configMap(ConfigMapName name) {
        return text(texts.configMap(name), "configmap " + name);
    }

    EffectivePolicy provider(String name) {
        return provider(name, "provider");
    }

    /** @param place where the provider is named, for messages */
    EffectivePolicy provider(String name, String place) {
        try {
            return resolver.resolveProvider(name, place);
        } catch (PolicyException e) {
            throw InputException.of(e);
        }
    }

    /**
     * A policy file or ConfigMap as kube-scheduler reads it, without resolving it.
     *
     * @throws InputException if it cannot be read or decoded
     */
    Policy raw(SourceText source) {
        boolean file = source.kind() == SourceText.Kind.POLICY;
        String text = file ? texts.file(source.file()) : texts.configMap(source.configMap());
        return raw(text, file ? source.file().toString() : "configmap " + source.configMap());
    }

    /** @param origin name of the text in messages */
    static Policy raw(String text, String origin) {
        try {
            return new PolicyReader(true).read(text, origin);
        } catch (PolicyException e) {
            throw InputException.of(e);
        }
    }

    /** @param origin name of the text in messages */
    EffectivePolicy text(String text, String origin) {
        try {
            return resolver.resolve(resolver.reader().read(text, origin));
        } catch (PolicyException e) {
            if (InputDocument.isConfiguration(text)) {
                throw new InputException(
                        origin + ": a KubeSchedulerConfiguration, not a policy ("
                                + (origin.startsWith("configmap ")
                                        ? "did you mean --profile NAME=" + origin.replace(' ', ':')
                                        : "did you mean config:" + origin)
                                + "?)",
                        e);
            }
            throw InputException.of(e);
        }
    }

    /** The source of the texts of policies and configurations. */
    public interface PolicyTexts {
        /** Files only, without a cluster. */
        PolicyTexts FILES = new PolicyTexts() {
            @Override
            public String configMap(ConfigMapName name) {
                throw new InputException("configmap:" + name + " needs a cluster");
            }
        };

        /**
         * The text of a file.
         *
         * @throws InputException if it cannot be read
         */
        default String file(Path file) {
            return InputFiles.text(file);
        }

        /** Whether the file exists. */
        default boolean exists(Path file) {
            return Files.exists(file);
        }

        /**
         * The policy in a ConfigMap, or its configuration if it has no policy and one configuration.
         *
         * @throws InputException if there is none
         * @throws io.policyscheduler.cmd.options.ExitCode.ClusterFailure if the server does not respond
         */
        String configMap(ConfigMapName name);

        /** Files, and the ConfigMaps of a cluster. */
        static PolicyTexts of(KubeConnection connection) {
            return new ProfileTexts(connection);
        }

        /** Files, and the ConfigMaps of a cluster, to which it connects on demand. */
        static PolicyTexts of(Supplier<KubeConnection> cluster) {
            return name -> {
                try (KubeConnection connection = cluster.get()) {
                    return new ProfileTexts(connection).configMap(name);
                }
            };
        }
    }

    /** Entries of ConfigMaps, of a cluster or of a dump. */
    @FunctionalInterface
    public interface ConfigMapEntries {
        /** Without a cluster. */
        ConfigMapEntries NONE = (map, key) -> {
            throw new IOException("there is no cluster to read it from");
        };

        /**
         * The text of an entry.
         *
         * @throws IOException if it is not available; the message is for users
         */
        String entry(ConfigMapName map, String key) throws IOException;

        /** The entries of a running cluster. */
        static ConfigMapEntries of(KubeConnection connection) {
            return (map, key) -> {
                ApiResponse response =
                        connection.get("/api/v1/namespaces/" + map.namespace() + "/configmaps/" + map.name());
                if (response.code() == HttpURLConnection.HTTP_NOT_FOUND) {
                    throw new IOException("there is no such ConfigMap");
                }
                if (!response.success()) {
                    throw new IOException(response.message());
                }
                return text(response.json(), key);
            };
        }

        /** The entries of a running cluster, with a connection for each read. */
        static ConfigMapEntries of(Supplier<KubeConnection> cluster) {
            return (map, key) -> {
                try (KubeConnection connection = cluster.get()) {
                    return of(connection).entry(map, key);
                }
            };
        }

        /** The entries of the files of a dump. */
        static ConfigMapEntries ofDump(List<Path> files) {
            Supplier<List<JsonNode>> objects = DumpObjects.ofKind(files, "ConfigMap");
            return (map, key) -> {
                for (JsonNode object : objects.get()) {
                    JsonNode meta = object.path("metadata");
                    if (meta.path("name").asText().equals(map.name())
                            && meta.path("namespace").asText("default").equals(map.namespace())) {
                        return text(object, key);
                    }
                }
                throw new IOException("the dump does not have it");
            };
        }

        private static String text(JsonNode configMap, String key) throws IOException {
            JsonNode text = configMap.path("data").path(key);
            if (!text.isTextual()) {
                throw new IOException("it has no key \"" + key + "\"");
            }
            return text.asText();
        }

        /** Names a ConfigMap. */
        public record ConfigMapName(String namespace, String name) {
            @Override
            public String toString() {
                return namespace + "/" + name;
            }
        }
    }

    /** Reads the source texts of profiles, and records them with their origins. */
    public static final class ProfileTexts implements PolicyTexts {
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
}
