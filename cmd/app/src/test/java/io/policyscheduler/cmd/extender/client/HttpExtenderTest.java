package io.policyscheduler.cmd.extender.client;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.policyscheduler.cmd.extender.FakeExtenderServer;
import io.policyscheduler.cmd.extender.client.RawObjects.FileRawObjects;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ManagedResource;
import io.policyscheduler.framework.cycle.Extender.ExtenderException;
import io.policyscheduler.framework.cycle.Extender.FilterResponse;
import io.policyscheduler.framework.cycle.Extender.HostScore;
import io.policyscheduler.framework.cycle.Extender.MetaVictims;
import io.policyscheduler.framework.cycle.Extenders.PreemptRules;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpExtenderTest {
    private static final List<String> NODES = List.of("n1", "n2");
    private static final String POD = "{\"metadata\":{\"name\":\"p1\"}}";

    private final FakeExtenderServer server = new FakeExtenderServer();
    private final PodInfo p1 = pod("p1").uid("uid-p1").build();
    private final FileRawObjects objects = new FileRawObjects();

    HttpExtenderTest() throws IOException {
        for (String json : List.of(
                "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p1\"}}",
                "{\"kind\":\"List\",\"items\":[{\"kind\":\"Pod\",\"metadata\":{\"name\":\"v\"}}]}",
                "{\"kind\":\"NodeList\",\"items\":[{\"metadata\":{\"name\":\"n1\"}},{\"metadata\":{\"name\":\"n2\"}}]}")) {
            objects.add(new ObjectMapper().readTree(json));
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ExtenderConfig config(String prefix, boolean namesOnly, long timeoutNanos, ManagedResource... managed) {
        return new ExtenderConfig(
                prefix,
                "filter",
                "preempt",
                "prioritize",
                3,
                "bind",
                false,
                null,
                timeoutNanos,
                namesOnly,
                List.of(managed),
                false,
                SourcePosition.UNKNOWN,
                SourcePosition.UNKNOWN);
    }

    private HttpExtender extender(ExtenderConfig config) {
        try {
            return new HttpExtender(config, objects, ExtenderClients.client(config, false), false);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private HttpExtender extender(boolean namesOnly) {
        return extender(config(server.url() + "/ext", namesOnly, 0));
    }

    private static String error(Executable call) {
        return assertThrows(ExtenderException.class, call).text();
    }

    private static FilterResponse answer(Map<String, String> failed, String... nodes) {
        return new FilterResponse(List.of(nodes), new TreeMap<>(failed), Collections.emptySortedMap());
    }

    @Test
    void namesAreSentWhenTheExtenderHasACache() throws ExtenderException {
        server.answer("{\"NodeNames\":[\"n2\"],\"FailedNodes\":{\"n1\":\"no 5% gpu\"},\"more\":1} trailing");
        assertEquals(answer(Map.of("n1", "no 5% gpu"), "n2"), extender(true).filter(p1, NODES));
        assertEquals(
                new FakeExtenderServer.Request(
                        "POST",
                        "/ext/filter",
                        "application/json",
                        "{\"Pod\":" + POD + ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\"]}"),
                server.last());
    }

    /** Reasons and errors go into conditions and events, which the API server stores. */
    @Test
    void reasonsAreOneLineOfLimitedLength() throws ExtenderException {
        String endless = "x".repeat(300_000);
        String cut = "x".repeat(1024) + "…";
        server.answer("{\"NodeNames\":[],\"FailedNodes\":{\"n1\":\"" + endless + "\",\"n2\":\"a\\nb\\u001b[2J\"},"
                + "\"FailedAndUnresolvableNodes\":{\"n3\":\"" + endless + "\"}}");
        FilterResponse answer = extender(true).filter(p1, NODES);
        assertEquals(Map.of("n1", cut, "n2", "a\\u000ab\\u001b[2J"), answer.failed());
        assertEquals(Map.of("n3", cut), answer.unresolvable());
        server.answer("{\"Error\":\"" + endless + "\"}");
        assertEquals(cut, error(() -> extender(true).filter(p1, NODES)));
    }

    @Test
    void anEndlessAnswerEndsAtTheLimit() throws IOException, InterruptedException {
        AtomicLong sent = new AtomicLong();
        CountDownLatch ended = new CountDownLatch(1);
        HttpServer endless = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endless.createContext("/", exchange -> {
            byte[] piece = " ".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                while (sent.get() < 1L << 32) {
                    out.write(piece);
                    sent.addAndGet(piece.length);
                }
            } catch (IOException e) {
                ended.countDown();
            }
        });
        endless.start();
        try {
            String url = "http://127.0.0.1:" + endless.getAddress().getPort();
            String error = error(() -> extender(config(url, true, 0)).bind(p1, "n1"));
            assertTrue(error.contains("the response is longer than "), error);
            ended.await();
            // The server can send for a moment after the client has stopped reading.
            assertTrue(sent.get() < 1L << 30, sent + " bytes were sent");
        } finally {
            endless.stop(0);
        }
    }

    @Test
    void wholeNodesAreSentOtherwise() throws ExtenderException {
        server.answer("{\"nodes\":{\"items\":[{\"metadata\":{\"name\":\"n2\"}}]},\"failednodes\":{\"n1\":\"no\"}}");
        assertEquals(answer(Map.of("n1", "no"), "n2"), extender(false).filter(p1, NODES));
        assertEquals(
                "{\"Pod\":" + POD + ",\"Nodes\":{\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"n1\"}},"
                        + "{\"metadata\":{\"name\":\"n2\"}}]},\"NodeNames\":null}",
                server.last().body());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | {}",
                "true  | null",
                "true  | {\"NodeNames\":[]}",
                "false | {\"NodeNames\":[\"n1\"]}",
                "false | {\"Nodes\":null}",
                "false | {\"Nodes\":{\"items\":null}}",
            })
    void answersWithoutNodesKeepNone(boolean namesOnly, String json) throws ExtenderException {
        server.answer(json);
        assertEquals(answer(Map.of()), extender(namesOnly).filter(p1, NODES));
    }

    @Test
    void nodesCountWhenACachingExtenderGivesNoNames() throws ExtenderException {
        server.answer("{\"NodeNames\":null,\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n1\"}}]}}");
        assertEquals(answer(Map.of(), "n1"), extender(true).filter(p1, NODES));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"Error\":\"boom\"}        | boom",
                "[]                          | json: cannot unmarshal array into Go value of type"
                        + " v1.ExtenderFilterResult",
                "{\"NodeNames\":\"n1\"}      | json: cannot unmarshal string into Go struct field NodeNames of type"
                        + " []string",
                "{\"NodeNames\":[1]}         | json: cannot unmarshal number 1 into Go struct field NodeNames of type"
                        + " string",
                "{\"Error\":true}            | json: cannot unmarshal bool into Go struct field Error of type string",
                "~~                          | EOF",
            })
    void filterErrors(String json, String text) {
        server.answer(json);
        assertEquals(text, error(() -> extender(true).filter(p1, NODES)));
    }

    @Test
    void garbageIsAnError() {
        server.answer("{bad");
        assertTrue(error(() -> extender(true).filter(p1, NODES)).startsWith("Unexpected character ('b'"));
    }

    @ParameterizedTest
    @CsvSource({"500", "201", "404"})
    void onlyStatus200IsSuccess(int code) {
        server.answer(code, "{}");
        assertEquals(
                "Failed filter with extender at URL " + server.url() + "/ext/filter, code " + code,
                error(() -> extender(true).filter(p1, NODES)));
    }

    @Test
    void trailingSlashesOfThePrefixGo() throws ExtenderException {
        server.answer("{}");
        extender(config(server.url() + "/ext//", true, 0)).filter(p1, NODES);
        assertEquals("/ext/filter", server.last().path());
    }

    @Test
    void transportErrors() {
        server.keepSilent();
        HttpExtender hasty = extender(config(server.url(), true, 50_000_000));
        assertEquals(
                "Post \"" + server.url()
                        + "/filter\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
                error(() -> hasty.filter(p1, NODES)));
        assertEquals(
                "Post \"http://127.0.0.1:1/filter\": dial tcp 127.0.0.1:1: connect: connection refused",
                error(() -> extender(config("http://127.0.0.1:1", true, 0)).filter(p1, NODES)));
        assertTrue(error(() -> extender(config("", true, 0)).filter(p1, NODES)).startsWith("Post \"/filter\": "));
    }

    @Test
    void objectsThatCannotBeReadAreAnError() {
        assertEquals(
                "pod \"default/other\" not found",
                error(() -> extender(true).filter(pod("other").build(), NODES)));
        assertEquals("node \"n9\" not found", error(() -> extender(false).filter(p1, List.of("n9"))));
    }

    @Test
    void prioritize() throws ExtenderException {
        server.answer(
                "[{\"Host\":\"n1\",\"Score\":3},{\"host\":\"n2\",\"score\":-70},{\"Score\":1},{\"Host\":\"n1\"}]");
        assertEquals(
                List.of(new HostScore("n1", 3), new HostScore("n2", -70), new HostScore("", 1), new HostScore("n1", 0)),
                extender(true).prioritize(p1, NODES));
        assertEquals("/ext/prioritize", server.last().path());
        assertEquals(
                "{\"Pod\":" + POD + ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\"]}",
                server.last().body());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[{\"Host\":\"n1\",\"Score\":1.0}]",
                "[{\"Host\":\"n1\",\"Score\":\"1\"}]",
                "[{\"Host\":\"n1\",\"Score\":9223372036854775808}]",
                "[{\"Host\":1,\"Score\":1}]",
                "{\"Host\":\"n1\",\"Score\":1}",
                "[3]",
            })
    void badScores(String json) {
        server.answer(json);
        assertTrue(error(() -> extender(true).prioritize(p1, NODES)).startsWith("json: cannot unmarshal "));
    }

    @Test
    void preempt() throws ExtenderException {
        TreeMap<String, Victims> candidates = new TreeMap<>(
                Map.of("n1", new Victims(List.of(pod("v").uid("u1").build()), 2)));
        server.answer(
                "{\"NodeNameToMetaVictims\":{\"n2\":{\"Pods\":[{\"UID\":\"u2\"}],\"NumPDBViolations\":7},\"n3\":{}}}");
        Map<String, MetaVictims> narrowed =
                Map.of("n2", new MetaVictims(List.of("u2"), 7), "n3", new MetaVictims(List.of(), 0));
        assertEquals(narrowed, extender(false).preempt(p1, candidates, PreemptRules.V1_17));
        assertEquals(
                "{\"Pod\":" + POD + ",\"NodeNameToVictims\":{\"n1\":{\"Pods\":[{\"metadata\":{\"name\":\"v\"}}],"
                        + "\"NumPDBViolations\":2}},\"NodeNameToMetaVictims\":null}",
                server.last().body());

        assertEquals(narrowed, extender(true).preempt(p1, candidates, PreemptRules.V1_17));
        assertEquals(
                "{\"Pod\":" + POD + ",\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":"
                        + "[{\"UID\":\"u1\"}],\"NumPDBViolations\":0}}}",
                server.last().body());

        assertEquals(narrowed, extender(true).preempt(p1, candidates, PreemptRules.CURRENT));
        assertEquals(
                "{\"Pod\":" + POD + ",\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":"
                        + "[{\"UID\":\"u1\"}],\"NumPDBViolations\":2}}}",
                server.last().body());

        server.answer("{\"NodeNameToVictims\":{\"n1\":{}}}");
        assertEquals(Map.of(), extender(true).preempt(p1, candidates, PreemptRules.V1_17));
        server.answer("{\"NodeNameToMetaVictims\":{\"n1\":null}}");
        assertEquals(
                "json: cannot unmarshal null into Go struct field NodeNameToMetaVictims of type v1.MetaVictims",
                error(() -> extender(true).preempt(p1, candidates, PreemptRules.V1_17)));
    }

    @Test
    void bind() throws ExtenderException {
        server.answer("{\"Error\":\"\"}");
        extender(true).bind(p1, "n2");
        assertEquals(
                new FakeExtenderServer.Request(
                        "POST",
                        "/ext/bind",
                        "application/json",
                        "{\"PodName\":\"p1\",\"PodNamespace\":\"default\",\"PodUID\":\"uid-p1\",\"Node\":\"n2\"}"),
                server.last());

        server.answer("{\"Error\":\"bind 50% no\"}");
        ExtenderException refused =
                assertThrows(ExtenderException.class, () -> extender(true).bind(p1, "n2"));
        assertEquals("bind 50% no", refused.text());
        assertTrue(refused.isRejected());

        server.answer(500, "");
        assertFalse(assertThrows(ExtenderException.class, () -> extender(true).bind(p1, "n2"))
                .isRejected());
    }

    @Test
    void strictErrorsAreFormats() {
        server.answer("{\"Error\":\"boom 100%d %s\"}");
        HttpExtender strict = new HttpExtender(config(server.url(), true, 0), objects, new OkHttpClient(), true);
        assertEquals("boom 100%!d(MISSING) %!s(MISSING)", error(() -> strict.filter(p1, NODES)));
    }

    @Test
    void interestInManagedResources() {
        PodInfo wantsGpu = pod("g").scalar("x.io/gpu", 0).build();
        ManagedResource gpu = new ManagedResource("x.io/gpu", true, SourcePosition.UNKNOWN);
        HttpExtender selective = extender(config(server.url(), true, 0, gpu));
        assertTrue(selective.isInterested(wantsGpu));
        assertFalse(selective.isInterested(p1));
        assertTrue(extender(true).isInterested(p1));
    }
}
