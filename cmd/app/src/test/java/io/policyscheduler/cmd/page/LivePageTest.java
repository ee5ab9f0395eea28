package io.policyscheduler.cmd.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.page.OwnPage.PagePort;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LivePageTest {
    private final ClusterState cluster = new ClusterState();
    private final DecisionHistory history = new DecisionHistory(10, Clock.systemUTC());
    private final PageRates rates = new PageRates();
    private final AtomicInteger looks = new AtomicInteger();
    private final LivePage page = new LivePage(
            history, rates, () -> JsonNodeFactory.instance.arrayNode().add("policy"), Clock.systemUTC());
    private final PagePort port;
    private final HttpClient http = HttpClient.newHttpClient();

    LivePageTest() throws IOException {
        port = new PagePort(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), page, history, "first");
        cluster.putNode(NodeBuilder.node("n1").cpu("4").label("zone", "x").build());
        cluster.addPod(PodBuilder.pod("p").cpu("1").build().withNodeName("n1"));
    }

    @AfterEach
    void close() {
        port.close();
        page.close();
    }

    /** Responds immediately, because nothing else uses the cluster here. */
    private class Still implements PageSource, PageSource.SchedulerState {
        @Override
        public void post(Consumer<SchedulerState> task) {
            looks.incrementAndGet();
            task.accept(this);
        }

        @Override
        public ClusterState cluster() {
            return cluster;
        }

        @Override
        public Counts counts() {
            return new Counts(7, 0, 0, 0, 0, 0, 1, 1);
        }

        @Override
        public List<QueuedPod> waiting(Part part) {
            return List.of();
        }

        @Override
        public @Nullable Part partOf(String key) {
            return null;
        }

        @Override
        public @Nullable PodInfo pod(String namespace, String name) {
            return name.equals("p") ? PodBuilder.pod("p").build() : null;
        }
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create(port.url() + path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private BufferedReader events() throws IOException {
        return new BufferedReader(new InputStreamReader(
                URI.create(port.url() + "ui/events").toURL().openStream(), StandardCharsets.UTF_8));
    }

    private static JsonNode frame(BufferedReader events) throws IOException {
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            if (line.startsWith("data: ")) {
                return new ObjectMapper().readTree(line.substring("data: ".length()));
            }
        }
        throw new IOException("the stream has ended");
    }

    @Test
    void questionsDoNotPileUpOnAThreadThatIsBusy() throws Exception {
        Still still = new Still();
        Queue<Consumer<PageSource.SchedulerState>> posted = new ConcurrentLinkedQueue<>();
        page.follow(posted::add);
        // The first point of the history.
        while (posted.isEmpty()) {
            Thread.onSpinWait();
        }
        posted.clear();
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        HttpRequest request = HttpRequest.newBuilder(URI.create(port.url() + "ui/node?name=n1"))
                .build();
        for (int i = 0; i < LivePage.MOST_QUESTIONS; i++) {
            answers.add(http.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
        }
        while (posted.size() < LivePage.MOST_QUESTIONS) {
            Thread.onSpinWait();
        }
        assertEquals(503, get("ui/node?name=n1").statusCode());
        posted.remove().accept(new Still() {
            @Override
            public ClusterState cluster() {
                throw new IllegalStateException("broken");
            }
        });
        posted.forEach(task -> task.accept(still));
        List<Integer> codes = new ArrayList<>();
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            codes.add(answer.get().statusCode());
        }
        assertEquals(1, Collections.frequency(codes, 500), codes::toString);
        assertEquals(LivePage.MOST_QUESTIONS - 1, Collections.frequency(codes, 200), codes::toString);
    }

    @Test
    void nothingCanBeChangedHere() throws IOException, InterruptedException {
        for (String path : List.of("playground/step", "playground/create", "ui/pod")) {
            HttpRequest post = HttpRequest.newBuilder(URI.create(port.url() + path))
                    .header("X-Requested-With", "policy-scheduler")
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            assertEquals(
                    405, http.send(post, HttpResponse.BodyHandlers.ofString()).statusCode(), path);
        }
        assertEquals(404, get("playground/playground.js").statusCode());
        assertFalse(get("").body().contains("playground"));
    }

    @Test
    void filesComeWithAPolicyThatKeepsOthersOut() throws IOException, InterruptedException {
        HttpResponse<String> start = get("");
        assertEquals(200, start.statusCode());
        assertTrue(start.body().startsWith("<!doctype html>"), start::body);
        String policy = start.headers().firstValue("Content-Security-Policy").orElse("");
        assertTrue(policy.contains("default-src 'none'") && !policy.contains("unsafe"), policy);
        HttpResponse<String> script = get("ui/main.js");
        assertEquals(
                "text/javascript; charset=utf-8",
                script.headers().firstValue("Content-Type").orElse(""));
        assertTrue(get("ui/uPlot.iife.min.js").body().contains("uPlot"));
        assertEquals(404, get("ui/../main.js").statusCode());
        assertEquals(404, get("ui/nothing").statusCode());
        assertEquals("[\"policy\"]", get("ui/policy").body());
        assertEquals(
                405,
                http.send(
                                HttpRequest.newBuilder(URI.create(port.url()))
                                        .POST(HttpRequest.BodyPublishers.noBody())
                                        .build(),
                                HttpResponse.BodyHandlers.discarding())
                        .statusCode());
        assertTrue(PageFiles.ofPage("").bytes() < 300_000);
    }

    @Test
    void theFirstFrameHasTheHistory() throws IOException, InterruptedException {
        page.follow(new Still());
        while (looks.get() == 0) {
            Thread.onSpinWait();
        }
        rates.onDecision(PodBuilder.pod("p").build(), new Decision(Decision.Kind.PLACED, "n1", 1, "", 1, 1), 1000);
        int points;
        try (BufferedReader events = events()) {
            JsonNode first = frame(events);
            points = first.path("points").size();
            assertEquals(1, decided(first));
            assertTrue(points >= 2, first::toString);
            assertEquals(7, first.at("/points/0/active").asInt());
            assertTrue(first.at("/nodes/all").asBoolean() && first.path("first").asBoolean());
            assertEquals(
                    "[\"n1\",\"\",\"\",1,110,1000,4000]",
                    first.at("/nodes/rows/0").toString().replaceAll(",0,\\d+\\]$", "]"));
            rates.onDecision(PodBuilder.pod("p").build(), new Decision(Decision.Kind.PLACED, "n1", 1, "", 1, 1), 1000);
            history.onDecision(PodBuilder.pod("p").build(), new Decision(Decision.Kind.PLACED, "n1", 1, "", 1, 1), 1);
            JsonNode second = frame(events);
            assertFalse(second.at("/nodes/all").asBoolean());
            assertEquals(0, second.at("/nodes/rows").size());
            int decided = second.at("/points/0/decided").asInt();
            int received = second.at("/decisions").size();
            while (decided == 0 || received == 0) {
                JsonNode next = frame(events);
                decided += next.at("/points/0/decided").asInt();
                received += next.at("/decisions").size();
            }
            assertEquals(List.of(1, 1), List.of(decided, received));
        }
        while (page.viewers() > 0) {
            Thread.onSpinWait();
        }
        try (BufferedReader events = events()) {
            JsonNode again = frame(events);
            assertEquals(2, decided(again));
            assertTrue(again.path("points").size() > points, again::toString);
        }
    }

    private static int decided(JsonNode frame) {
        int decided = 0;
        for (JsonNode point : frame.path("points")) {
            decided += point.path("decided").asInt();
        }
        return decided;
    }

    @Test
    void viewersAreFew() throws IOException, InterruptedException {
        page.follow(new Still());
        List<BufferedReader> open = new ArrayList<>();
        for (int i = 0; i < PageHub.MOST_VIEWERS; i++) {
            open.add(events());
        }
        for (BufferedReader events : open) {
            assertTrue(frame(events).at("/nodes/all").asBoolean());
        }
        HttpResponse<String> refused = get("ui/events");
        assertEquals(503, refused.statusCode());
        assertEquals("too many viewers: at most 16\n", refused.body());
        for (BufferedReader events : open) {
            events.close();
        }
    }

    @Test
    void nodesAndPodsOneByOne() throws IOException, InterruptedException {
        assertEquals(503, get("ui/node?name=n1").statusCode());
        page.follow(new Still());
        JsonNode node = new ObjectMapper().readTree(get("ui/node?name=n1").body());
        assertEquals("default/p", node.at("/pods/0/pod").asText());
        assertEquals(1000, node.at("/resources/0/requested").asInt());
        assertEquals(404, get("ui/node?name=n2").statusCode());
        JsonNode pod = new ObjectMapper().readTree(get("ui/pod?pod=default/p").body());
        assertEquals("default/p", pod.path("pod").asText());
        assertEquals(404, get("ui/pod?pod=default/q").statusCode());
        assertEquals(400, get("ui/pod?pod=q").statusCode());
        try (BufferedReader events = events()) {
            frame(events);
            assertEquals("{\"n1\":\"x\"}", get("ui/labels?key=zone").body());
        }
    }
}
