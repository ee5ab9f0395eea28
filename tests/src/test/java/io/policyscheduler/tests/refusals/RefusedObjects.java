package io.policyscheduler.tests.refusals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Objects, some of them invalid, with the responses of kube-apiservers of two releases. */
final class RefusedObjects {
    static final Path FOLDER = RepositoryFiles.root().resolve("tests/src/test/resources/refusals");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int REFUSED = 300;
    private static final Map<String, String> PATHS = Map.ofEntries(
            Map.entry("Namespace", "/api/v1/namespaces"),
            Map.entry("LimitRange", "/api/v1/limitranges"),
            Map.entry("Pod", "/api/v1/pods"),
            Map.entry("PersistentVolumeClaim", "/api/v1/persistentvolumeclaims"),
            Map.entry("PriorityClass", "/apis/scheduling.k8s.io/v1/priorityclasses"),
            Map.entry("RuntimeClass", "/apis/node.k8s.io/v1/runtimeclasses"),
            Map.entry("StorageClass", "/apis/storage.k8s.io/v1/storageclasses"),
            Map.entry("CSINode", "/apis/storage.k8s.io/v1/csinodes"),
            Map.entry("PersistentVolume", "/api/v1/persistentvolumes"),
            Map.entry("ResourceClaim", "/apis/resource.k8s.io/v1/resourceclaims"),
            Map.entry("ResourceClaimTemplate", "/apis/resource.k8s.io/v1/resourceclaimtemplates"),
            Map.entry("ResourceSlice", "/apis/resource.k8s.io/v1/resourceslices"));

    private RefusedObjects() {}

    /** Returns the objects for a release, in the order in which they are created. */
    static List<ObjectNode> all(String release) throws IOException {
        List<ObjectNode> objects = new ArrayList<>();
        for (JsonNode object : new YAMLMapper()
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(FOLDER.resolve("objects.yaml").toFile())
                .readAll()) {
            if (object instanceof ObjectNode one) {
                if (release.equals("1.17") && one.path("kind").asText().equals("RuntimeClass")) {
                    one.put("apiVersion", "node.k8s.io/v1beta1");
                }
                objects.add(one);
            }
        }
        return objects;
    }

    /** Creates them one after the other. Returns the result of each request, one per line. */
    static List<String> created(String release, Asking server) throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (ObjectNode object : all(release)) {
            String kind = object.path("kind").asText();
            String answer = server.ask("POST", path(object), "application/json", object);
            lines.add(kind + " " + key(object) + ": " + answer);
        }
        return lines;
    }

    /** A server that gets requests. */
    interface Asking {
        /** Sends one request with a body of that type. */
        Answer send(String method, String path, String type, byte[] body) throws IOException, InterruptedException;

        /** Returns the status code and the message of a rejection. */
        default String ask(String method, String path, String type, JsonNode body)
                throws IOException, InterruptedException {
            Answer answer = send(method, path, type, JSON.writeValueAsBytes(body));
            return answer.code()
                    + (answer.code() < REFUSED
                            ? ""
                            : " " + answer.body().path("message").asText());
        }

        /** Calls the embedded server without a network, which these tests are not about. */
        static Asking embedded(EmbeddedControlPlane cluster) {
            return (method, path, type, body) -> {
                Response answer = cluster.call(method, path, type, body);
                return new Answer(answer.code(), answer.body());
            };
        }

        /** Calls a server over HTTP with a token. */
        static Asking http(String url, HttpClient client, String token) {
            return (method, path, type, body) -> {
                HttpResponse<byte[]> answer = client.send(
                        HttpRequest.newBuilder(URI.create(url + path))
                                .header("Content-Type", type)
                                .header("Authorization", "Bearer " + token)
                                .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
                return new Answer(answer.statusCode(), JSON.readTree(answer.body()));
            };
        }
    }

    /** A response: its HTTP status code and its body. */
    record Answer(int code, JsonNode body) {}

    /** Returns the path where such objects are created. */
    static String path(JsonNode object) {
        String path = PATHS.get(object.path("kind").asText());
        if (path == null) {
            throw new IllegalStateException("no path for " + object);
        }
        String namespace = object.path("metadata").path("namespace").asText();
        int plural = path.lastIndexOf('/');
        String served =
                path.replace("node.k8s.io/v1/", object.path("apiVersion").asText() + "/");
        return namespace.isEmpty()
                ? served
                : path.substring(0, plural) + "/namespaces/" + namespace + path.substring(plural);
    }

    static String key(JsonNode object) {
        String namespace = object.path("metadata").path("namespace").asText();
        String name = object.path("metadata").path("name").asText();
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    /** Returns the recorded responses, line by line. */
    static List<String> recorded(String release) throws IOException {
        return Files.readAllLines(recording(release));
    }

    static Path recording(String release) {
        return FOLDER.resolve("recorded-" + release + ".txt");
    }

    /** Servers read the resources of a pod in map order, so that several reasons of one rejection have no fixed order. */
    static List<String> ordered(List<String> lines) {
        return lines.stream()
                .map(line -> {
                    int start = line.indexOf(": [");
                    if (start < 0) {
                        return line;
                    }
                    String[] parts =
                            line.substring(start + 3, line.length() - 1).split(", (?=[a-z]+[ .])", -1);
                    Arrays.sort(parts);
                    return line.substring(0, start) + ": " + String.join("; ", parts);
                })
                .toList();
    }
}
