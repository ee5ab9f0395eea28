package io.policyscheduler.cmd.http;

import com.google.common.base.Splitter;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code /healthz}, {@code /livez} and {@code /readyz} (each with {@code /CHECK}, {@code ?verbose} and
 * {@code ?exclude=CHECK}), {@code /metrics} and {@code /configz}, in the words of kube-scheduler. Everything else is 404.
 *
 * <p>Plain HTTP without authentication: whoever reaches the port can read all of it, which is no secret but tells about
 * the cluster. Listen on the loopback address, or where a network policy decides who reaches it. Run the JVM with
 * {@code -Dsun.net.httpserver.nodelay=true}.
 */
public final class StatusServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatusServer.class);
    private static final int THREADS = 4;
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String NOT_FOUND = "404 page not found\n";

    private record Answer(int code, String type, String body) {
        static Answer text(int code, String body) {
            return new Answer(code, TEXT, body);
        }
    }

    private final HttpServer server;
    private final ExecutorService threads;
    private final StatusContent content;
    private final PrometheusTextFormatWriter metrics = PrometheusTextFormatWriter.create();

    /**
     * Starts to serve.
     *
     * @param address port 0 for any free one; see {@link ListenAddress}
     * @throws IOException when the address cannot be used; the message is one line for users
     */
    public StatusServer(InetSocketAddress address, StatusContent content) throws IOException {
        this.content = content;
        try {
            this.server = HttpServer.create(address, 0);
        } catch (IOException e) {
            throw new IOException("cannot listen on " + ListenAddress.text(address) + ": " + e.getMessage(), e);
        }
        this.threads = Executors.newFixedThreadPool(
                THREADS,
                new ThreadFactoryBuilder()
                        .setNameFormat("status-%d")
                        .setDaemon(true)
                        .build());
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer answer;
            try {
                answer = answer(exchange);
            } catch (RuntimeException e) {
                LOG.error("{} failed", exchange.getRequestURI(), e);
                answer = Answer.text(500, "internal server error\n");
            }
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", answer.type());
            exchange.getResponseHeaders().set("Cache-Control", "no-cache, private");
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.sendResponseHeaders(answer.code(), -1);
            } else {
                exchange.sendResponseHeaders(answer.code(), body.length == 0 ? -1 : body.length);
                exchange.getResponseBody().write(body);
            }
        }
    }

    private Answer answer(HttpExchange exchange) throws IOException {
        String method = exchange.getRequestMethod();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            return Answer.text(405, "only GET\n");
        }
        String path = exchange.getRequestURI().getPath();
        if (path.equals("/metrics")) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            metrics.write(out, content.metrics().scrape());
            return new Answer(200, metrics.getContentType(), out.toString(StandardCharsets.UTF_8));
        }
        if (path.equals("/configz")) {
            return new Answer(200, "application/json", content.configz().get());
        }
        List<String> segments = Splitter.on('/').limit(3).splitToList(path);
        List<HealthCheck> checks = checks(segments.get(1));
        if (checks == null) {
            return Answer.text(404, NOT_FOUND);
        }
        if (segments.size() > 2) {
            Optional<HealthReport> one = HealthReport.ofOne(checks, segments.get(2));
            return one.map(report -> Answer.text(report.ok() ? 200 : 500, report.text()))
                    .orElseGet(() -> Answer.text(404, NOT_FOUND));
        }
        String query = exchange.getRequestURI().getRawQuery();
        Set<String> excluded = parameter(query, "exclude");
        boolean verbose = !parameter(query, "verbose").isEmpty();
        HealthReport report = HealthReport.of(segments.get(1), checks, verbose, excluded);
        return Answer.text(report.ok() ? 200 : 500, report.text());
    }

    private @Nullable List<HealthCheck> checks(String group) {
        return switch (group) {
            case "healthz" -> content.healthz();
            case "livez" -> content.livez();
            case "readyz" -> content.readyz();
            default -> null;
        };
    }

    /** All values of a query parameter; one without a value has an empty one. */
    private static Set<String> parameter(@Nullable String query, String name) {
        Set<String> values = new LinkedHashSet<>();
        for (String pair : Splitter.on('&').omitEmptyStrings().split(query == null ? "" : query)) {
            int at = pair.indexOf('=');
            if ((at < 0 ? pair : pair.substring(0, at)).equals(name)) {
                values.add(at < 0 ? "" : URLDecoder.decode(pair.substring(at + 1), StandardCharsets.UTF_8));
            }
        }
        return values;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
