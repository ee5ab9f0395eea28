package io.policyscheduler.tests.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.TrustingClient;
import io.policyscheduler.tests.packaging.Built;
import io.policyscheduler.tests.packaging.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A cluster administrator with kubectl and an HTTP client; a command that fails also fails the test. */
final class Admin {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int NOT_FOUND = 404;
    private static final int SUCCESS = 2;

    private final Path kubeconfig;
    private final String kubectl = Built.tool("kubectl");
    private final HttpClient client = TrustingClient.create();
    private final String url;
    private final String token;

    Admin(Path kubeconfig) {
        this.kubeconfig = kubeconfig;
        try {
            JsonNode config = new YAMLMapper().readTree(kubeconfig.toFile());
            url = config.at("/clusters/0/cluster/server").asText();
            token = config.at("/users/0/user/token").asText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url() {
        return url;
    }

    String token() {
        return token;
    }

    /** Returns the output of kubectl. */
    String kubectl(String... arguments) {
        List<String> line = new ArrayList<>(List.of(
                kubectl,
                "--kubeconfig",
                kubeconfig.toString(),
                "--cache-dir",
                kubeconfig.resolveSibling("kubectl-cache").toString()));
        line.addAll(List.of(arguments));
        Command run = Command.run(RepositoryFiles.root(), System.getenv(), line);
        assertEquals(0, run.code(), () -> String.join(" ", arguments) + ": " + run.out() + run.err());
        return run.out();
    }

    /** Returns a token of a service account in kube-system. */
    String tokenOf(String account) {
        return kubectl("-n", "kube-system", "create", "token", account).strip();
    }

    /** Returns a missing node if the object does not exist. */
    JsonNode get(String path) {
        return send("GET", path, "application/json", "");
    }

    void create(String collection, ObjectNode object) {
        send("POST", collection, "application/json", object.toString());
    }

    void replace(String path, JsonNode object) {
        send("PUT", path, "application/json", object.toString());
    }

    /** @param patch a merge patch; may use single quotes */
    void patch(String path, String patch) {
        send("PATCH", path, "application/merge-patch+json", patch.replace('\'', '"'));
    }

    private JsonNode send(String method, String path, String contentType, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", contentType)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (method.equals("GET") && response.statusCode() == NOT_FOUND) {
                return MissingNode.getInstance();
            }
            assertEquals(SUCCESS, response.statusCode() / 100, () -> method + " " + path + ": " + response.body());
            return JSON.readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
