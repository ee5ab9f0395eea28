package io.policyscheduler.tests.e2e;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Answers instant queries like Prometheus, with the values that a test sets and the time of the query. */
final class MeasuringServer implements AutoCloseable {
    private final HttpServer server;
    private volatile SortedMap<String, Double> values = new TreeMap<>();
    private volatile boolean up = true;

    MeasuringServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/api/v1/query", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Sets the values by node. */
    void measure(Map<String, Double> byNode) {
        values = new TreeMap<>(byNode);
    }

    /** Sets whether it answers or fails. */
    void setUp(boolean isUp) {
        up = isUp;
    }

    private void answer(HttpExchange exchange) throws IOException {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        if (up) {
            answer.put("status", "success");
            ArrayNode results =
                    answer.putObject("data").put("resultType", "vector").putArray("result");
            double now = Instant.now().toEpochMilli() / 1000.0;
            values.forEach((node, value) -> {
                ObjectNode result = results.addObject();
                result.putObject("metric").put("node", node);
                result.putArray("value").add(now).add(Double.toString(value));
            });
        } else {
            answer.put("status", "error").put("errorType", "timeout").put("error", "query timed out");
        }
        byte[] body = answer.toString().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(up ? 200 : 503, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
