package io.policyscheduler.cmd.http;

import com.google.common.base.Splitter;
import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.http.StatusContent.Page;
import io.policyscheduler.cmd.http.StatusContent.Query;
import io.policyscheduler.cmd.http.StatusServer.HealthReport.Check;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.LoggingTimer;
import io.policyscheduler.cmd.server.WebServer;
import io.policyscheduler.cmd.server.WebServer.Limits;
import io.policyscheduler.cmd.server.WebServer.Tls;
import io.policyscheduler.engine.cluster.VisibleText;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code /healthz}, {@code /livez} and {@code /readyz} (each with {@code /CHECK}, {@code ?verbose} and
 * {@code ?exclude=CHECK}), {@code /metrics} and {@code /configz} in the format of kube-scheduler, {@code /debug/decisions},
 * {@code /debug/threads}, and the additional pages of its {@link StatusContent}. Responds with 404 to all other paths.
 *
 * <p>Without TLS and an {@link Access}, all clients that reach the port can read the status, which contains names of objects but
 * no secrets: use the loopback address then, or a network policy. Without an access check, the server checks the {@code Host}
 * header, so that no web page can read the port through the browser of a user who reaches it.
 */
public final class StatusServer implements AutoCloseable {
    private static final String NOT_FOUND = "404 page not found\n";

    private final WebServer server;
    private final StatusContent content;
    private final Access access;
    private final CachedPage metrics;

    /**
     * Starts to serve plain HTTP without authentication.
     *
     * @param address port 0 selects a free one; see {@link ListenAddress}
     * @throws IOException if the address cannot be used; the message is one line for users
     */
    public StatusServer(InetSocketAddress address, StatusContent content) throws IOException {
        this(address, content, Limits.withoutBodies());
    }

    /** A server with other limits, for additional pages that receive request bodies. */
    public StatusServer(InetSocketAddress address, StatusContent content, Limits limits) throws IOException {
        this(address, content, limits, null, Access.ofHosts(List.of()));
    }

    /**
     * Starts to serve.
     *
     * @param address port 0 selects a free one; see {@link ListenAddress}
     * @param tls null for plain HTTP
     * @param access checks each request
     * @throws IOException if the address cannot be used; the message is one line for users
     */
    public StatusServer(InetSocketAddress address, StatusContent content, @Nullable Tls tls, Access access)
            throws IOException {
        this(address, content, Limits.withoutBodies(), tls, access);
    }

    private StatusServer(
            InetSocketAddress address, StatusContent content, Limits limits, @Nullable Tls tls, Access access)
            throws IOException {
        this.content = content;
        this.access = access;
        PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
        this.metrics = new CachedPage("status-metrics", writer.getContentType(), () -> {
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
                Page.Answer answer = content.decisions().answer(name -> Query.values(exchange.query(), name));
                exchange.answer(
                        answer.code(), answer.contentType(), answer.text().getBytes(StandardCharsets.UTF_8));
            }
            case "/debug/threads" -> exchange.answer(200, Threads.text());
            default -> health(exchange);
        }
    }

    private void health(Exchange exchange) {
        List<String> segments = Splitter.on('/').limit(3).splitToList(exchange.path());
        List<Check> checks = segments.size() < 2 ? null : checks(segments.get(1));
        if (checks == null) {
            exchange.answer(404, NOT_FOUND);
            return;
        }
        Optional<HealthReport> report = segments.size() > 2
                ? HealthReport.ofOne(checks, segments.get(2))
                : Optional.of(HealthReport.of(
                        segments.get(1),
                        checks,
                        !Query.values(exchange.query(), "verbose").isEmpty(),
                        Query.values(exchange.query(), "exclude")));
        report.ifPresentOrElse(
                found -> exchange.answer(found.ok() ? 200 : 500, found.text()), () -> exchange.answer(404, NOT_FOUND));
    }

