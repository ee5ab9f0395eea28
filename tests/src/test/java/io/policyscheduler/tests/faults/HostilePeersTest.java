package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program with 128 MB of heap, servers that send response bodies without an end, and clients that send invalid requests. */
@Tag("faults")
@Timeout(200)
class HostilePeersTest {
    private static final int ALL = 1_000_000;
    private static final int MOST_LOG_BYTES = 50_000;
    private static final int INVALID_REQUESTS = 1000;
    /** The program reads four lists of up to 64 MB with a small heap. */
    private static final Duration LISTS_TIME = Duration.ofSeconds(100);

    private final FaultFixture fixture = new FaultFixture();
    private final Path folder;

    HostilePeersTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static Predicate<Call> under(String path) {
        return call -> call.path().startsWith(path);
    }

    private void endless(String path) {
        fixture.proxy().order(ALL, under(path), Fault.Endless.string());
    }

    private Program run(String... more) {
        List<String> args = new ArrayList<>(
                List.of("run", "--master", fixture.proxy().url(), "--scheduler-name", Manifest.SCHEDULER));
        args.addAll(List.of(more));
        return Program.start(folder, List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError"), args);
    }

    private static List<String> lines(Program program, String text) {
        return program.output().lines().filter(line -> line.contains(text)).toList();
    }

    /** The other predicates place the pods: the extender is ignorable, and missing values of the tables have a default. */
    @Test
    void endlessTablesAndExtendersAreOneLineEach() throws IOException {
        endless("/prom/");
        endless("/extender/");
        endless("/apis/metrics.k8s.io/");
        fixture.addNodes(2, "4");
        Path policy = Files.writeString(folder.resolve("policy.yaml"), """
                    kind: Policy
                    apiVersion: v1
                    predicates:
                    - name: GeneralPredicates
                    - name: Load
                      argument:
                        rule:
                          expression: "(tables.load[node.name] or 0) < 1 and (tables.usage[node.name].cpu or 0) < 1"
                    priorities: []
                    extenders:
                    - urlPrefix: URL/extender
                      filterVerb: filter
                      ignorable: true
                      nodeCacheCapable: true
                    tables:
                      load:
                        prometheus: {url: URL/prom, query: up, label: node, interval: 1s, timeout: 30s}
                        staleAfter: 2m
                      usage:
                        metricsApi: {resource: nodes, interval: 1s}
                        staleAfter: 2m
                    """.replace(
                        "URL", fixture.proxy().url()));
        try (Program program = run("--policy-config-file", policy.toString(), "--leader-elect=false")) {
            fixture.addPods("p", 3, "100m");
            fixture.awaitAllBound(3);
            for (String path : List.of("/prom/", "/apis/metrics.k8s.io/")) {
                Await.until(
                        FaultFixture.PATIENCE,
                        "three requests to " + path,
                        () -> fixture.proxy().count(under(path)) >= 3,
                        program::output);
            }
            program.signal("TERM");
            assertEquals(0, program.awaitEnd(), program::output);
            assertEquals(1, lines(program, "W132 table load").size(), program::output);
            assertEquals(1, lines(program, "W132 table usage").size(), program::output);
            assertEquals(3, lines(program, "Skipping extender").size(), program::output);
            assertEquals(3, fixture.proxy().count(under("/extender/filter")), program::output);
            assertEquals(5, lines(program, ": the response is longer than ").size(), program::output);
        }
        fixture.assertSound();
    }

    private static Predicate<Call> lists(String path) {
        return call -> call.path().equals(path) && !call.target().contains("watch=true");
    }

    /** Small objects, which need more memory than their bytes. */
    private static String smallPod() {
        return "{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"u\",\"resourceVersion\":\"1\"},"
                + "\"spec\":{\"schedulerName\":\"" + Manifest.SCHEDULER + "\",\"containers\":[{}]}}";
    }

    /** A list that has an end follows, and the pods are placed. */
    @Test
    void endlessListsAreOneLineEach() {
        fixture.proxy().order(2, lists("/api/v1/pods"), Fault.Endless.items(smallPod()));
        fixture.proxy().order(1, lists("/api/v1/nodes"), Fault.Endless.string());
        fixture.proxy().order(1, lists("/api/v1/services"), new Fault.Endless("{\"metadata\":{},\"items\":[", " "));
        String page = "{\"metadata\":{\"resourceVersion\":\"1\",\"continue\":\"more\"},\"items\":[]}";
        fixture.proxy()
                .order(
                        2,
                        lists("/api/v1/persistentvolumes"),
                        new Fault.Answer(200, Map.of("Content-Type", "application/json"), page));
        fixture.addNodes(2, "4");
        try (Program program = run("--algorithm-provider", "DefaultProvider", "--leader-elect=false")) {
            fixture.addPods("p", 3, "100m");
            Await.until(LISTS_TIME, "all pods are bound", () -> fixture.server().bound() == 3, program::output);
            program.signal("TERM");
            assertEquals(0, program.awaitEnd(), program::output);
            String long64 = "the list response has a value of more than 67108864 bytes; retrying";
            assertEquals(
                    List.of(
                            "nodes: " + long64,
                            "persistentvolumes: the list has no end: the server repeats a continue token; retrying",
                            "pods: the list does not fit into the heap of N MB: after N MB of the list,"
                                    + " 7/8 of the heap are in use; set a larger -Xmx; retrying",
                            "services: " + long64),
                    lines(program, "W102").stream()
                            .map(line -> line.replaceFirst(".*W102 cannot watch ", "")
                                    .replaceAll("[0-9]+ MB", "N MB"))
                            .sorted()
                            .toList(),
                    program::output);
        }
        fixture.assertSound();
    }

    @Test
    void endlessDiscoveryIsOneLine() {
        endless("/version");
        try (Program program = run("--algorithm-provider", "DefaultProvider")) {
            assertEquals(4, program.awaitEnd(), program::output);
            assertEquals(
                    List.of("error: cannot connect to " + fixture.proxy().url()
                            + ": GET /version: the response is longer than 8388608 bytes"),
                    lines(program, "error"));
        }
    }

    @Test
    void aThousandInvalidRequestsAreAFewLines() throws IOException {
        try (Program program = run(
                "--algorithm-provider", "DefaultProvider", "--leader-elect=false", "--status-address=127.0.0.1:0")) {
            program.awaitOutput("status at http://");
            Await.until(
                    FaultFixture.PATIENCE,
                    "the status port responds",
                    () -> program.get("/healthz").equals("ok"),
                    program::output);
            URI status = URI.create(lines(program, "status at http://")
                    .get(0)
                    .replaceFirst(".*status at ", "")
                    .replaceFirst("\\s.*", ""));
            String text = "client-text ".repeat(250);
            List<String> invalid = List.of(
                    "GET / HTTP/1.1\r\nHost: a " + text + "\r\n\r\n",
                    "GET /" + text.replace(' ', '/') + "%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    "\u0001" + text + "\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + text + "\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: localhost\r\n" + text + "\r\n\r\n",
                    "GET / HTTP/9.9\r\nHost: " + text + "\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + text.repeat(10) + "\r\n\r\n");
            for (int i = 0; i < INVALID_REQUESTS; i++) {
                send(status.getPort(), invalid.get(i % invalid.size()));
            }
            assertEquals("ok", program.get("/healthz"));
            program.signal("TERM");
            assertEquals(0, program.awaitEnd(), program::output);
            int bytes = program.output().getBytes(StandardCharsets.UTF_8).length;
            assertTrue(bytes < MOST_LOG_BYTES, () -> bytes + " bytes of log");
            assertFalse(program.output().contains(text), program::output);
            assertFalse(
                    lines(program, "suppressing further lines about invalid requests")
                            .isEmpty(),
                    program::output);
        }
    }

    /** Sends a request, and reads until the server closes the connection. */
    private static void send(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        } catch (SocketException e) {
            // The server closes the connection before it has read a long request.
        }
    }
}
