package io.policyscheduler.tests.refusals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
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

/** Objects of which some are refused, and what kube-apiservers of two releases have answered to them. */
final class RefusedObjects {
    private static final Path FOLDER = RepositoryFiles.root().resolve("tests/src/test/resources/refusals");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int REFUSED = 300;
    private static final Map<String, String> PATHS = Map.of(
            "Namespace", "/api/v1/namespaces",
            "LimitRange", "/api/v1/limitranges",
            "Pod", "/api/v1/pods",
            "PersistentVolumeClaim", "/api/v1/persistentvolumeclaims",
            "PriorityClass", "/apis/scheduling.k8s.io/v1/priorityclasses",
            "RuntimeClass", "/apis/node.k8s.io/v1/runtimeclasses");

    private RefusedObjects() {}

    /** The objects, as a release takes them, in the order in which they are created. */
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

    /** Creates them one after the other, and says what came of each, a line for each. */
    static List<String> created(String release, String url, HttpClient client, String token)
            throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (ObjectNode object : all(release)) {
            String kind = object.path("kind").asText();
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path(object)))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(object.toString()));
            if (!token.isEmpty()) {
                request.header("Authorization", "Bearer " + token);
            }
            HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            String told = answer.statusCode() < REFUSED
                    ? ""
                    : " " + JSON.readTree(answer.body()).path("message").asText();
            lines.add(kind + " " + key(object) + ": " + answer.statusCode() + told);
        }
        return lines;
    }

    private static String path(JsonNode object) {
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

    /** What a real server has answered, line by line. */
    static List<String> recorded(String release) throws IOException {
        return Files.readAllLines(recording(release));
    }

    static Path recording(String release) {
        return FOLDER.resolve("recorded-" + release + ".txt");
    }

    /** Servers go through the resources of a pod in no order, so that several reasons of one refusal come in any. */
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
