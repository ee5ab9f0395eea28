package io.policyscheduler.cmd.kube.watch;

import static io.policyscheduler.cmd.kube.watch.PodTexts.GONE;
import static io.policyscheduler.cmd.kube.watch.PodTexts.event;
import static io.policyscheduler.cmd.kube.watch.PodTexts.list;
import static io.policyscheduler.cmd.kube.watch.PodTexts.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Splitter;
import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import io.policyscheduler.cmd.kube.watch.ReflectorWatch.Event;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReflectorWatchTest extends ReflectorTestCase {
    private final AtomicLong millis = new AtomicLong();

    @Test
    void watchesThatEndAtOnceAreAskedForLessAndLess() {
        clock = () -> Instant.ofEpochMilli(millis.get());
        AtomicInteger watches = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("7", ""));
            } else if (watches.incrementAndGet() <= 6) {
                request.answer(200, "");
            } else {
                request.open(event("ADDED", pod("a", 8)));
                self[0].hold();
            }
        });
        start(self[0], Options.defaults());
        assertEquals(List.of("replaced [] @7", "added a"), listener.awaitData(2));
        List<Duration> waits = sleeps.stream()
                .filter(wait -> wait.compareTo(Duration.ofMillis(100)) > 0)
                .toList();
        List<Integer> bases = List.of(500, 1000, 2000, 4000, 5000, 5000);
        assertEquals(bases.size(), waits.size(), waits::toString);
        for (int i = 0; i < bases.size(); i++) {
            long millis = waits.get(i).toMillis();
            assertTrue(millis >= bases.get(i) && millis <= 2L * bases.get(i), waits::toString);
        }
        assertFalse(listener.calls().contains("disconnected"), "the server is well");
    }

    @Test
    void goneInWatchListsTheLatestAgain() {
        AtomicInteger watches = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list(Integer.toString(100 * (watches.get() + 1)), "", pod("a", 3)));
                return;
            }
            switch (watches.incrementAndGet()) {
                case 1 -> request.answer(410, GONE);
                case 2 -> request.open(event("ERROR", GONE)).close();
                case 3 ->
                    request.open(event("ERROR", "{\"code\":500,\"message\":\"etcd\"}"))
                            .close();
                default -> {
                    request.open(event("ADDED", pod("b", 401)));
                    self[0].hold();
                }
            }
        });
        start(self[0], Options.defaults());
        assertEquals(
                List.of("replaced [a] @100", "replaced [a] @200", "replaced [a] @300", "replaced [a] @400", "added b"),
                listener.awaitData(5));
        assertEquals(List.of("", "", "", "300"), versions(self[0], false));
        assertEquals(List.of("100", "200", "300", "400"), versions(self[0], true));
        assertTrue(self[0].requests.get(6).parameter("limit").isEmpty(), "no limit with an exact version");
    }

    /** A bookmark or an event has a version that the server itself rejects, in its watches and its lists. */
    @ParameterizedTest
    @ValueSource(strings = {"18446744073709551616", "-5", "abc"})
    void aVersionThatTheServerRejectsIsDropped(String version) {
        FakeApiServer[] self = new FakeApiServer[1];
        AtomicInteger watches = new AtomicInteger();
        self[0] = serve(request -> {
            if (version.equals(request.parameter("resourceVersion"))) {
                request.answer(500, "{\"message\":\"resourceVersion: Invalid value: \\\"" + version + "\\\"\"}");
            } else if (!request.watch()) {
                request.answer(200, list(Integer.toString(100 * (watches.get() + 1)), "", pod("a", 3)));
            } else if (watches.incrementAndGet() == 1) {
                request.open(event("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" + version + "\"}}"))
                        .close();
            } else {
                request.open(event("ADDED", pod("b", 401)));
                self[0].hold();
            }
        });
        start(self[0], Options.defaults());
        assertEquals(List.of("replaced [a] @100", "replaced [a] @200", "added b"), listener.awaitData(3));
    }

    /** A server whose watches always respond with 410 is listed immediately only the first time. */
    @Test
    void watchesThatAreGoneAgainAndAgainAreListedLessAndLess() {
        clock = () -> Instant.ofEpochMilli(millis.get());
        AtomicInteger watches = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list(Integer.toString(100 * (watches.get() + 1)), ""));
            } else if (watches.incrementAndGet() <= 5) {
                request.answer(410, GONE);
            } else {
                request.open(event("ADDED", pod("a", 601)));
                self[0].hold();
            }
        });
        start(self[0], Options.defaults());
        assertEquals("added a", listener.awaitData(7).get(6));
        List<Duration> waits = sleeps.stream()
                .filter(wait -> wait.compareTo(Duration.ofMillis(100)) > 0)
                .toList();
        List<Integer> bases = List.of(500, 1000, 2000, 4000);
        assertEquals(bases.size(), waits.size(), waits::toString);
        for (int i = 0; i < bases.size(); i++) {
            long millis = waits.get(i).toMillis();
            assertTrue(millis >= bases.get(i) && millis <= 2L * bases.get(i), waits::toString);
        }
    }

    @Test
    void aServerThatStartsOverIsListedAgain() {
        FakeApiServer[] self = new FakeApiServer[1];
        AtomicInteger lists = new AtomicInteger();
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(
                        200, lists.incrementAndGet() == 1 ? list("700", "", pod("a", 3)) : list("20", "", pod("b", 9)));
                return;
            }
            if (request.parameter("resourceVersion").equals("700")) {
                request.open(event("ADDED", pod("c", 19)), event("BOOKMARK", pod("", 20)));
            } else {
                request.open(event("BOOKMARK", pod("", 20)), event("ADDED", pod("d", 21)));
            }
            self[0].hold();
        });
        start(self[0], Options.defaults());
        assertEquals(List.of("replaced [a] @700", "added c", "replaced [b] @20", "added d"), listener.awaitData(4));
        assertEquals(List.of("", ""), versions(self[0], false));
        assertEquals(List.of("700", "20"), versions(self[0], true));
    }

    @Test
    void watchClosedByTheServerGoesOnFromTheLastBookmark() {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("7", ""));
                return;
            }
            switch (request.parameter("resourceVersion")) {
                case "7" ->
                    request.open(event(
                                    "BOOKMARK",
                                    "{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"50\"},\"spec\":{}}"))
                            .close();
                case "50" -> {
                    OutputStream out = request.open(event("ADDED", pod("a", 51)), "");
                    out.write("{\"type\":\"ADDED\",\"obj".getBytes(StandardCharsets.UTF_8));
                    out.close();
                }
                default -> {
                    request.open(event("ADDED", pod("b", 52)));
                    self[0].hold();
                }
            }
        });
        start(self[0], Options.defaults());
        assertEquals(List.of("replaced [] @7", "added a", "added b"), listener.awaitData(3));
        assertEquals(List.of("7", "50", "51"), versions(self[0], true));
        assertFalse(listener.calls().contains("disconnected"));
    }

    @Test
    void watchClosedEveryFewMillisecondsLosesNothing() {
        int last = 60;
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("0", ""));
                return;
            }
            int from = Integer.parseInt(request.parameter("resourceVersion"));
            if (from >= last) {
                request.open();
                self[0].hold();
            }
            // every third response ends in the middle of a line
            OutputStream out = request.open(event("ADDED", pod("p" + (from + 1), from + 1)));
            if (from % 3 == 0) {
                out.write(event("ADDED", pod("p" + (from + 2), from + 2))
                        .substring(0, 30)
                        .getBytes(StandardCharsets.UTF_8));
            }
            request.exchange().close();
        });
        start(self[0], Options.defaults());
        List<String> expected = new ArrayList<>(List.of("replaced [] @0"));
        IntStream.rangeClosed(1, last).forEach(i -> expected.add("added p" + i));
        assertEquals(expected, listener.awaitData(last + 1));
        assertEquals(1, versions(self[0], false).size());
        assertFalse(sleeps.isEmpty(), "watches are rate-limited");
    }

    @Test
    void silentWatchIsOpenedAgain() {
        AtomicInteger watches = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("7", ""));
            } else if (watches.incrementAndGet() == 1) {
                request.open(event("ADDED", pod("a", 8)));
                self[0].hold();
            } else {
                request.open(event("ADDED", pod("b", 9)));
                self[0].hold();
            }
        });
        start(self[0], Options.defaults().withIdleTimeout(Duration.ofSeconds(1)));
        assertEquals(List.of("replaced [] @7", "added a", "added b"), listener.awaitData(3));
        assertEquals(List.of("7", "8"), versions(self[0], true).subList(0, 2));
        assertFalse(listener.calls().contains("disconnected"));
    }

    /** Returns the waits before requests, without the shortest time between two watches. */
    private List<Long> waits() {
        return sleeps.stream()
                .map(Duration::toMillis)
                .filter(millis -> millis > 100)
                .toList();
    }

    /** Answers a watch with a status or with events. A quiet watch lasts for a second, a short one ends at once. */
    private void answer(FakeApiServer.Request request, String what, int version) throws IOException {
        switch (what) {
            case "add" ->
                request.open(event("ADDED", pod("p" + version, version))).close();
            case "add gone" ->
                request.open(event("ADDED", pod("p" + version, version)), event("ERROR", GONE))
                        .close();
            case "quiet" -> {
                millis.addAndGet(1000);
                request.answer(200, "");
            }
            case "short" -> request.answer(200, "");
            case "add broken" -> {
                request.open(event("ADDED", pod("p" + version, version)));
                request.exchange().close();
            }
            default -> request.answer(Integer.parseInt(what), what.equals("410") ? GONE : "{}");
        }
    }

    /** What a watch brings, or how long it lasts, ends the delays that failures before it caused. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // responses to watches | the bases of the waits, ms | lists
                "410, add, 410, add, 410 | '' | 4",
                "410, add gone, 410, add gone | '' | 5",
                "410, quiet, 410, quiet, 410 | '' | 4",
                "410, short, 410 | 500, 1000 | 3",
                "500, 500, 500 | 800, 1600, 3200 | 1",
                "500, 500, add, 500 | 800, 1600, 800 | 1",
                "500, 500, quiet, 500 | 800, 1600, 800 | 1",
                "500, 500, short, 500 | 800, 1600, 500, 3200 | 1",
                "short, short, quiet, short | 500, 1000, 500 | 1",
                "short, short, add, short | 500, 1000, 500 | 1",
                "add broken, add broken, short | 500 | 1",
                // Requests that are wrong list again; any other failure watches again from the same version.
                "400, 404, 405, 422, 403 | 800, 1600, 3200, 6400, 12800 | 5",
            })
    void healthyWatchesEndDelays(String responses, String bases, int expectedLists) {
        clock = () -> Instant.ofEpochMilli(millis.get());
        List<String> script = Splitter.on(", ").splitToList(responses);
        AtomicInteger watches = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            int number = watches.get();
            if (!request.watch()) {
                request.answer(200, list(Integer.toString(10 * (number + 1)), ""));
            } else if (watches.incrementAndGet() <= script.size()) {
                answer(request, script.get(number), 10 * (number + 1) + 1);
            } else {
                request.open(event("ADDED", pod("last", 1000)));
                self[0].hold();
            }
        });
        start(self[0], Options.defaults());
        listener.await(calls -> calls.contains("added last"));
        List<Long> expected = bases.isEmpty()
                ? List.of()
                : Splitter.on(", ").splitToStream(bases).map(Long::parseLong).toList();
        List<Long> waits = waits();
        assertEquals(expected.size(), waits.size(), waits::toString);
        for (int i = 0; i < waits.size(); i++) {
            assertTrue(waits.get(i) >= expected.get(i) && waits.get(i) <= 2 * expected.get(i), waits::toString);
        }
        assertEquals(expectedLists, versions(self[0], false).size());
        long quiet = script.stream().filter("quiet"::equals).count();
        long shortest = sleeps.stream().filter(Duration.ofMillis(100)::equals).count();
        assertEquals(script.size() - quiet, shortest, "each watch starts at least 100 ms after the one before");
    }

    /** A Status with fields of other types has the default code and no message. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'code':410,'message':'too old','details':{'code':1,'message':'x'}} | 410 too old",
                "{'message':'too old'} | 500 too old",
                "{'code':'410','message':5} | 500 ",
                "{'reason':'Gone','code':410} | 410 ",
                "{} | 500 ",
            })
    void anErrorEventHasCodeAndMessage(String status, String expected) throws IOException {
        byte[] line = event("ERROR", status.replace('\'', '"')).strip().getBytes(StandardCharsets.UTF_8);
        Event event = new Event(PodTexts.JSON, line, 0, line.length);
        event.readHead();
        assertEquals(
                expected.strip(),
                (event.failure().code() + " " + event.failure().message()).strip());
    }

    /** Only a connection that breaks at once shows that something is wrong with the server. */
    @ParameterizedTest
    @CsvSource({"young, disconnected connected", "progress, ''", "old, ''", "silent, ''"})
    void theEndOfAWatchIsAFailureOrNot(String end, String expected) {
        clock = () -> Instant.ofEpochMilli(millis.get());
        AtomicInteger watches = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("7", ""));
            } else if (watches.incrementAndGet() > 1) {
                request.open(event("ADDED", pod("b", 9)));
                self[0].hold();
            } else if (end.equals("silent")) {
                request.open();
                self[0].hold();
            } else {
                // The response ends early.
                request.exchange().sendResponseHeaders(200, 100_000);
                if (end.equals("progress")) {
                    request.exchange()
                            .getResponseBody()
                            .write((event("ADDED", pod("a", 8)) + "\n").getBytes(StandardCharsets.UTF_8));
                    request.exchange().getResponseBody().flush();
                    listener.await(calls -> calls.contains("added a"));
                } else {
                    listener.await(calls -> calls.contains("replaced [] @7"));
                }
                if (end.equals("old")) {
                    millis.addAndGet(1000);
                }
                request.exchange().close();
            }
        });
        start(self[0], Options.defaults().withIdleTimeout(Duration.ofMillis(300)));
        listener.await(calls -> calls.contains("added b"));
        assertEquals(
                expected,
                String.join(
                        " ",
                        listener.calls().stream()
                                .skip(1)
                                .filter(call -> call.contains("connected"))
                                .toList()));
    }
}
