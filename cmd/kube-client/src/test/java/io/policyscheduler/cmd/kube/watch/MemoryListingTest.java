package io.policyscheduler.cmd.kube.watch;

import static io.policyscheduler.cmd.kube.watch.PodTexts.event;
import static io.policyscheduler.cmd.kube.watch.PodTexts.list;
import static io.policyscheduler.cmd.kube.watch.PodTexts.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.connection.FakeApiServer.Request;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import io.policyscheduler.engine.reader.PodMessages;
import io.policyscheduler.engine.testing.WireBytes;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryListingTest extends ReflectorTestCase {
    private static final Options OPTIONS =
            Options.defaults().withFieldSelector("a=b").withProtobuf(PodMessages.pod());
    private static final String FIRST = "{limit=1}";
    private static final String WHOLE = "{fieldSelector=a=b, resourceVersion=7}";
    private static final String PAGED = "replaced [p1, p2, p3, p4, p5, p6] @7";

    private static WireBytes wirePod(String name) {
        return new WireBytes()
                .message(1, new WireBytes().text(1, name).text(3, "ns"))
                .message(2, new WireBytes().text(10, "n1"));
    }

    private static byte[] wireList() {
        return new WireBytes()
                .message(1, new WireBytes().text(1, "").text(2, "8").text(3, ""))
                .message(2, wirePod("w1"))
                .message(2, wirePod("w2"))
                .toAnswer();
    }

    /** A server with one pod per page; {@code memory} responds to lists from the watch cache. */
    private FakeApiServer server(int pages, FakeApiServer.Script memory) {
        return server(lists(pages, memory), List.of());
    }

    /** A watch from version 5 delivers these events. */
    private FakeApiServer server(FakeApiServer.Script lists, List<String> events) {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                boolean behind = request.parameter("resourceVersion").equals("5");
                request.open(behind ? events.toArray(String[]::new) : new String[0]);
                self[0].hold();
            } else {
                lists.handle(request);
            }
        });
        return self[0];
    }

    private static FakeApiServer.Script lists(int pages, FakeApiServer.Script memory) {
        return lists(0, pages, memory);
    }

    /** @param remaining number of objects after the first one; 0 for a server that does not send it */
    private static FakeApiServer.Script lists(int remaining, int pages, FakeApiServer.Script memory) {
        return request -> {
            if (request.parameter("limit").equals("1")) {
                request.answer(200, first(remaining));
            } else if (request.parameter("limit").isEmpty()) {
                memory.handle(request);
            } else {
                String token = request.parameter("continue");
                int page = token.isEmpty() ? 1 : Integer.parseInt(token);
                String next = page < pages ? Integer.toString(page + 1) : "";
                request.answer(200, list("7", next, pod("p" + page, page)));
            }
        };
    }

    private static String first(int remaining) {
        return "{\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"2\""
                + (remaining == 0 ? "" : ",\"remainingItemCount\":" + remaining) + "},\"items\":[" + pod("p1", 1)
                + "]}";
    }

    private static void tooLarge(Request request) throws IOException {
        request.answer(504, "{\"message\":\"Too large resource version: 7, current: 6\"}");
    }

    private static FakeApiServer.Script protobuf(byte[] answer) {
        return request -> request.answer(200, KubeConnection.PROTOBUF, answer);
    }

    private static List<String> queries(FakeApiServer server) {
        return server.requests.stream()
                .filter(request -> !request.watch())
                .map(request -> request.query().toString())
                .toList();
    }

    private static List<String> pages(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(page -> page == 1
                        ? "{fieldSelector=a=b, limit=500}"
                        : "{continue=" + page + ", fieldSelector=a=b, limit=" + (page <= 4 ? 500 : 5000) + "}")
                .toList();
    }

    /** After the request for the number of objects. */
    private static List<String> asked(List<String> queries) {
        return Stream.concat(Stream.of(FIRST), queries.stream()).toList();
    }

    private static List<String> pages(int before, List<String> between, int all) {
        return Stream.of(pages(before), between, pages(all).subList(before, all))
                .flatMap(List::stream)
                .toList();
    }

    @Test
    void aLargeListComesFromMemoryThatHasReachedItsFirstPages() {
        FakeApiServer server = server(6, protobuf(wireList()));
        start(server, OPTIONS);
        assertEquals(List.of("replaced [w1, w2] @8"), listener.awaitData(1));
        assertEquals(asked(pages(4, List.of(WHOLE), 4)), queries(server));
        assertEquals(
                "application/vnd.kubernetes.protobuf, application/json",
                server.requests.get(5).header("Accept"));
    }

    @Test
    void aListOfFewPagesIsRead() {
        FakeApiServer server = server(4, protobuf(wireList()));
        start(server, OPTIONS);
        assertEquals(List.of("replaced [p1, p2, p3, p4] @7"), listener.awaitData(1));
        assertEquals(asked(pages(4)), queries(server));
    }

    @Test
    void aListThatIsOnlyToBeHadInJsonIsReadInPages() {
        FakeApiServer server = server(6, protobuf(wireList()));
        start(server, OPTIONS.withProtobuf(null));
        assertEquals(List.of(PAGED), listener.awaitData(1));
        assertEquals(pages(6), queries(server));
    }

    /** A watch cache that lags behind rejects the list. */
    @Test
    void aRefusalMeansThatPagesGoOn() {
        FakeApiServer server = server(6, MemoryListingTest::tooLarge);
        start(server, OPTIONS);
        assertEquals(List.of(PAGED), listener.awaitData(1));
        assertEquals(asked(pages(4, List.of(WHOLE), 6)), queries(server));
    }

    /** Truncated, damaged, and not protobuf. */
    @Test
    void whatCannotBeReadMeansThatPagesGoOn() {
        byte[] damaged =
                new WireBytes().message(2, new WireBytes().raw(1 << 3 | 2, 100)).toAnswer();
        for (byte[] answer : List.of(Arrays.copyOf(wireList(), 60), damaged, new byte[] {'{', '}'})) {
            int before = listener.data().size();
            FakeApiServer server = server(6, protobuf(answer));
            start(server, OPTIONS);
            assertEquals(PAGED, listener.awaitData(before + 1).get(before));
        }
    }

    @Test
    void aServerThatKnowsNoProtobufIsReadInJson() {
        FakeApiServer server = server(6, request -> request.answer(200, list("8", "", pod("j1", 1), pod("j2", 2))));
        start(server, OPTIONS);
        assertEquals(List.of("replaced [j1, j2] @8"), listener.awaitData(1));
    }

    private static final Options BEHIND = OPTIONS.withBehind(true);
    private static final String ANY = "{fieldSelector=a=b, resourceVersion=0}";

    private static byte[] olderList() {
        return new WireBytes()
                .message(1, new WireBytes().text(1, "").text(2, "5").text(3, ""))
                .message(2, wirePod("w1"))
                .toAnswer();
    }

    /** If the watch cache may lag behind, two pages are large enough to use it. */
    @ParameterizedTest
    @CsvSource({"true, 1000, true", "true, 999, false", "false, 2000, true", "false, 1999, false", "false, 0, false"})
    void noPageIsReadOfWhatTheServerCallsLarge(boolean behind, int remaining, boolean large) {
        FakeApiServer server = server(lists(remaining, 1, protobuf(wireList())), List.of());
        start(server, OPTIONS.withBehind(behind));
        assertEquals(List.of(large ? "replaced [w1, w2] @8" : "replaced [p1] @7"), listener.awaitData(1));
        List<String> whole = behind ? List.of(ANY) : List.of(WHOLE);
        assertEquals(asked(large ? whole : pages(1)), queries(server));
    }

    @Test
    void whatMemoryDoesNotGiveOnceIsNotAskedForAgain() {
        FakeApiServer server = server(lists(150_000, 6, MemoryListingTest::tooLarge), List.of());
        start(server, OPTIONS);
        assertEquals(List.of(PAGED), listener.awaitData(1));
        assertEquals(asked(pages(0, List.of(WHOLE), 6)), queries(server));
    }

    @Test
    void howMuchThereIsMayBeToldInProtobuf() {
        WireBytes first = new WireBytes()
                .message(1, new WireBytes().text(2, "7").text(3, "2").number(4, 150_000))
                .message(2, wirePod("p1"));
        FakeApiServer.Script lists = lists(6, protobuf(wireList()));
        FakeApiServer server = server(
                request -> {
                    if (request.parameter("limit").equals("1")) {
                        protobuf(first.toAnswer()).handle(request);
                    } else {
                        lists.handle(request);
                    }
                },
                List.of());
        start(server, OPTIONS);
        assertEquals(List.of("replaced [w1, w2] @8"), listener.awaitData(1));
        assertEquals(asked(List.of(WHOLE)), queries(server));
    }

    /** A watch cache that may return anything, except for lists that must be as new as storage. */
    private static FakeApiServer.Script atFive(FakeApiServer.Script memory) {
        return request -> {
            if (request.parameter("resourceVersion").equals("0")) {
                memory.handle(request);
            } else {
                tooLarge(request);
            }
        };
    }

    /** The watch cache is at version 5, and storage at 7. */
    private FakeApiServer behind(List<String> events, FakeApiServer.Script memory) {
        return server(lists(6, atFive(memory)), events);
    }

    @Test
    void memoryThatLagsBehindDoesWhereSomebodyWaitsUntilTheWatchHasCaughtUp() {
        FakeApiServer server = behind(List.of(event("ADDED", pod("e", 6))), protobuf(olderList()));
        Reflector<String> reflector = start(server, BEHIND);
        assertEquals(List.of("replaced [w1] @5", "added e"), listener.awaitData(2));
        assertEquals(asked(pages(2, List.of(ANY), 2)), queries(server));
        assertFalse(reflector.isCurrent(), "at 6 of 7");
    }

    @Test
    void theWatchCatchesUp() {
        FakeApiServer server =
                behind(List.of(event("ADDED", pod("e", 6)), event("ADDED", pod("f", 7))), protobuf(olderList()));
        Reflector<String> reflector = start(server, BEHIND);
        assertEquals(List.of("replaced [w1] @5", "added e", "added f"), listener.awaitData(3));
        awaitCurrent(reflector);
    }

    /** The size is known from the server, or from two pages. */
    @ParameterizedTest
    @CsvSource({"150000, 0", "0, 2"})
    void whatCannotBeReadOfItMeansThatPagesGoOnAndNothingIsOwed(int remaining, int pagesBefore) {
        FakeApiServer server = server(lists(remaining, 6, MemoryListingTest::tooLarge), List.of());
        Reflector<String> reflector = start(server, BEHIND);
        assertEquals(List.of(PAGED), listener.awaitData(1));
        awaitCurrent(reflector);
        assertEquals(asked(pages(pagesBefore, List.of(ANY), 6)), queries(server));
    }

    @Test
    void whoIsInDoubtReadsStorage() {
        FakeApiServer server = behind(List.of(event("ADDED", pod("e", 6))), protobuf(olderList()));
        Reflector<String> reflector = start(server, BEHIND);
        listener.awaitData(2);
        reflector.listFromStorage();
        assertEquals(List.of("replaced [w1] @5", "added e", PAGED), listener.awaitData(3));
        awaitCurrent(reflector);
        assertEquals(
                Stream.concat(asked(pages(2, List.of(ANY), 2)).stream(), pages(6).stream())
                        .toList(),
                queries(server));
        assertEquals(
                List.of(),
                listener.calls().stream()
                        .filter(call -> call.startsWith("disconnected"))
                        .toList());
    }

    @Test
    void memoryThatIsUpToDateOwesNothing() {
        FakeApiServer server = server(6, protobuf(wireList()));
        Reflector<String> reflector = start(server, BEHIND);
        assertEquals(List.of("replaced [w1, w2] @8"), listener.awaitData(1));
        assertEquals(asked(pages(2, List.of(ANY), 2)), queries(server));
        awaitCurrent(reflector);
    }

    /** Events from before the list must not be lost. */
    @Test
    void onlyAFirstListMayLagBehind() {
        FakeApiServer[] self = new FakeApiServer[1];
        FakeApiServer.Script lists = lists(6, atFive(protobuf(olderList())));
        self[0] = serve(request -> {
            if (!request.watch()) {
                lists.handle(request);
            } else if (request.parameter("resourceVersion").equals("5")) {
                request.answer(410, "{}");
            } else {
                request.open();
                self[0].hold();
            }
        });
        start(self[0], BEHIND);
        assertEquals(List.of("replaced [w1] @5", PAGED), listener.awaitData(2));
    }

    /** The version is stored after the call of the listener. */
    private static void awaitCurrent(Reflector<String> reflector) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!reflector.isCurrent() && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertTrue(reflector.isCurrent());
    }
}
