package io.policyscheduler.cmd.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.http.StatusServer.CachedPage;
import io.policyscheduler.cmd.server.WebServer;
import io.policyscheduler.cmd.server.WebServer.Limits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedPageTest {
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final Semaphore mayEnd = new Semaphore(0);
    private final CachedPage page = new CachedPage("page", "text/plain", this::make);
    private final WebServer server;

    SharedPageTest() throws IOException {
        server = new WebServer(
                "test",
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Limits.withoutBodies(),
                exchange -> {
                    asked.incrementAndGet();
                    page.answer(exchange);
                });
    }

    @AfterEach
    void close() {
        server.close();
        page.close();
    }

    private byte[] make() throws IOException {
        begun.countDown();
        mayEnd.acquireUninterruptibly();
        int number = made.incrementAndGet();
        if (number == 3) {
            throw new IOException("broken");
        }
        return ("page " + number).getBytes(StandardCharsets.UTF_8);
    }

    private CompletableFuture<HttpResponse<String>> ask() {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + "/");
        return HttpClient.newHttpClient()
                .sendAsync(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void whoAsksWhileAPageIsMadeSharesTheNext() throws Exception {
        CompletableFuture<HttpResponse<String>> first = ask();
        begun.await();
        List<CompletableFuture<HttpResponse<String>>> others = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            others.add(ask());
        }
        while (asked.get() < 21) {
            Thread.onSpinWait();
        }
        mayEnd.release();
        assertEquals("page 1", first.join().body());
        mayEnd.release();
        for (CompletableFuture<HttpResponse<String>> other : others) {
            assertEquals("page 2", other.join().body());
        }
        mayEnd.release();
        HttpResponse<String> failed = ask().join();
        assertEquals("500 internal server error\n", failed.statusCode() + " " + failed.body());
        mayEnd.release();
        assertTrue(ask().join().body().equals("page 4"));
    }
}
