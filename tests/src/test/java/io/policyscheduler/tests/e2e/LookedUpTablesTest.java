package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that bind nothing also read the tables of their policy. */
class LookedUpTablesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String CHANGED = "table free is of generation 2 now, with 1 key";

    private final LiveCluster live = new LiveCluster();
    private final Path folder;

    LookedUpTablesTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @BeforeEach
    void cluster() throws IOException {
        live.cluster().load(Manifest.node("n1", "4"));
        live.cluster().load(Manifest.node("n2", "4"));
        live.api()
                .post(
                        MAPS,
                        Manifest.json("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'licences',"
                                + "'namespace':'default'},'data':{'free.yaml':'n1: true'}}"));
        Files.writeString(folder.resolve("policy.yaml"), """
                kind: Policy
                apiVersion: v1
                predicates:
                - name: FreeLicence
                  argument: {rule: {expression: 'tables.free[node.name] or false', reason: no licence}}
                priorities: []
                tables:
                  free: {configMap: {namespace: default, name: licences, key: free.yaml}}
                """);
    }

    @AfterEach
    void close() {
        live.close();
    }

    private void move() {
        live.api().mergePatch(MAPS + "/licences", "{'data':{'free.yaml':'n2: true'}}");
    }

    @Test
    void shadow() throws IOException {
        Path log = folder.resolve("shadow.jsonl");
        try (Program program = Program.start(
                folder,
                "shadow",
                "policy:" + folder.resolve("policy.yaml"),
                "--master",
                live.cluster().url(),
                "--log",
                log.toString())) {
            program.awaitOutput("watching");
            place("before", "n1");
            awaitLines(program, log, 1);
            move();
            program.awaitOutput(CHANGED);
            place("after", "n1");
            awaitLines(program, log, 2);
            JsonNode first = JSON.readTree(Files.readAllLines(log).get(0));
            JsonNode second = JSON.readTree(Files.readAllLines(log).get(1));
            assertEquals("default/before true", first.path("pod").asText() + " " + first.path("agrees"));
            assertEquals(
                    "default/after false FreeLicence: no licence",
                    second.path("pod").asText() + " " + second.path("agrees") + " "
                            + second.path("cause").asText());
        }
    }

    private void place(String pod, String node) {
        live.api().createPod(Manifest.podOf("another-scheduler", pod, "1"));
        live.api().bind(pod, node);
    }

    private static void awaitLines(Program program, Path log, int count) {
        Await.until(
                LiveCluster.PATIENCE,
                count + " placements are judged",
                () -> {
                    try {
                        return Files.exists(log) && Files.readAllLines(log).size() == count;
                    } catch (IOException e) {
                        return false;
                    }
                },
                program::output);
    }

    @Test
    void extender() throws IOException, InterruptedException {
        try (Program program = Program.start(
                folder,
                "extender",
                "--policy",
                folder.resolve("policy.yaml").toString(),
                "--master",
                live.cluster().url(),
                "--port",
                "0")) {
            program.awaitOutput("as an extender on http://");
            String url = "http://" + program.output().replaceAll("(?s).*as an extender on http://(\\S+).*", "$1");
            Await.until(LiveCluster.PATIENCE, "it knows the cluster", () -> ask(url).contains("n1"), program::output);
            assertEquals("[\"n1\"]", ask(url));
            move();
            program.awaitOutput(CHANGED);
            Await.until(
                    LiveCluster.PATIENCE, "the other node fits", () -> ask(url).equals("[\"n2\"]"), program::output);
        }
    }

    /** Returns the feasible nodes of a pod. */
    private static String ask(String url) {
        String body = Manifest.json("{'Pod':{'metadata':{'name':'p','namespace':'default'},'spec':{'containers':"
                        + "[{'name':'c'}]}},'NodeNames':['n1','n2']}")
                .toString();
        try {
            HttpResponse<String> response = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(url + "/filter"))
                                    .POST(HttpRequest.BodyPublishers.ofString(body))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            return JSON.readTree(response.body()).path("NodeNames").toString();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
