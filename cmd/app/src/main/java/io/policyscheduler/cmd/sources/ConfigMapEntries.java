package io.policyscheduler.cmd.sources;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Entries of ConfigMaps, of a cluster or of a dump. */
@FunctionalInterface
public interface ConfigMapEntries {
    /** Where there is no cluster. */
    ConfigMapEntries NONE = (map, key) -> {
        throw new IOException("there is no cluster to read it from");
    };

    /**
     * The text of an entry.
     *
     * @throws IOException when it cannot be had; the message says why, for users
     */
    String entry(ConfigMapName map, String key) throws IOException;

    /** Those of a running cluster. */
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

    /** The same, connected to for each question. */
    static ConfigMapEntries of(Supplier<KubeConnection> cluster) {
        return (map, key) -> {
            try (KubeConnection connection = cluster.get()) {
                return of(connection).entry(map, key);
            }
        };
    }

    /** Those of the files of a dump. */
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
