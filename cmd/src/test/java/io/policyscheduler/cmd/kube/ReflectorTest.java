package io.policyscheduler.cmd.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReflectorTest {
    private static final String PODS = "/api/v1/pods";
    private static final String GONE =
            "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}";
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private final RecordingListener listener = new RecordingListener();
    private final List<Duration> sleeps = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private Sleeper sleeper = sleeps::add;
    private InstantSource clock = InstantSource.system();
    private @Nullable Thread thread;

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : toClose) {
            closeable.close();
        }
    }

    /** Keeps an object's name; refuses an object with "bad" set, in the middle of it. */
    private static @Nullable String decode(JsonParser parser) throws IOException {
        String name = "";
        boolean wanted = true;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (field) {
                case "metadata" -> {
                    while (parser.nextToken() == JsonToken.FIELD_NAME) {
                        boolean isName = parser.currentName().equals("name");
                        parser.nextToken();
                        if (isName) {
                            name = parser.getText();
                        } else {
                            parser.skipChildren();
                        }
                    }
                }
                case "ignored" -> wanted = false;
                case "spec" -> {
                    parser.nextToken();
                    if (parser.currentToken() == JsonToken.FIELD_NAME
                            && parser.currentName().equals("bad")) {
                        parser.nextToken();
                        throw new IOException("bad spec");
                    }
                    while (parser.currentToken() == JsonToken.FIELD_NAME) {
                        parser.nextToken();
                        parser.skipChildren();
                        parser.nextToken();
                    }
                }
                default -> {
                    assertTrue(value.isScalarValue() || value.isStructStart());
                    parser.skipChildren();
                }
            }
        }
        return wanted ? name : null;
    }

    private static String pod(String name, int version) {
        return "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"resourceVersion\":\"%d\"},\"spec\":{}}"
                .formatted(name, version);
    }

    private static String badPod(String name, int version) {
        return "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"labels\":{\"a\":\"}\"},\"resourceVersion\":\"%d\"},\"spec\":{\"bad\":[{\"x\":[]}],\"y\":{\"z\":1}}}"
                .formatted(name, version);
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    private static String list(String version, String next, String... items) {
        return "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%s\",\"continue\":\"%s\"},\"items\":[%s]}"
                .formatted(version, next, String.join(",", items));
    }

    private FakeApiServer serve(FakeApiServer.Script script) {
        FakeApiServer server = new FakeApiServer(script);
        toClose.add(server);
        return server;
    }

    private Reflector<String> start(FakeApiServer server, ReflectorOptions options) {
        return start(server, options, PODS, ResourcePath.fixed(PODS));
    }

    private Reflector<String> start(FakeApiServer server, ReflectorOptions options, String path, ResourcePath paths) {
        KubeConnection connection = KubeConnection.fromUrl(server.url());
        toClose.add(0, connection);
        Reflector<String> reflector = reflector(connection, options, path, paths);
        reflector.start(task -> {
            thread = new Thread(task, "reflector");
            return thread;
        });
        toClose.add(0, reflector);
        return reflector;
    }

    private Reflector<String> reflector(
            KubeConnection connection, ReflectorOptions options, String path, ResourcePath paths) {
        return new Reflector<>(
                connection,
                path,
                paths,
                JSON,
                ReflectorTest::decode,
                listener,
                options,
                new SplittableRandom(7),
                clock,
                delay -> sleeper.sleep(delay));
    }

    private static List<String> versions(FakeApiServer server, boolean watch) {
        return server.requests.stream()
                .filter(request -> request.watch() == watch)
                .map(request -> request.parameter("resourceVersion"))
                .toList();
    }

    @Test
    void listsPageByPageThenWatches() throws Exception {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open(
                        event("ADDED", pod("c", 8)),
                        event("MODIFIED", pod("c", 9)),
                        event("ADDED", "{\"ignored\":1,\"metadata\":{\"name\":\"d\",\"resourceVersion\":\"10\"}}"),
                        event("DELETED", pod("a", 11)));
                self[0].hold();
            } else if (request.parameter("continue").isEmpty()) {
                request.answer(200, list("7", "next&page", pod("a", 3)));
            } else {
                request.answer(200, list("7", "", pod("b", 5)));
            }
        });
        start(self[0], ReflectorOptions.defaults().withFieldSelector("status.phase!=Failed"));

        assertEquals(List.of("replaced [a, b] @7", "added c", "modified c", "deleted a"), listener.awaitData(4));
        assertEquals("connected", listener.calls().get(0));
        assertEquals(
                List.of(
                        "{fieldSelector=status.phase!=Failed, limit=500}",
                        "{continue=next&page, fieldSelector=status.phase!=Failed, limit=500}"),
                self[0].requests.subList(0, 2).stream()
                        .map(r -> r.query().toString())
                        .toList());
        FakeApiServer.Request watch = self[0].requests.get(2);
        int seconds = Integer.parseInt(watch.parameter("timeoutSeconds"));
        assertTrue(seconds >= 300 && seconds <= 600, "timeoutSeconds " + seconds);
        assertEquals("7", watch.parameter("resourceVersion"));
        assertEquals("true", watch.parameter("allowWatchBookmarks"));
        assertEquals("status.phase!=Failed", watch.parameter("fieldSelector"));
        assertEquals("policy-scheduler/dev", watch.header("User-Agent"));
    }

    @Test
    void expiredContinueTokenFetchesEverythingAtOnce() {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            } else if (!request.parameter("continue").isEmpty()) {
                request.answer(410, GONE);
            } else if (request.parameter("limit").isEmpty()) {
                request.answer(200, list("20", "", pod("a", 3), pod("b", 19)));
            } else {
                request.answer(200, list("7", "next", pod("a", 3)));
            }
        });
        start(self[0], ReflectorOptions.defaults());
        assertEquals(List.of("replaced [a, b] @20"), listener.awaitData(1));
        assertEquals("{resourceVersion=7}", self[0].requests.get(2).query().toString());
    }

    /** Its pages always expire, and one list in one piece breaks off: whatever fails, the other way is tried next. */
    @Test
    void aListOfALargeClusterArrivesInTheEnd() {
        AtomicInteger whole = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            } else if (!request.parameter("continue").isEmpty()) {
                request.answer(410, GONE);
            } else if (!request.parameter("limit").isEmpty()) {
                request.answer(200, list("7", "next", pod("a", 3)));
            } else if (whole.incrementAndGet() == 1) {
                request.answer(200, list("20", "", pod("a", 3)).substring(0, 60));
            } else {
                request.answer(200, list("21", "", pod("a", 3), pod("b", 19)));
            }
        });
        start(self[0], ReflectorOptions.defaults());
        assertEquals(List.of("replaced [a, b] @21"), listener.awaitData(1));
        assertEquals(
                List.of("{limit=500}", "{continue=next, limit=500}", "{resourceVersion=7}", "{resourceVersion=7}"),
                self[0].requests.stream()
                        .limit(4)
                        .map(request -> request.query().toString())
                        .toList());
    }

    /** A server that was restored from an older backup cannot show what it has shown. */
    @Test
    void theLatestIsListedWhereAnExpiredListCannotBeMet() {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            } else if (!request.parameter("continue").isEmpty()) {
                request.answer(410, GONE);
            } else if (!request.parameter("limit").isEmpty()) {
                request.answer(200, list("7", "next", pod("a", 3)));
            } else if (request.parameter("resourceVersion").equals("7")) {
                request.answer(504, "{\"message\":\"Too large resource version: 7, current: 4\"}");
            } else {
                request.answer(200, list("5", "", pod("b", 5)));
            }
        });
        start(self[0], ReflectorOptions.defaults());
        assertEquals(List.of("replaced [b] @5"), listener.awaitData(1));
    }

    @Test
    void watchesThatEndAtOnceAreAskedForLessAndLess() {
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
        start(self[0], ReflectorOptions.defaults());
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
    void aResourceThatMovesIsFollowed() {
        String moved = "/apis/new/pods";
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.path().equals(PODS)
                    && (request.watch() || versions(self[0], true).size() > 0)) {
                request.answer(404, "404 page not found");
            } else if (request.watch()) {
                request.open(event("ADDED", pod("c", 9)));
                self[0].hold();
            } else {
                request.answer(200, list("7", "", pod(request.path().equals(PODS) ? "a" : "b", 3)));
            }
        });
        start(self[0], ReflectorOptions.defaults(), PODS, () -> Optional.of(moved));
        assertEquals(List.of("replaced [a] @7", "replaced [b] @7", "added c"), listener.awaitData(3));
        assertFalse(listener.calls().contains("disconnected"));
        assertEquals(
                List.of("", "7", "", "7"),
                self[0].requests.stream()
                        .limit(4)
                        .map(request -> request.parameter("resourceVersion"))
                        .toList());
    }

    @Test
    void aResourceThatIsMissingIsLookedForNowAndThen() {
        AtomicInteger asked = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            }
            request.answer(200, list("7", "", pod("a", 3)));
        });
        ResourcePath paths = () -> {
            switch (asked.incrementAndGet()) {
                case 1:
                    return Optional.empty();
                case 2:
                    throw new ApiIoException("no answer", 0);
                default:
                    return Optional.of(PODS);
            }
        };
        start(self[0], ReflectorOptions.defaults(), "", paths);
        listener.awaitData(1);
        assertEquals(List.of("connected", "replaced [a] @7"), listener.calls());
        assertEquals(Collections.nCopies(3, Duration.ofSeconds(30)), sleeps.subList(0, 3));
    }

    @Test
    void aResourceThatTheServerDeniesIsEmptied() {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                if (lists.get() == 1) {
                    request.answer(404, "404 page not found");
                } else {
                    request.open();
                    self[0].hold();
                }
            } else {
                request.answer(200, list(Integer.toString(lists.incrementAndGet()), "", pod("a", 3)));
            }
        });
        start(
                self[0],
                ReflectorOptions.defaults(),
                PODS,
                () -> asked.incrementAndGet() == 1 ? Optional.empty() : Optional.of(PODS));
        assertEquals(List.of("replaced [a] @1", "replaced [] @", "replaced [a] @2"), listener.awaitData(3));
    }

    @Test
    void tellsForHowLongTheServerHasNotAnswered() {
        VirtualTime time = new VirtualTime();
        CountDownLatch watching = new CountDownLatch(1);
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                watching.countDown();
                self[0].hold();
            } else if (lists.incrementAndGet() == 1) {
                request.answer(503, "");
            } else {
                request.answer(200, list("7", ""));
            }
        });
        List<Optional<Duration>> seen = new CopyOnWriteArrayList<>();
        Reflector<?>[] reflector = new Reflector<?>[1];
        clock = time;
        sleeper = delay -> {
            time.advance(Duration.ofSeconds(17));
            seen.add(reflector[0].unansweredFor());
        };
        KubeConnection connection = KubeConnection.fromUrl(self[0].url());
        toClose.add(0, connection);
        reflector[0] = reflector(connection, ReflectorOptions.defaults(), PODS, ResourcePath.fixed(PODS));
        toClose.add(0, reflector[0]);
        reflector[0].start(Thread::new);
        await(watching);
        listener.await(calls -> reflector[0].unansweredFor().isEmpty());
        assertEquals(Optional.of(Duration.ofSeconds(17)), seen.get(0));
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
        start(self[0], ReflectorOptions.defaults());
        assertEquals(
                List.of("replaced [a] @100", "replaced [a] @200", "replaced [a] @300", "replaced [a] @400", "added b"),
                listener.awaitData(5));
        assertEquals(List.of("", "", "", "300"), versions(self[0], false));
        assertEquals(List.of("100", "200", "300", "400"), versions(self[0], true));
        assertTrue(self[0].requests.get(6).parameter("limit").isEmpty(), "no limit with an exact version");
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
        start(self[0], ReflectorOptions.defaults());
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
        start(self[0], ReflectorOptions.defaults());
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
            // every third answer breaks off in the middle of a line
            OutputStream out = request.open(event("ADDED", pod("p" + (from + 1), from + 1)));
            if (from % 3 == 0) {
                out.write(event("ADDED", pod("p" + (from + 2), from + 2))
                        .substring(0, 30)
                        .getBytes(StandardCharsets.UTF_8));
            }
            request.exchange().close();
        });
        start(self[0], ReflectorOptions.defaults());
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
        start(self[0], ReflectorOptions.defaults().withIdleTimeout(Duration.ofMillis(150)));
        assertEquals(List.of("replaced [] @7", "added a", "added b"), listener.awaitData(3));
        assertEquals(List.of("7", "8"), versions(self[0], true).subList(0, 2));
        assertFalse(listener.calls().contains("disconnected"));
    }

    @Test
    void malformedObjectsAreSkippedAndNamed() {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("7", "", pod("a", 1), badPod("b", 2), "5", pod("c", 3), badPod("d", 4)));
                return;
            }
            request.open(
                    event("ADDED", badPod("e", 8)),
                    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"f\",\"resourceVersion\":\"9\"},\"x\":tru}}",
                    "garbage",
                    "{\"object\":" + pod("g", 10) + ",\"type\":\"MODIFIED\"}",
                    event("NEWFANGLED", pod("h", 11)),
                    event("ADDED", "7"),
                    event("DELETED", pod("a", 12)));
            self[0].hold();
        });
        start(self[0], ReflectorOptions.defaults());
        List<String> data = listener.awaitData(10).stream()
                .map(call -> call.startsWith("unreadable") ? call.replaceFirst("JsonParse.*", "syntax") : call)
                .toList();
        assertEquals(
                List.of(
                        "unreadable ns/b: IOException: bad spec",
                        "unreadable : the list item is not an object",
                        "unreadable ns/d: IOException: bad spec",
                        "replaced [a, c] @7",
                        "unreadable ns/e: IOException: bad spec",
                        "unreadable f: syntax",
                        "unreadable : IOException: the event is not a JSON object",
                        "modified g",
                        "unreadable : IOException: the event has no object",
                        "deleted a"),
                data);
        assertEquals(2, self[0].requests.size(), "no reconnect because of malformed objects");
    }

    @Test
    void unusableListResponsesAreRetriedWithBackoff() {
        List<String> answers = List.of(
                "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" + pod("a", 1) + ",{\"metadata\":",
                "{\"metadata\":{},\"items\":[]}",
                "[]",
                "<html>",
                list("9", "", pod("a", 1)));
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, answers.get(lists.getAndIncrement()));
                return;
            }
            request.open();
            self[0].hold();
        });
        start(self[0], ReflectorOptions.defaults());
        assertEquals(List.of("replaced [a] @9"), listener.awaitData(1));
        assertEquals(4, sleeps.size());
        for (int i = 0; i < 4; i++) {
            long base = 800L << i;
            long slept = sleeps.get(i).toMillis();
            assertTrue(slept >= base && slept <= 2 * base, "sleep " + i + ": " + slept);
        }
    }

    @Test
    void serverGoesDownAndComesBack() {
        CountDownLatch triedInVain = new CountDownLatch(3);
        CountDownLatch back = new CountDownLatch(1);
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                lists.incrementAndGet();
                request.answer(200, list("7", ""));
            } else {
                request.open(event("ADDED", back.getCount() > 0 ? pod("a", 8) : pod("b", 9)));
                self[0].hold();
            }
        });
        sleeper = delay -> {
            triedInVain.countDown();
            if (triedInVain.getCount() == 0) {
                back.await();
            }
        };
        start(self[0], ReflectorOptions.defaults());
        listener.awaitData(2);
        self[0].goDown();
        listener.await(calls -> calls.contains("disconnected"));
        await(triedInVain);
        self[0].comeBack();
        back.countDown();
        listener.awaitData(3);
        assertEquals(
                List.of("connected", "replaced [] @7", "added a", "disconnected", "connected", "added b"),
                listener.calls());
        assertEquals(1, lists.get());
        assertEquals("8", self[0].requests.get(self[0].requests.size() - 1).parameter("resourceVersion"));
    }

    @Test
    void refusalsAreReportedOnceAndRetried() {
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            } else if (lists.incrementAndGet() <= 3) {
                request.answer(403, "{\"message\":\"pods is forbidden\"}");
            } else {
                request.answer(200, list("7", ""));
            }
        });
        start(self[0], ReflectorOptions.defaults());
        listener.awaitData(1);
        assertEquals(List.of("disconnected", "connected", "replaced [] @7"), listener.calls());
    }

    @Test
    void closeEndsABlockedWatch() throws Exception {
        CountDownLatch watching = new CountDownLatch(1);
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("7", ""));
                return;
            }
            watching.countDown();
            self[0].hold();
        });
        Reflector<String> reflector = start(self[0], ReflectorOptions.defaults());
        await(watching);
        reflector.close();
        Thread running = Objects.requireNonNull(thread);
        running.join(TimeUnit.SECONDS.toMillis(10));
        assertFalse(running.isAlive());
        assertEquals(List.of("connected", "replaced [] @7"), listener.calls());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
