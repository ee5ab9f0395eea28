package io.policyscheduler.cmd.kube.connection;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A scripted HTTP server on the loopback interface. */
public final class FakeApiServer implements AutoCloseable {
    /** A received request; query values are decoded. */
    public record Request(
            String method, String path, TreeMap<String, String> query, String body, HttpExchange exchange) {
        public String parameter(String name) {
            return query.getOrDefault(name, "");
        }

        public boolean watch() {
            return parameter("watch").equals("true");
        }

        public String header(String name) {
            return String.valueOf(exchange.getRequestHeaders().getFirst(name));
        }

        public void answer(int code, String text) throws IOException {
            answer(code, "application/json", text.getBytes(StandardCharsets.UTF_8));
        }

        public void answer(int code, String contentType, byte[] bytes) throws IOException {
            exchange.getResponseHeaders().set("Content-Type", contentType);
            exchange.sendResponseHeaders(code, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        }

        /** Starts a watch response and sends these lines. */
        public OutputStream open(String... lines) throws IOException {
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            for (String line : lines) {
                out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
            out.flush();
            return out;
        }
    }

    /** The script. */
    @FunctionalInterface
    public interface Script {
        void handle(Request request) throws IOException;
    }

    public final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Script script;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    private HttpServer server;

    public FakeApiServer(Script script) {
        this.script = script;
        this.server = start(0);
    }

    private HttpServer start(int port) {
        try {
            HttpServer started = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
            started.setExecutor(threads);
            started.createContext("/", this::handle);
            started.start();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        TreeMap<String, String> query = new TreeMap<>();
        String raw = exchange.getRequestURI().getRawQuery();
        if (raw != null) {
            for (String pair : raw.split("&", -1)) {
                int equals = pair.indexOf('=');
                query.put(
                        pair.substring(0, equals),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        Request request = new Request(
                exchange.getRequestMethod(), exchange.getRequestURI().getPath(), query, body, exchange);
        requests.add(request);
        script.handle(request);
    }

    /** Keeps the calling handler, and so its response, open until the server is closed. */
    public void hold() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public void goDown() {
        server.stop(0);
    }

    public void comeBack() {
        server = start(server.getAddress().getPort());
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
