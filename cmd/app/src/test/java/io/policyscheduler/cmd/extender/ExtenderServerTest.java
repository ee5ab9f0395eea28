package io.policyscheduler.cmd.extender;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.extender.ExtenderCommand.ExtenderServer;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExtenderServerTest {
    private static final String POLICY = "{\"kind\":\"Policy\",\"apiVersion\":\"v1\","
            + "\"predicates\":[{\"name\":\"PodFitsResources\"},{\"name\":\"PodToleratesNodeTaints\"}],"
            + "\"priorities\":[{\"name\":\"LeastRequestedPriority\",\"weight\":3}]}";
    private static final String POD = "\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"u\"},"
            + "\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}";

    private final ClusterState cluster = new ClusterState();
    private final ExecutorService owner = Executors.newSingleThreadExecutor();
    private final HttpClient client = HttpClient.newHttpClient();
    private volatile boolean ready = true;
    private ExtenderServer server;

    @BeforeEach
    void start() throws IOException, PolicyException {
        cluster.putNode(node("big").cpu("4").memory("8Gi").pods(10).build());
        cluster.putNode(node("half").cpu("4").memory("8Gi").pods(10).build());
        cluster.putNode(node("full").cpu("1").memory("8Gi").pods(10).build());
        cluster.putNode(node("tainted")
                .cpu("4")
                .memory("8Gi")
                .pods(10)
                .taint("a", "b", "NoSchedule")
                .build());
        cluster.addPod(pod("q").cpu("1").memory("2Gi").onNode("half").build());
        cluster.addPod(pod("r").cpu("1").memory("2Gi").onNode("full").build());
        EffectivePolicy policy = new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.registry())
                .resolve(new PolicyReader().read(POLICY, "policy.json"));
        SchedulingCycle cycle = SchedulingCycle.of(
                new ProviderAdapter(Algorithms.registry(), name -> "").adapt(policy, cluster), cluster);
        server = new ExtenderServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ExtenderService(cycle, cluster, FeatureGates.defaults(), owner),
                () -> ready);
    }

    @AfterEach
    void stop() {
        server.close();
        owner.shutdownNow();
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.address().getPort() + path);
    }

    private String post(String path, String body) throws Exception {
        return send(HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private String send(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }

    @Test
    void filtersByName() throws Exception {
        assertEquals(
                "200 {\"Nodes\":null,\"NodeNames\":[\"half\",\"big\"],\"FailedNodes\":{\"full\":\"Insufficient cpu\","
                        + "\"tainted\":\"node(s) had taints that the pod didn't tolerate\","
                        + "\"zz\":\"node not found in the extender's cache\"},"
                        + "\"FailedAndUnresolvableNodes\":{\"tainted\":\"node(s) had taints that the pod didn't"
                        + " tolerate\"},\"Error\":\"\"}",
                post(
                        "/filter",
                        "{" + POD + ",\"Nodes\":null,"
                                + "\"NodeNames\":[\"half\",\"full\",\"zz\",\"tainted\",\"big\"]}"));
    }

    @Test
    void filtersNodeObjectsWithThePodsThatRunThere() throws Exception {
        String free = "{\"metadata\":{\"name\":\"new\"},\"status\":{\"allocatable\":"
                + "{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"10\"}}}";
        String grown = free.replace("new", "full").replace("\"4\"", "\"1500m\"");
        assertEquals(
                "200 {\"Nodes\":{\"metadata\":{},\"items\":[" + free + "]},\"NodeNames\":null,"
                        + "\"FailedNodes\":{\"full\":\"Insufficient cpu\"},\"FailedAndUnresolvableNodes\":{},"
                        + "\"Error\":\"\"}",
                post(
                        "/filter",
                        "{" + POD + ",\"Nodes\":{\"metadata\":{},\"items\":[" + free + "," + grown
                                + "]},\"NodeNames\":null}"));
    }

    @Test
    void bestNodeScoresTen() throws Exception {
        assertEquals(
                "200 [{\"Host\":\"full\",\"Score\":0},{\"Host\":\"half\",\"Score\":0},{\"Host\":\"big\",\"Score\":10},"
                        + "{\"Host\":\"zz\",\"Score\":0}]",
                post("/prioritize", "{" + POD + ",\"NodeNames\":[\"full\",\"half\",\"big\",\"zz\"]}"));
        assertEquals(
                "200 [{\"Host\":\"half\",\"Score\":10}]",
                post("/prioritize", "{" + POD + ",\"NodeNames\":[\"half\"]}"));
        assertEquals("200 []", post("/prioritize", "{" + POD + ",\"NodeNames\":[]}"));
    }

    @Test
    void refusesWhatIsNoRequest() throws Exception {
        assertEquals("400 the request has no Pod", post("/filter", "{}"));
        assertEquals("400 expected an object with Pod and Nodes or NodeNames", post("/filter", "[]"));
        assertEquals("400 NodeNames contains a value that is not a string", post("/filter", "{\"NodeNames\":[1]}"));
        assertEquals("400 Nodes contains a value that is not a node", post("/filter", "{\"Nodes\":{\"items\":[1]}}"));
        assertTrue(post("/filter", "{bad").startsWith("400 Unexpected character"));
        assertEquals("404 not found", post("/filter/x", "{}"));
        assertEquals("404 not found", post("/preempt", "{}"));
        assertEquals("405 only POST", send(HttpRequest.newBuilder(uri("/filter"))));
    }

    @Test
    void saysWhenTheClusterIsKnown() throws Exception {
        assertEquals("200 ok", send(HttpRequest.newBuilder(uri("/healthz"))));
        ready = false;
        assertEquals("503 waiting for the caches to sync", send(HttpRequest.newBuilder(uri("/healthz"))));
        assertEquals("503 waiting for the caches to sync", post("/filter", "{" + POD + "}"));
    }

    @Test
    void answersForManyNodes() throws Exception {
        for (int i = 0; i < 5000; i++) {
            cluster.putNode(node("n" + i).cpu("4").memory("8Gi").pods(10).build());
        }
        String names = IntStream.range(0, 5000).mapToObj(i -> "\"n" + i + "\"").collect(Collectors.joining(","));
        String body = "{" + POD + ",\"Nodes\":null,\"NodeNames\":[" + names + "]}";
        String filtered = post("/filter", body);
        assertEquals(
                "200 {\"Nodes\":null,\"NodeNames\":[" + names
                        + "],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}",
                filtered);
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 30; i++) {
            long start = System.nanoTime();
            post("/filter", body);
            post("/prioritize", body);
            best = Math.min(best, System.nanoTime() - start);
        }
        // The goal is 100 ms; a test machine may be slow and busy.
        assertTrue(best < 1_000_000_000, best + " ns");
    }
}