    private @Nullable List<Check> checks(String group) {
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

    /** Decides whether a request is allowed. Thread-safe. */
    @FunctionalInterface
    public interface Access {
        /**
         * Runs {@code allowed}, here or on another thread, if the request is allowed; otherwise sends the error response. Does
         * not block.
         */
        void check(Exchange exchange, Runnable allowed);

        /** Longer names are cut in the message. */
        int LONGEST_SHOWN = 100;

        /**
         * Returns a check of the {@code Host} header for a port without authentication. A web page can have a browser send
         * requests to a name of its own that resolves to this port (DNS rebinding), but never to an IP address or
         * {@code localhost}: these, and the given names, are allowed, and a request without the header, which no browser sends.
         *
         * @param names additional allowed names, without ports; case-insensitive
         */
        static Access ofHosts(List<String> names) {
            Set<String> known =
                    names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
            return (exchange, next) -> {
                String host = exchange.header("Host");
                if (host.isEmpty() || isAllowed(host, known)) {
                    next.run();
                    return;
                }
                String shown = VisibleText.line(
                        host.length() <= LONGEST_SHOWN ? host : host.substring(0, LONGEST_SHOWN) + "...");
                exchange.answer(
                        403,
                        "the host name \"" + shown + "\" is not allowed; use an IP address, or set --status-host\n");
            };
        }

        private static boolean isAllowed(String host, Set<String> known) {
            try {
                String name = HostAndPort.fromString(host).getHost().toLowerCase(Locale.ROOT);
                return name.equals("localhost") || InetAddresses.isInetAddress(name) || known.contains(name);
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
    }

    /**
     * A page that is expensive to render. A response is never older than the request. Requests that arrive during a rendering
     * share the next one. After a rendering, there is a pause of four times its duration, so that rendering takes at most a fifth
     * of one core. Thread-safe.
     */
    static final class CachedPage implements AutoCloseable {
        private static final Logger LOG = LoggerFactory.getLogger(CachedPage.class);
        private static final int PAUSE = 4;

        /** Makes the page. */
        interface Maker {
            /** The page's bytes. */
            byte[] make() throws IOException;
        }

        private final String contentType;
        private final Maker maker;
        private final ScheduledExecutorService thread;
        private List<Exchange> waiting = new ArrayList<>();
        private long earliest = System.nanoTime();

        CachedPage(String threadName, String contentType, Maker maker) {
            this.contentType = contentType;
            this.maker = maker;
            this.thread = new LoggingTimer(new ThreadFactoryBuilder()
                    .setNameFormat(threadName)
                    .setDaemon(true)
                    .build());
        }

        /** Responds when the next rendering is complete. */
        synchronized void answer(Exchange exchange) {
            waiting.add(exchange);
            if (waiting.size() > 1) {
                return;
            }
            try {
                ScheduledFuture<?> making =
                        thread.schedule(this::make, earliest - System.nanoTime(), TimeUnit.NANOSECONDS);
                LOG.trace("asked for: {}", making);
            } catch (RejectedExecutionException e) {
                waiting.clear();
                exchange.answer(503, "shutting down\n");
            }
        }

        private void make() {
            List<Exchange> served = take();
            long start = System.nanoTime();
            try {
                byte[] page = maker.make();
                served.forEach(exchange -> exchange.answer(200, contentType, page));
            } catch (IOException | RuntimeException e) {
                LOG.error("{} failed", served.get(0).path(), e);
                served.forEach(exchange -> exchange.answer(500, "internal server error\n"));
            } finally {
                pauseSince(start);
            }
        }

        private synchronized List<Exchange> take() {
            List<Exchange> served = waiting;
            waiting = new ArrayList<>();
            return served;
        }

        private synchronized void pauseSince(long start) {
            long end = System.nanoTime();
            earliest = end + PAUSE * (end - start);
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }

    /** A thread dump as text, to diagnose a process that hangs. */
    static final class Threads {
        private Threads() {}

        /** Threads by name, each with its state and its stack, innermost call first. */
        static String text() {
            return text(Thread.getAllStackTraces());
        }

        private static String text(Map<Thread, StackTraceElement[]> stacks) {
            List<Thread> threads = stacks.keySet().stream()
                    .sorted(Comparator.comparing(Thread::getName).thenComparing(Thread::getId))
                    .toList();
            StringBuilder text = new StringBuilder(16 * 1024);
            for (Thread thread : threads) {
                text.append('"').append(thread.getName()).append("\" ").append(thread.getState());
                text.append(thread.isDaemon() ? " daemon\n" : "\n");
                for (StackTraceElement call : stacks.getOrDefault(thread, new StackTraceElement[0])) {
                    text.append("    at ").append(call).append('\n');
                }
                text.append('\n');
            }
            return text.toString();
        }
    }

    /**
     * The response to a health request, in the format of Kubernetes components.
     *
     * @param ok whether all checks that count succeeded
     * @param text the body
     */
    public record HealthReport(boolean ok, String text) {
        /**
         * Runs all checks of a group. A successful response is {@code ok}; a failed one lists all checks without their reasons,
         * because clients are not authenticated.
         *
         * @param group such as {@code healthz}
         */
        static HealthReport of(String group, List<Check> checks, boolean verbose, Set<String> excluded) {
            StringBuilder lines = new StringBuilder();
            Set<String> unknown = new LinkedHashSet<>(excluded);
            boolean ok = true;
            for (Check check : checks) {
                if (unknown.remove(check.name())) {
                    lines.append("[+]").append(check.name()).append(" excluded: ok\n");
                } else if (problem(check).isPresent()) {
                    ok = false;
                    lines.append("[-]").append(check.name()).append(" failed: reason withheld\n");
                } else {
                    lines.append("[+]").append(check.name()).append(" ok");
                    check.note().get().ifPresent(note -> lines.append(": ").append(note));
                    lines.append('\n');
                }
            }
            if (!unknown.isEmpty()) {
                lines.append("warn: some health checks cannot be excluded: no matches for ")
                        .append(unknown.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", ")))
                        .append('\n');
            }
            if (!ok) {
                return new HealthReport(false, lines + group + " check failed\n");
            }
            return new HealthReport(true, verbose ? lines + group + " check passed\n" : "ok");
        }

        /** Runs one check of a group; empty if there is no such check. */
        static Optional<HealthReport> ofOne(List<Check> checks, String name) {
            List<Check> named = new ArrayList<>(checks);
            named.removeIf(check -> !check.name().equals(name));
            return named.stream()
                    .findFirst()
                    .map(check -> problem(check)
                            .map(why -> new HealthReport(false, "internal server error: " + why + "\n"))
                            .orElse(new HealthReport(true, "ok")));
        }

        private static Optional<String> problem(Check check) {
            return check.problem().get();
        }

        /**
         * A health check.
         *
         * @param name in the path and in the verbose response
         * @param problem called for each request, on the server's threads; returns the problem, empty if healthy
         * @param note additional public text of a verbose response; empty for none
         */
        public record Check(String name, Supplier<Optional<String>> problem, Supplier<Optional<String>> note) {
            /** A check without a note. */
            public Check(String name, Supplier<Optional<String>> problem) {
                this(name, problem, Optional::empty);
            }

            /** A check that never fails, with a note. */
            public static Check noting(String name, Supplier<Optional<String>> note) {
                return new Check(name, Optional::empty, note);
            }

            /** Succeeds if the process responds. */
            public static final Check PING = new Check("ping", Optional::empty);

            /** Fails with the given text unless the condition is true. */
            public static Check of(String name, BooleanSupplier condition, String otherwise) {
                return new Check(name, () -> condition.getAsBoolean() ? Optional.empty() : Optional.of(otherwise));
            }
        }
    }
}
