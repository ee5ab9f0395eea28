package io.policyscheduler.tests.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A scheduler extender as somebody might write it: one HTTP server with a few verbs. */
final class SmallExtender implements AutoCloseable {
    private final ObjectMapper mapper = new ObjectMapper();
    private final HttpServer server;
    private final List<String> calls = new CopyOnWriteArrayList<>();

    SmallExtender() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.start();
    }

    /** Answers a verb. */
    SmallExtender on(String verb, Function<JsonNode, JsonNode> answer) {
        server.createContext("/" + verb, exchange -> {
            calls.add(verb);
            reply(exchange, answer.apply(mapper.readTree(exchange.getRequestBody())));
        });
        return this;
    }

    private void reply(HttpExchange exchange, JsonNode answer) throws IOException {
        byte[] body = mapper.writeValueAsBytes(answer);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** The {@code urlPrefix} to configure. */
    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** The verbs called so far. */
    List<String> calls() {
        return List.copyOf(calls);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
