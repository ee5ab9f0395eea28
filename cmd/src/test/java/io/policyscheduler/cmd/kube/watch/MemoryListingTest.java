package io.policyscheduler.cmd.kube.watch;

import static io.policyscheduler.cmd.kube.watch.PodTexts.list;
import static io.policyscheduler.cmd.kube.watch.PodTexts.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.kube.FakeApiServer;
import io.policyscheduler.cmd.kube.FakeApiServer.Request;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.engine.reader.protobuf.PodMessages;
import io.policyscheduler.engine.testing.WireBytes;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MemoryListingTest extends ReflectorTestCase {
    private static final ReflectorOptions OPTIONS =
            ReflectorOptions.defaults().withFieldSelector("a=b").withProtobuf(PodMessages.pod());
    private static final String PROBE = "{fieldSelector=metadata.name=-, resourceVersion=7}";
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

    /** Its pages have one pod each; {@code memory} answers what is asked of its memory. */
    private FakeApiServer server(int pages, FakeApiServer.Script probe, FakeApiServer.Script memory) {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            } else if (request.parameter("fieldSelector").equals("metadata.name=-")) {
                probe.handle(request);
            } else if (request.parameter("limit").isEmpty()) {
                memory.handle(request);
            } else {
                String token = request.parameter("continue");
                int page = token.isEmpty() ? 1 : Integer.parseInt(token);
                String next = page < pages ? Integer.toString(page + 1) : "";
                request.answer(200, list("7", next, pod("p" + page, page)));
            }
        });
        return self[0];
    }

    private static void reached(Request request) throws IOException {
        request.answer(200, list("9", ""));
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

    private static List<String> pages(int before, List<String> between, int all) {
        return Stream.of(pages(before), between, pages(all).subList(before, all))
                .flatMap(List::stream)
                .toList();
    }

    @Test
    void aLargeListComesFromMemoryThatHasReachedItsFirstPages() {
        FakeApiServer server = server(6, MemoryListingTest::reached, protobuf(wireList()));
        start(server, OPTIONS);
        assertEquals(List.of("replaced [w1, w2] @8"), listener.awaitData(1));
        assertEquals(pages(4, List.of(PROBE, WHOLE), 4), queries(server));
        assertEquals(
                "application/vnd.kubernetes.protobuf, application/json",
                server.requests.get(5).header("Accept"));
    }

    @Test
    void aListOfFewPagesIsRead() {
        FakeApiServer server = server(4, MemoryListingTest::reached, protobuf(wireList()));
        start(server, OPTIONS);
        assertEquals(List.of("replaced [p1, p2, p3, p4] @7"), listener.awaitData(1));
        assertEquals(pages(4), queries(server));
    }

    @Test
    void aListThatIsOnlyToBeHadInJsonIsReadInPages() {
        FakeApiServer server = server(6, MemoryListingTest::reached, protobuf(wireList()));
        start(server, OPTIONS.withProtobuf(null));
        assertEquals(List.of(PAGED), listener.awaitData(1));
        assertEquals(pages(6), queries(server));
    }

    @Test
    void memoryThatLagsBehindIsNotAsked() {
        FakeApiServer server = server(6, MemoryListingTest::tooLarge, protobuf(wireList()));
        start(server, OPTIONS);
        assertEquals(List.of(PAGED), listener.awaitData(1));
        assertEquals(pages(4, List.of(PROBE), 6), queries(server));
    }

    @Test
    void aRefusalMeansThatPagesGoOn() {
        FakeApiServer server = server(6, MemoryListingTest::reached, MemoryListingTest::tooLarge);
        start(server, OPTIONS);
        assertEquals(List.of(PAGED), listener.awaitData(1));
        assertEquals(pages(4, List.of(PROBE, WHOLE), 6), queries(server));
    }

    /** Cut off, damaged, and no protobuf at all. */
    @Test
    void whatCannotBeReadMeansThatPagesGoOn() {
        byte[] damaged =
                new WireBytes().message(2, new WireBytes().raw(1 << 3 | 2, 100)).toAnswer();
        for (byte[] answer : List.of(Arrays.copyOf(wireList(), 60), damaged, new byte[] {'{', '}'})) {
            int before = listener.data().size();
            FakeApiServer server = server(6, MemoryListingTest::reached, protobuf(answer));
            start(server, OPTIONS);
            assertEquals(PAGED, listener.awaitData(before + 1).get(before));
        }
    }

    @Test
    void aServerThatKnowsNoProtobufIsReadInJson() {
        FakeApiServer server = server(
                6,
                MemoryListingTest::reached,
                request -> request.answer(200, list("8", "", pod("j1", 1), pod("j2", 2))));
        start(server, OPTIONS);
        assertEquals(List.of("replaced [j1, j2] @8"), listener.awaitData(1));
    }
}
