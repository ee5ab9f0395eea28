package io.policyscheduler.cmd.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.extender.ServedRequest.MalformedRequestException;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.WebServer;
import io.policyscheduler.cmd.server.WebServer.Limits;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code POST /filter}, {@code POST /prioritize} and {@code GET /healthz}. Until the cluster is known all answer 503,
 * and so do calls while too many others wait.
 */
final class ExtenderServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderServer.class);
    private static final int THREADS = 4;
    private static final int WAITING_CALLS = 256;
    /** Room for some 10,000 whole node objects, which is what a scheduler sends without {@code nodeCacheCapable}. */
    private static final int BODY_BYTES = 128 << 20;

    private interface Call {
        JsonNode answer(InputStream body) throws IOException, MalformedRequestException;
    }

    private final WebServer server;
    private final ExecutorService threads;
    private final ExtenderService service;
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
        this.service = service;
        this.ready = ready;
        this.threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_CALLS),
                new ThreadFactoryBuilder()
                        .setNameFormat("extender-call-%d")
                        .setDaemon(true)
                        .build());
        long quarterOfHeap = Runtime.getRuntime().maxMemory() / 4;
        Limits limits = Limits.withBodies((int) Math.min(BODY_BYTES, quarterOfHeap), quarterOfHeap);
        try {
            this.server = new WebServer("extender", address, limits, this::handle);
        } catch (IOException e) {
            threads.shutdownNow();
            throw e;
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return server.address();
    }

    private void handle(Exchange exchange) {
        switch (exchange.path()) {
            case "/healthz" -> {
                boolean ok = ready.getAsBoolean();
                exchange.answer(ok ? 200 : 503, ok ? "ok" : "waiting for the caches to sync");
            }
            case "/filter" -> post(exchange, service::filter);
            case "/prioritize" -> post(exchange, service::prioritize);
            default -> exchange.answer(404, "not found");
        }
    }

    private void post(Exchange exchange, Call call) {
        if (!exchange.method().equals("POST")) {
            exchange.responseHeader("Allow", "POST");
            exchange.answer(405, "only POST");
        } else if (!ready.getAsBoolean()) {
            exchange.answer(503, "waiting for the caches to sync");
        } else {
            try {
                threads.execute(() -> answer(exchange, call));
            } catch (RejectedExecutionException e) {
                exchange.responseHeader("Retry-After", "1");
                exchange.answer(503, "too many concurrent requests");
            }
        }
    }

    private void answer(Exchange exchange, Call call) {
        try {
            byte[] json = mapper.writeValueAsBytes(call.answer(new ByteArrayInputStream(exchange.body())));
            exchange.answer(200, "application/json", json);
        } catch (MalformedRequestException e) {
            exchange.answer(400, String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException e) {
            LOG.warn("W108 {} failed: {}", exchange.path(), e.getMessage());
            LOG.debug("{} failed", exchange.path(), e);
            exchange.answer(500, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void close() {
        server.close();
        threads.shutdownNow();
    }
}
