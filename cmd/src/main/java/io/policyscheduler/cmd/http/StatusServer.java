package io.policyscheduler.cmd.http;

import com.google.common.base.Splitter;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.ServerLimits;
import io.policyscheduler.cmd.server.ServerTls;
import io.policyscheduler.cmd.server.WebServer;
import io.policyscheduler.engine.cluster.VisibleText;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code /healthz}, {@code /livez} and {@code /readyz} (each with {@code /CHECK}, {@code ?verbose} and
 * {@code ?exclude=CHECK}), {@code /metrics} and {@code /configz}, in the words of kube-scheduler, {@code /debug/decisions},
 * {@code /debug/threads}, and the further pages of its {@link StatusContent}. Everything else is 404.
 *
 * <p>Without TLS and an {@link AccessCheck} whoever reaches the port can read all of it, which is no secret but tells about the
 * cluster: listen on the loopback address then, or where a network policy decides who reaches it.
 */
public final class StatusServer implements AutoCloseable {
    private static final String NOT_FOUND = "404 page not found\n";

    private final WebServer server;
    private final StatusContent content;
    private final AccessCheck access;
    private final SharedPage metrics;

    /**
     * Starts to serve everybody, in plain HTTP.
     *
     * @param address port 0 for any free one; see {@link ListenAddress}
     * @throws IOException when the address cannot be used; the message is one line for users
     */
    public StatusServer(InetSocketAddress address, StatusContent content) throws IOException {
        this(address, content, ServerLimits.withoutBodies());
    }

    /** The same with other limits, where further pages take bodies. */
    public StatusServer(InetSocketAddress address, StatusContent content, ServerLimits limits) throws IOException {
        this(address, content, limits, null, AccessCheck.NONE);
    }

    /**
     * Starts to serve.
     *
     * @param address port 0 for any free one; see {@link ListenAddress}
     * @param tls null for plain HTTP
     * @param access asked about every request
     * @throws IOException when the address cannot be used; the message is one line for users
     */
    public StatusServer(InetSocketAddress address, StatusContent content, @Nullable ServerTls tls, AccessCheck access)
            throws IOException {
        this(address, content, ServerLimits.withoutBodies(), tls, access);
    }

    private StatusServer(
            InetSocketAddress address,
            StatusContent content,
            ServerLimits limits,
            @Nullable ServerTls tls,
            AccessCheck access)
            throws IOException {
        this.content = content;
        this.access = access;
        PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
        this.metrics = new SharedPage("status-metrics", writer.getContentType(), () -> {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            writer.write(out, content.metrics().scrape());
            return out.toByteArray();
        });
        try {
            this.server = new WebServer("status", address, limits, tls, this::check);
        } catch (IOException e) {
            metrics.close();
            throw new IOException("cannot listen on " + ListenAddress.text(address) + ": " + e.getMessage(), e);
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return server.address();
    }

    private void check(Exchange exchange) {
        exchange.responseHeader("Cache-Control", "no-cache, private");
        access.check(exchange, () -> handle(exchange));
    }

    private void handle(Exchange exchange) {
        if (content.pages().answer(exchange)) {
            return;
        }
        if (!exchange.method().equals("GET") && !exchange.method().equals("HEAD")) {
            exchange.responseHeader("Allow", "GET, HEAD");
            exchange.answer(405, "only GET\n");
            return;
        }
        switch (exchange.path()) {
            case "/metrics" -> metrics.answer(exchange);
            case "/configz" -> {
                String shown = VisibleText.withoutPasswords(content.configz().get());
                exchange.answer(200, "application/json", shown.getBytes(StandardCharsets.UTF_8));
            }
            case "/debug/decisions" -> {
                QueryPage.Answer answer =
                        content.decisions().answer(name -> QueryParameters.values(exchange.query(), name));
                exchange.answer(
                        answer.code(), answer.contentType(), answer.text().getBytes(StandardCharsets.UTF_8));
            }
            case "/debug/threads" -> exchange.answer(200, ThreadDump.text());
            default -> health(exchange);
        }
    }

    private void health(Exchange exchange) {
        List<String> segments = Splitter.on('/').limit(3).splitToList(exchange.path());
        List<HealthCheck> checks = segments.size() < 2 ? null : checks(segments.get(1));
        if (checks == null) {
            exchange.answer(404, NOT_FOUND);
            return;
        }
        Optional<HealthReport> report = segments.size() > 2
                ? HealthReport.ofOne(checks, segments.get(2))
                : Optional.of(HealthReport.of(
                        segments.get(1),
                        checks,
                        !QueryParameters.values(exchange.query(), "verbose").isEmpty(),
                        QueryParameters.values(exchange.query(), "exclude")));
        report.ifPresentOrElse(
                found -> exchange.answer(found.ok() ? 200 : 500, found.text()), () -> exchange.answer(404, NOT_FOUND));
    }

    private @Nullable List<HealthCheck> checks(String group) {
        return switch (group) {
            case "healthz" -> content.healthz();
            case "livez" -> content.livez();
            case "readyz" -> content.readyz();
            default -> null;
        };
    }

    @Override
    public void close() {
        server.close();
        metrics.close();
    }
}
