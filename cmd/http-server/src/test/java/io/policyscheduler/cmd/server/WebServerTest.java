package io.policyscheduler.cmd.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.server.WebServer.Limits;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WebServerTest {
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int LARGE = 32 << 20;

    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final LinkedBlockingQueue<Exchange> held = new LinkedBlockingQueue<>();

    private record Built(int connections, Duration request, Duration answer, int body, long bodies) {
        Limits limits() {
            return new Limits(connections, 8192, body, bodies, request, answer, LONG);
        }
    }

    private final List<String> fatal = new CopyOnWriteArrayList<>();

    private static final Built USUAL = new Built(2000, LONG, LONG, 1000, 10_000);

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
        threads.shutdownNow();
    }

    private WebServer serve(Built built) throws IOException {
        WebServer server = new WebServer("test", ANY, built.limits(), this::handle);
        toClose.add(server);
        return server;
    }

    private void handle(Exchange exchange) {
        switch (exchange.path()) {
            case "/held" -> held.add(exchange);
            case "/broken" -> throw new IllegalStateException("a bug");
            case "/wrong" -> throw new AssertionError("a bug");
            case "/deep" -> {
                Thread.currentThread()
                        .setUncaughtExceptionHandler(
                                (thread, cause) -> fatal.add(cause.getClass().getSimpleName()));
                throw new StackOverflowError("a bug");
            }
            case "/dropped" -> exchange.drop();
            case "/large" -> exchange.answer(200, Exchange.TEXT, new byte[LARGE]);
            default ->
                exchange.answer(
                        200,
                        exchange.method() + " " + exchange.path() + "?" + exchange.query() + " "
                                + exchange.header("X-Name") + " "
                                + new String(exchange.body(), StandardCharsets.UTF_8));
        }
    }

    private RawClient client(WebServer server) throws IOException {
        RawClient client = new RawClient(server.address());
        toClose.add(client);
        return client;
    }

    private static String request(String line, String... headers) {
        StringBuilder text = new StringBuilder(line).append(" HTTP/1.1\r\nHost: x\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        return text.append("\r\n").toString();
    }

    private static String body(String answer) {
        return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }

    private String ask(WebServer server, String text) throws IOException {
        try (RawClient client = new RawClient(server.address())) {
            return client.send(text).readTo("\0");
        }
    }

    private void probe(WebServer server) throws IOException {
        String answer = ask(server, request("GET /probe", "Connection: close"));
        assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
    }

    /** A stop of Jetty can hang. */
    @Test
    void aTaskThatHangsIsInterruptedAfterTheLimit() throws InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(1);
        assertFalse(WebServer.ends(
                () -> {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                    }
                },
                SHORT));
        assertTrue(interrupted.await(LONG.toSeconds(), TimeUnit.SECONDS));
        assertTrue(WebServer.ends(() -> {}, LONG));
    }

    @Test
    void givesTheRequestAsItWasSent() throws IOException {
        WebServer server = serve(USUAL);
        String answer = ask(
                server, request("POST /a%20b/c?d=%65", "X-Name: n", "Content-Length: 4", "Connection: close") + "body");
        assertEquals("POST /a%20b/c?d=%65 n body", body(answer));
        RawClient kept = client(server);
        for (int i = 0; i < 3; i++) {
            assertTrue(kept.send(request("GET /again")).readTo("GET /again?  ").endsWith("GET /again?  "));
        }
        assertEquals("GET /old?  ", body(ask(server, "GET /old HTTP/1.0\r\n\r\n")));
        String head = ask(server, request("HEAD /h", "Connection: close"));
        assertEquals("", body(head));
        assertTrue(head.contains("Content-Length: 10"), head);
    }

    @Test
    void onlyAnErrorOfTheMachineIsToldAsTheEndOfAThread() throws IOException {
        WebServer server = serve(USUAL);
        for (String path : List.of("/wrong", "/deep")) {
            String answer = ask(server, request("GET " + path, "Connection: close"));
            assertTrue(answer.startsWith("HTTP/1.1 500"), answer);
        }
        assertEquals(List.of("StackOverflowError"), fatal);
    }

    @Test
    void aBugIsAnswered500AndADroppedExchangeNotAtAll() throws IOException {
        WebServer server = serve(USUAL);
        String answer = ask(server, request("GET /broken", "Connection: close"));
        assertTrue(answer.startsWith("HTTP/1.1 500"), answer);
        assertEquals("internal server error\n", body(answer));
        assertEquals("", ask(server, request("GET /dropped")));
    }

    @Test
    void refusesWhatIsTooLarge() throws IOException {
        WebServer server = serve(USUAL);
        String huge = ask(server, request("GET /", "X-Name: " + "x".repeat(9000)));
        assertTrue(huge.startsWith("HTTP/1.1 431"), huge);
        String declared = ask(server, request("POST /", "Content-Length: 1001"));
        assertTrue(declared.startsWith("HTTP/1.1 413"), declared);
        assertEquals("the request body is longer than 1000 bytes\n", body(declared));
        String chunked = ask(
                server,
                request("POST /", "Transfer-Encoding: chunked") + "3e9\r\n" + "x".repeat(1001) + "\r\n0\r\n\r\n");
        assertTrue(chunked.startsWith("HTTP/1.1 413"), chunked);
        probe(server);
    }

    @Test
    void bodiesShareOneBudgetAndGiveItBack() throws Exception {
        WebServer server = serve(new Built(2000, LONG, LONG, 1000, 1500));
        RawClient first = client(server).send(request("POST /held", "Content-Length: 1000") + "x".repeat(1000));
        Exchange exchange = held.take();
        String refused = ask(server, request("POST /", "Content-Length: 900", "Connection: close") + "y".repeat(900));
        assertTrue(refused.startsWith("HTTP/1.1 503"), refused);
        exchange.answer(200, "done");
        assertTrue(first.readTo("done").endsWith("done"));
        String taken = ask(server, request("POST /", "Content-Length: 900", "Connection: close") + "y".repeat(900));
        assertTrue(taken.startsWith("HTTP/1.1 200"), taken);
    }

    @Test
    void stalledClientsHoldNobodyUp() throws Exception {
        WebServer server = serve(USUAL);
        for (int i = 0; i < 100; i++) {
            client(server);
            client(server).send("GET /stalled HTTP/1.1\r\nHost:");
            client(server).send(request("POST /stalled", "Content-Length: 500") + "x");
            client(server).send(request("GET /held"));
        }
        for (int i = 0; i < 20; i++) {
            client(server).send(request("GET /large"));
        }
        for (int i = 0; i < 100; i++) {
            held.take();
        }
        probe(server);
    }

    @Test
    void aRequestMustComeInInTime() throws IOException {
        WebServer server = serve(new Built(2000, SHORT, LONG, 1000, 10_000));
        assertTrue(client(server).readsEnd());
        assertTrue(client(server).send("GET /slow HTTP/1.1\r\n").readsEnd());
        assertTrue(client(server)
                .send(request("POST /slow", "Content-Length: 500") + "x")
                .readsEnd());
        RawClient second = client(server).send(request("GET /first"));
        assertTrue(second.readTo("GET /first?  ").endsWith("GET /first?  "));
        assertTrue(second.send("GET /second HT").readsEnd());
    }

    @Test
    void anAnswerMustBeTakenInTime() throws Exception {
        WebServer server = serve(new Built(2000, LONG, SHORT, 1000, 10_000));
        client(server).send(request("GET /large"));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (server.openConnections() == 0) {
            assertTrue(System.nanoTime() < deadline);
            Thread.onSpinWait();
        }
        while (server.openConnections() > 0) {
            assertTrue(System.nanoTime() < deadline, "the connection stays");
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    @Test
    void aFullServerMakesRoomForTheNext() throws Exception {
        WebServer server = serve(new Built(10, LONG, LONG, 1000, 10_000));
        RawClient working = client(server).send(request("GET /held"));
        Exchange exchange = held.take();
        for (int i = 0; i < 30; i++) {
            client(server).send("GET /stalled HT");
        }
        probe(server);
        assertTrue(server.openConnections() <= 10);
        exchange.answer(200, "done");
        assertTrue(working.readTo("done").endsWith("done"));
    }

    @Test
    void aStreamIsSentPieceByPieceAndFailsWhenTheClientGoes() throws Exception {
        WebServer server = serve(new Built(2000, SHORT, SHORT, 1000, 10_000));
        RawClient client = client(server).send(request("GET /held"));
        OutputStream stream = held.take().stream(200, "application/json");
        for (String piece : List.of("one\n", "two\n")) {
            stream.write(piece.getBytes(StandardCharsets.UTF_8));
            stream.flush();
            assertTrue(client.readTo(piece).endsWith(piece));
        }
        CountDownLatch failed = new CountDownLatch(1);
        threads.execute(() -> {
            byte[] piece = new byte[10_000];
            while (true) {
                try {
                    stream.write(piece);
                    stream.flush();
                } catch (IOException e) {
                    failed.countDown();
                    return;
                }
            }
        });
        client.close();
        assertTrue(failed.await(30, TimeUnit.SECONDS));
        stream.close();
    }

    @Test
    void aStreamThatIsClosedEndsTheAnswer() throws Exception {
        WebServer server = serve(USUAL);
        RawClient client = client(server).send(request("GET /held", "Connection: close"));
        try (OutputStream stream = held.take().stream(200, Exchange.TEXT)) {
            stream.write("all".getBytes(StandardCharsets.UTF_8));
        }
        String answer = client.readTo("\0");
        assertTrue(answer.contains("all"), answer);
    }

    @Test
    void aPortThatIsTakenIsTold() throws IOException {
        WebServer server = serve(USUAL);
        IOException e = assertThrows(
                IOException.class, () -> new WebServer("second", server.address(), USUAL.limits(), this::handle));
        assertEquals("Address already in use", e.getMessage());
    }

    @Test
    void socketsThatHaveEndedAreForgotten() throws IOException, InterruptedException {
        WebServer server = serve(USUAL);
        for (int i = 0; i < 20; i++) {
            try (RawClient client = client(server).send("GET /half")) {
                client.close();
            }
        }
        probe(server);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (server.openSockets() > 1 && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertTrue(server.openSockets() <= 1, () -> server.openSockets() + " sockets are kept");
    }

    /** Stops the server in every state of a connection. */
    @Test
    void everyClientHearsTheEnd() throws IOException {
        for (int i = 0; i < 150; i++) {
            WebServer server = serve(USUAL);
            RawClient client = client(server).send("GET /half");
            server.close();
            assertTrue(client.readsEnd(), "the client of server " + i + " waits for ever");
            client.close();
        }
    }

    @Test
    void anAddressIsFreeAfterClosing() throws IOException {
        WebServer server = serve(USUAL);
        RawClient client = client(server).send("GET /half");
        server.close();
        assertTrue(client.readsEnd());
        try (WebServer next = new WebServer("next", server.address(), USUAL.limits(), this::handle)) {
            probe(next);
        }
    }
}
