package io.policyscheduler.tests.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A minimal scheduler extender: an HTTP server with a few verbs. */
public final class SmallExtender implements AutoCloseable {
    /** A response with status 500. */
    public static final JsonNode FAILURE = MissingNode.getInstance();

    private final ObjectMapper mapper = new ObjectMapper();
    private final HttpServer server;
    private final List<String> calls = new CopyOnWriteArrayList<>();

    /** Starts one without verbs on a free port. */
    public SmallExtender() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.start();
    }

    /** Sets the response to a verb. */
    public SmallExtender on(String verb, Function<JsonNode, JsonNode> answer) {
        server.createContext("/" + verb, exchange -> {
            calls.add(verb);
            reply(exchange, answer.apply(mapper.readTree(exchange.getRequestBody())));
        });
        return this;
    }

    private void reply(HttpExchange exchange, JsonNode answer) throws IOException {
        if (answer.isMissingNode()) {
            exchange.sendResponseHeaders(500, -1);
            exchange.close();
            return;
        }
        byte[] body = mapper.writeValueAsBytes(answer);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** Returns the {@code urlPrefix} to configure. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns the verbs that were called so far. */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
