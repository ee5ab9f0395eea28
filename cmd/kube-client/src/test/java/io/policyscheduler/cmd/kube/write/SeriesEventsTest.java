package io.policyscheduler.cmd.kube.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventApi;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventOccurrence;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventSink;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class SeriesEventsTest {
    private static final Instant START = Instant.parse("2024-02-03T04:05:06.000000007Z");
    private static final ObjectReference WEB = new ObjectReference("ns", "web", "u1", "42");
    private static final ObjectReference NEXT_VERSION = new ObjectReference("ns", "web", "u1", "43");
    private static final ObjectReference OTHER = new ObjectReference("ns", "db", "u2", "7");
    private static final String EVENTS = "/apis/events.k8s.io/v1/namespaces/ns/events";
    private static final String FIRST = "web." + Long.toHexString(START.getEpochSecond() * 1_000_000_000L + 7);

    private final ObjectMapper mapper = new ObjectMapper();
    private volatile int patchAnswer = 200;
    private volatile boolean forbidden;
    private final FakeApiServer server = new FakeApiServer(request -> request.answer(
            forbidden && request.path().startsWith("/apis/")
                    ? 403
                    : request.method().equals("PATCH") ? patchAnswer : 201,
            "{\"message\":\"no\"}"));
    private final KubeConnection connection = KubeConnection.fromUrl(server.url());
    private final SeriesEvents events = new SeriesEvents(connection, "host-1", EventApi.EVENTS);
    private Instant now = START;

    @AfterEach
    void stop() {
        connection.close();
        server.close();
    }

    private void send(ObjectReference pod, EventText text) throws IOException {
        EventSink.Delivery delivery =
                events.send(new EventOccurrence(pod, text, now, now)).delivery();
        if (delivery != null) {
            delivery.send(false);
        }
    }

    private void failed(ObjectReference pod, String message) throws IOException {
        send(pod, new EventText("my-scheduler", "Warning", "FailedScheduling", message, 0));
    }

    private void pass(Duration time) throws IOException {
        now = now.plus(time);
        for (EventSink.Delivery delivery : events.due(now)) {
            delivery.send(false);
        }
    }

    /** Method, path, and for patches the body. */
    private List<String> written() {
        List<String> lines = new ArrayList<>();
        for (FakeApiServer.Request request : server.requests) {
            boolean patch = request.method().equals("PATCH");
            lines.add(request.method() + " " + request.path() + (patch ? " " + request.body() : ""));
        }
        return lines;
    }

    private static String patch(String name, int count, String time) {
        return "PATCH " + EVENTS + "/" + name + " {\"series\":{\"count\":" + count
                + ",\"lastObservedTime\":\"2024-02-03T" + time + "\"}}";
    }

    @Test
    void writesTheWholeEvent() throws IOException {
        send(WEB, new EventText("my-scheduler", "Normal", "Preempted", "Preempted by pod u2 on node n1", 3, OTHER));
        assertEquals(List.of("POST " + EVENTS), written());
        JsonNode expected = mapper.readTree("""
                {"apiVersion":"events.k8s.io/v1","kind":"Event",
                 "metadata":{"name":"%s","namespace":"ns","annotations":{"policy-scheduler.io/generation":"3"}},
                 "eventTime":"2024-02-03T04:05:06.000000Z","reportingController":"my-scheduler",
                 "reportingInstance":"host-1","action":"Preempting","reason":"Preempted",
                 "regarding":{"kind":"Pod","namespace":"ns","name":"web","apiVersion":"v1","uid":"u1","resourceVersion":"42"},
                 "related":{"kind":"Pod","namespace":"ns","name":"db","apiVersion":"v1","uid":"u2","resourceVersion":"7"},
                 "note":"Preempted by pod u2 on node n1","type":"Normal"}
                """.formatted(FIRST));
        assertEquals(expected, mapper.readTree(server.requests.get(0).body()));
    }

    /** The event API of a server, the newest first. */
    @ParameterizedTest
    @CsvSource({
        "v1 events.k8s.io/v1 events.k8s.io/v1beta1, EVENTS",
        "v1 events.k8s.io/v1beta1, EVENTS_BETA",
        "v1, CORE",
    })
    void theApiIsThatOfTheServer(String served, EventApi api) {
        assertEquals(api, EventApi.of(Set.of(served.split(" ", -1))));
    }

    /** Servers of 1.17 and 1.18, to which kube-scheduler wrote v1beta1. */
    @Test
    void writesV1beta1ToAnOldServer() throws IOException {
        try (EmbeddedControlPlane cluster =
                        EmbeddedControlPlane.builder().release(Release.V1_17).start();
                KubeConnection old = KubeConnection.fromUrl(cluster.url())) {
            cluster.load(
                    mapper.readTree("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"ns\"}}"));
            EventApi api = EventApi.of(ApiDiscovery.load(old).groupVersions());
            assertEquals(EventApi.EVENTS_BETA, api);
            EventSink channel = api.open(old, "host-1");
            EventText text = new EventText("my-scheduler", "Warning", "FailedScheduling", "no node", 0);
            for (int i = 0; i < 2; i++) {
                EventSink.Delivery delivery =
                        channel.send(new EventOccurrence(WEB, text, now, now)).delivery();
                assertTrue(delivery != null && delivery.send(false).success());
            }
            JsonNode event = old.get("/apis/events.k8s.io/v1beta1/namespaces/ns/events")
                    .json()
                    .path("items")
                    .path(0);
            assertEquals(
                    List.of("Scheduling", "no node", "web", "my-scheduler", "my-scheduler", 1),
                    List.of(
                            event.path("action").asText(),
                            event.path("note").asText(),
                            event.path("regarding").path("name").asText(),
                            event.path("reportingController").asText(),
                            event.path("deprecatedSource").path("component").asText(),
                            event.path("series").path("count").asInt()));
        }
    }

    @Test
    void actionsFollowReasons() throws IOException {
        send(WEB, new EventText("s", "Normal", "Scheduled", "m", 0));
        send(WEB, new EventText("s", "Warning", "FailedScheduling", "m", 0));
        List<String> actions = new ArrayList<>();
        for (FakeApiServer.Request request : server.requests) {
            actions.add(mapper.readTree(request.body()).path("action").asText());
        }
        assertEquals(List.of("Binding", "Scheduling"), actions);
    }

    @Test
    void theSecondStartsASeriesAndMoreAreWrittenWhenNoneComes() throws IOException {
        failed(WEB, "no node");
        pass(Duration.ofMinutes(5));
        failed(WEB, "the note plays no part");
        pass(Duration.ofMinutes(5));
        failed(WEB, "no node");
        failed(WEB, "no node");
        pass(Duration.ofMinutes(5));
        pass(Duration.ofMinutes(1));
        pass(Duration.ofMinutes(60));
        failed(WEB, "no node");
        assertEquals(
                List.of(
                        "POST " + EVENTS,
                        patch(FIRST, 2, "04:10:06.000000Z"),
                        patch(FIRST, 4, "04:15:06.000000Z"),
                        "POST " + EVENTS),
                written());
        assertEquals(
                KubeConnection.STRATEGIC_MERGE_PATCH, server.requests.get(1).header("Content-Type"));
    }

    @Test
    void aLongSeriesIsWrittenEveryHalfHour() throws IOException {
        for (int minute = 0; minute <= 65; minute++) {
            failed(WEB, "no node");
            pass(Duration.ofMinutes(1));
        }
        assertEquals(
                List.of(
                        "POST " + EVENTS,
                        patch(FIRST, 2, "04:06:06.000000Z"),
                        patch(FIRST, 31, "04:35:06.000000Z"),
                        patch(FIRST, 60, "05:04:06.000000Z")),
                written());
    }

    @Test
    void anotherVersionOfThePodIsAnotherEvent() throws IOException {
        failed(WEB, "no node");
        failed(NEXT_VERSION, "no node");
        failed(OTHER, "no node");
        assertEquals(List.of("POST " + EVENTS, "POST " + EVENTS, "POST " + EVENTS), written());
    }

    @Test
    void aSeriesWhoseEventWasDeletedIsCreatedAnew() throws IOException {
        failed(WEB, "no node");
        patchAnswer = 404;
        failed(WEB, "no node");
        assertEquals(List.of("POST " + EVENTS, patch(FIRST, 2, "04:05:06.000000Z"), "POST " + EVENTS), written());
        assertEquals(
                2,
                mapper.readTree(server.requests.get(2).body())
                        .at("/series/count")
                        .asInt());
    }

    @Test
    void longNotesAreCut() throws IOException {
        failed(WEB, "a".repeat(2000));
        assertEquals(
                "a".repeat(1020) + " ...",
                mapper.readTree(server.requests.get(0).body()).path("note").asText());
    }

    @Test
    void whoMayNotWriteThemWritesThoseOfTheCoreGroup() {
        forbidden = true;
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (EventRecorder writer = new EventRecorder(
                connection, EventApi.EVENTS, "s", "i", Clock.systemUTC(), Clock.systemUTC(), executor)) {
            writer.record(WEB, "Normal", "Scheduled", "m");
            writer.record(WEB, "Normal", "Scheduled", "other");
            writer.close();
            assertEquals(0, writer.dropped());
        } finally {
            executor.shutdownNow();
        }
        String core = "POST /api/v1/namespaces/ns/events";
        assertEquals(List.of("POST " + EVENTS, core, core), written());
    }
}
