package io.policyscheduler.cmd.kube.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventApi;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class EventRecorderTest {
    private static final Instant START = Instant.parse("2024-02-03T04:05:06.000000007Z");
    private static final ObjectReference WEB = new ObjectReference("ns", "web", "u1", "42");

    private final ObjectMapper mapper = new ObjectMapper();
    private final MovableClock clock = new MovableClock();
    private final ExecutorService executor = Executors.newSingleThreadExecutor();
    private final List<Duration> sleeps = new CopyOnWriteArrayList<>();
    private volatile Runnable beforeRetry = () -> {};
    private volatile int answer = 201;
    private volatile int patchAnswer = 200;
    private final FakeApiServer server =
            new FakeApiServer(request -> request.answer(request.method().equals("PATCH") ? patchAnswer : answer, "{}"));
    private final KubeConnection connection = KubeConnection.fromUrl(server.url());

    private static final class MovableClock extends Clock {
        private volatile Instant now = START;

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        void advance(Duration by) {
            now = now.plus(by);
        }
    }

    @AfterEach
    void stop() {
        connection.close();
        server.close();
        executor.shutdownNow();
    }

    private EventRecorder writer() {
        return writer(EventApi.CORE);
    }

    private EventRecorder writer(EventApi api) {
        return new EventRecorder(
                connection,
                api,
                "my-scheduler",
                "host-1",
                clock,
                clock,
                new SplittableRandom(7),
                delay -> {
                    sleeps.add(delay);
                    beforeRetry.run();
                },
                executor);
    }

    private List<String> methodsAndPaths() {
        return server.requests.stream().map(r -> r.method() + " " + r.path()).toList();
    }

    private static String name(Instant time) {
        return "web." + Long.toHexString(time.getEpochSecond() * 1_000_000_000L + time.getNano());
    }

    @Test
    void writesTheWholeEvent() throws IOException {
        try (EventRecorder events = writer()) {
            events.record(WEB, "Normal", "Scheduled", "Successfully assigned ns/web to n1");
        }
        assertEquals(List.of("POST /api/v1/namespaces/ns/events"), methodsAndPaths());
        JsonNode expected = mapper.readTree("""
                {"apiVersion":"v1","kind":"Event","metadata":{"name":"%s","namespace":"ns"},
                 "involvedObject":{"kind":"Pod","namespace":"ns","name":"web","uid":"u1","apiVersion":"v1","resourceVersion":"42"},
                 "reason":"Scheduled","message":"Successfully assigned ns/web to n1","type":"Normal","count":1,
                 "firstTimestamp":"2024-02-03T04:05:06Z","lastTimestamp":"2024-02-03T04:05:06Z",
                 "source":{"component":"my-scheduler"},"reportingComponent":"my-scheduler","reportingInstance":"host-1"}
                """.formatted(name(START)));
        assertEquals(expected, mapper.readTree(server.requests.get(0).body()));
    }

    @Test
    void anEventWhoseAnswerWasLostIsThereOnce() throws Exception {
        answer = 500;
        CountDownLatch retried = new CountDownLatch(1);
        beforeRetry = () -> {
            answer = 409;
            retried.countDown();
        };
        try (EventRecorder events = writer()) {
            events.record(WEB, "Warning", "FailedScheduling", "no node");
            assertTrue(retried.await(30, TimeUnit.SECONDS));
            events.record(WEB, "Warning", "FailedScheduling", "no node");
        }
        String events = "/api/v1/namespaces/ns/events";
        assertEquals(
                List.of("POST " + events, "POST " + events, "PATCH " + events + "/" + name(START)), methodsAndPaths());
        for (int i = 0; i < 2; i++) {
            assertEquals(
                    name(START),
                    mapper.readTree(server.requests.get(i).body())
                            .path("metadata")
                            .path("name")
                            .asText());
        }
    }

    @Test
    void equalEventsAreCounted() throws IOException {
        try (EventRecorder events = writer()) {
            events.record(WEB, "Warning", "FailedScheduling", "no node");
            clock.advance(Duration.ofMinutes(9));
            events.record(WEB, "Warning", "FailedScheduling", "no node");
            clock.advance(Duration.ofMinutes(9));
            events.record(WEB, "Warning", "FailedScheduling", "no node");
            events.record(WEB, "Warning", "FailedScheduling", "other text");
            clock.advance(Duration.ofMinutes(10));
            events.record(WEB, "Warning", "FailedScheduling", "no node");
        }
        String events = "/api/v1/namespaces/ns/events";
        assertEquals(
                List.of(
                        "POST " + events,
                        "PATCH " + events + "/" + name(START),
                        "PATCH " + events + "/" + name(START),
                        "POST " + events,
                        "POST " + events),
                methodsAndPaths());
        assertEquals(
                mapper.readTree("{\"count\":3,\"lastTimestamp\":\"2024-02-03T04:23:06Z\"}"),
                mapper.readTree(server.requests.get(2).body()));
        assertEquals(KubeConnection.MERGE_PATCH, server.requests.get(2).header("Content-Type"));
    }

    @Test
    void countedEventThatWasDeletedIsCreatedAnew() {
        patchAnswer = 404;
        try (EventRecorder events = writer()) {
            events.record(WEB, "Normal", "A", "m");
            events.record(WEB, "Normal", "A", "m");
            events.record(WEB, "Normal", "B", "m");
        }
        assertEquals(
                List.of("POST", "PATCH", "POST", "POST"),
                server.requests.stream().map(FakeApiServer.Request::method).toList());
    }

    @Test
    void limitsTheEventsOfOnePod() {
        EventRecorder events = writer();
        try (events) {
            for (int i = 0; i < 30; i++) {
                events.record(WEB, "Normal", "R" + i, "m");
            }
            events.record(new ObjectReference("ns", "db", "u2", ""), "Normal", "R", "m");
            clock.advance(Duration.ofMinutes(5));
            events.record(WEB, "Normal", "later", "m");
            events.record(WEB, "Normal", "too many", "m");
        }
        assertEquals(27, server.requests.size());
        assertEquals(6, events.dropped());
    }

    @Test
    void dropsWhenTheQueueIsFullAndAfterClose() {
        List<Runnable> started = new ArrayList<>();
        EventRecorder events = new EventRecorder(connection, EventApi.EVENTS, "s", "i", clock, clock, started::add);
        for (int i = 0; i < EventRecorder.QUEUE_SIZE + 3; i++) {
            events.record(new ObjectReference("ns", "p" + i, "u" + i, ""), "Normal", "R", "m");
        }
        assertEquals(3, events.dropped());
        executor.execute(started.get(0));
        events.close();
        events.record(WEB, "Normal", "R", "m");
        assertTrue(events.dropped() >= 4);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 403, 404, 409, 422})
    void whatIsRefusedIsDropped(int code) {
        answer = code;
        EventRecorder events = writer();
        events.record(WEB, "Normal", "R", "m");
        events.close();
        assertEquals(1, events.dropped());
        assertEquals(1, server.requests.size());
        assertEquals(List.of(), sleeps);
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503})
    void whatMayPassIsTriedAgain(int code) throws InterruptedException {
        answer = code;
        CountDownLatch written = new CountDownLatch(1);
        beforeRetry = () -> {
            if (sleeps.size() == 4) {
                answer = 201;
                written.countDown();
            }
        };
        EventRecorder events = writer();
        events.record(WEB, "Normal", "R", "m");
        assertTrue(written.await(20, TimeUnit.SECONDS));
        events.close();
        assertEquals(0, events.dropped());
        assertEquals(5, server.requests.size());
        assertTrue(sleeps.get(0).compareTo(Duration.ofSeconds(10)) < 0);
        assertEquals(Collections.nCopies(3, Duration.ofSeconds(10)), sleeps.subList(1, 4));
    }

    @Test
    void anEventIsTriedTwelveTimesAndNotForLongerThanTheWriterIsOpen() throws InterruptedException {
        server.goDown();
        CountDownLatch second = new CountDownLatch(12);
        beforeRetry = second::countDown;
        EventRecorder events = writer();
        events.record(WEB, "Normal", "R", "m");
        events.record(WEB, "Normal", "S", "m");
        assertTrue(second.await(20, TimeUnit.SECONDS));
        assertEquals(1, events.dropped());
        events.close();
        assertEquals(2, events.dropped());
    }

    @Test
    void similarEventsAreCombinedFromTheTenthOn() throws IOException {
        EventRecorder events = writer();
        try (events) {
            for (int i = 1; i <= 12; i++) {
                events.record(WEB, "Warning", "Failed", "message " + i);
            }
            events.record(WEB, "Warning", "Other", "message 13");
            clock.advance(Duration.ofMinutes(11));
            events.record(WEB, "Warning", "Failed", "message 14");
        }
        assertEquals(0, events.dropped());
        List<JsonNode> bodies = new ArrayList<>();
        for (FakeApiServer.Request request : server.requests) {
            bodies.add(mapper.readTree(request.body()));
        }
        assertEquals(
                List.of("message 9", "(combined from similar events): message 10"),
                bodies.subList(8, 10).stream()
                        .map(body -> body.path("message").asText())
                        .toList());
        assertEquals(
                List.of(
                        mapper.readTree("{\"count\":2,\"lastTimestamp\":\"2024-02-03T04:05:06Z\","
                                + "\"message\":\"(combined from similar events): message 11\"}"),
                        mapper.readTree("{\"count\":3,\"lastTimestamp\":\"2024-02-03T04:05:06Z\","
                                + "\"message\":\"(combined from similar events): message 12\"}")),
                bodies.subList(10, 12));
        assertEquals(
                List.of("message 13", "message 14"),
                bodies.subList(12, 14).stream()
                        .map(body -> body.path("message").asText())
                        .toList());
    }

    @Test
    void namesAndReasonsKeepWithinTheirLimits() throws IOException {
        String longName = "p".repeat(234) + ".-x" + "y".repeat(16);
        try (EventRecorder events = writer()) {
            events.record(new ObjectReference("ns", longName, "u", ""), "Normal", "R".repeat(200), "m");
        }
        JsonNode body = mapper.readTree(server.requests.get(0).body());
        String name = body.path("metadata").path("name").asText();
        assertTrue(name.length() <= 253 && name.matches("p{234}\\.[0-9a-f]+"), name);
        assertEquals("R".repeat(128), body.path("reason").asText());
    }

    @Test
    void cutsMessagesBetweenCharacters() {
        assertEquals("a".repeat(1024), EventBody.cut("a".repeat(1024)));
        assertEquals("a".repeat(1021) + "...", EventBody.cut("a".repeat(1025)));
        assertEquals("ä".repeat(510) + "...", EventBody.cut("ä".repeat(513)));
        assertEquals("😀".repeat(255) + "...", EventBody.cut("😀".repeat(300)));
        assertEquals(1024, ("a" + "ä".repeat(510) + "...").getBytes(StandardCharsets.UTF_8).length);
        assertEquals("a" + "ä".repeat(510) + "...", EventBody.cut("a" + "ä".repeat(600)));
    }
}
