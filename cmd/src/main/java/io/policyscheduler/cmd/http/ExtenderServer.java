package io.policyscheduler.cmd.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.policyscheduler.cmd.extender.ExtenderService;
import io.policyscheduler.cmd.extender.MalformedRequestException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code POST /filter}, {@code POST /prioritize} and {@code GET /healthz}. Until the cluster is known all answer 503.
 * Run the JVM with {@code -Dsun.net.httpserver.nodelay=true}.
 */
public final class ExtenderServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderServer.class);
    private static final int THREADS = 4;
    private static final String TEXT = "text/plain; charset=utf-8";

    private interface Call {
        JsonNode answer(InputStream body) throws IOException, MalformedRequestException;
    }

    private final HttpServer server;
    private final ExecutorService threads;
    private final BooleanSupplier ready;
    private final ObjectMapper mapper = new ObjectMapper();

    /**
     * Starts to serve.
     *
     * @param address port 0 for any free one
     * @param ready whether the cluster is known
     * @throws IOException when the address cannot be used
     */
    public ExtenderServer(InetSocketAddress address, ExtenderService service, BooleanSupplier ready)
            throws IOException {
        this.ready = ready;
        this.server = HttpServer.create(address, 0);
        this.threads = Executors.newFixedThreadPool(
                THREADS,
                new ThreadFactoryBuilder()
                        .setNameFormat("extender-%d")
                        .setDaemon(true)
                        .build());
        server.setExecutor(threads);
        server.createContext("/", closing(exchange -> answer(exchange, 404, TEXT, bytes("not found"))));
        server.createContext("/healthz", closing(this::health));
        server.createContext("/filter", closing(exchange -> post(exchange, "/filter", service::filter)));
        server.createContext("/prioritize", closing(exchange -> post(exchange, "/prioritize", service::prioritize)));
        server.start();
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    private static HttpHandler closing(HttpHandler handler) {
        return exchange -> {
            try (exchange) {
                handler.handle(exchange);
            }
        };
    }

    private void health(HttpExchange exchange) throws IOException {
        boolean ok = ready.getAsBoolean();
        answer(exchange, ok ? 200 : 503, TEXT, bytes(ok ? "ok" : "waiting for the cluster"));
    }

    private void post(HttpExchange exchange, String path, Call call) throws IOException {
        if (!exchange.getRequestURI().getPath().equals(path)) {
            answer(exchange, 404, TEXT, bytes("not found"));
        } else if (!exchange.getRequestMethod().equals("POST")) {
            exchange.getResponseHeaders().set("Allow", "POST");
            answer(exchange, 405, TEXT, bytes("only POST"));
        } else if (!ready.getAsBoolean()) {
            answer(exchange, 503, TEXT, bytes("waiting for the cluster"));
        } else {
            try {
                byte[] json = mapper.writeValueAsBytes(call.answer(exchange.getRequestBody()));
                answer(exchange, 200, "application/json", json);
            } catch (MalformedRequestException e) {
                answer(exchange, 400, TEXT, bytes(String.valueOf(e.getMessage())));
            } catch (RuntimeException e) {
                LOG.warn("W108 {} failed: {}", path, e.getMessage());
                LOG.debug("{} failed", path, e);
                answer(exchange, 500, TEXT, bytes(String.valueOf(e.getMessage())));
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void answer(HttpExchange exchange, int code, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(code, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
