package io.policyscheduler.tests.faults;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A proxy between the program and an API server that forwards calls unless a test sets a fault. Thread-safe. */
final class FaultProxy implements AutoCloseable {
    private static final Set<String> KEPT_HEADERS = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    static {
        KEPT_HEADERS.addAll(List.of("Content-Type", "Accept", "User-Agent", "Authorization"));
    }

    private final FaultServer upstream;
    private final HttpClient client;
    private final ExecutorService threads = Executors.newCachedThreadPool(FaultProxy::daemon);
    private final List<Rule> rules = new ArrayList<>();
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final List<InputStream> watches = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final int port;
    private volatile @Nullable HttpServer server;
    private volatile Predicate<Call> lateWatches = call -> false;
    private volatile Duration lateness = Duration.ZERO;
    private volatile int limitPerSecond;
    private long nextTurn = System.nanoTime();

    private static final class Rule {
        private final Predicate<Call> matches;
        private final Fault fault;
        private int times;

        Rule(Predicate<Call> matches, int times, Fault fault) {
            this.matches = matches;
            this.times = times;
            this.fault = fault;
        }
    }

    FaultProxy(FaultServer upstream) {
        this.upstream = upstream;
        this.client = upstream.client();
        HttpServer first = listen(0);
        this.port = first.getAddress().getPort();
        this.server = first;
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "fault-proxy");
        thread.setDaemon(true);
        return thread;
    }

    private HttpServer listen(int requested) {
        try {
            HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), requested), 0);
            made.setExecutor(threads);
            made.createContext("/", this::handle);
            made.start();
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    /** Applies a fault to the next calls of a kind; earlier rules are used first. */
    void order(int times, Predicate<Call> which, Fault fault) {
        synchronized (rules) {
            rules.add(new Rule(which, times, fault));
        }
    }

    /** Limits the calls per second, without watches; 0 for no limit. */
    void limit(int perSecond) {
        limitPerSecond = perSecond;
    }

    private void awaitTurn(Call call) throws InterruptedException {
        int limit = limitPerSecond;
        if (limit == 0 || call.isWatch()) {
            return;
        }
        long wait;
        synchronized (rules) {
            long now = System.nanoTime();
            nextTurn = Math.max(nextTurn, now) + TimeUnit.SECONDS.toNanos(1) / limit;
            wait = nextTurn - now;
        }
        pause(Duration.ofNanos(wait));
    }

    /** Removes all faults. */
    void heal() {
        synchronized (rules) {
            rules.clear();
        }
        lateWatches = call -> false;
    }

    /** Delays the events of these watches. */
    void delayWatches(Predicate<Call> which, Duration by) {
        lateness = by;
        lateWatches = which;
    }

    /** Returns all calls so far, including those with faults. */
    List<Call> calls() {
        return List.copyOf(calls);
    }

    long count(Predicate<Call> which) {
        return calls.stream().filter(which).count();
    }

    /** Closes all connections and accepts none. */
    void goDown() {
        HttpServer running = server;
        server = null;
        if (running != null) {
            running.stop(0);
        }
        endWatches();
    }

    void comeUp() {
        if (server == null) {
            server = listen(port);
        }
    }

    /** Ends every watch; new ones are accepted. */
    void endWatches() {
        for (InputStream watch : watches) {
            try {
                watch.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private @Nullable Fault faultFor(Call call) {
        synchronized (rules) {
            for (Rule rule : rules) {
                if (rule.times > 0 && rule.matches.test(call)) {
                    rule.times--;
                    return rule.fault;
                }
            }
        }
        return null;
    }

    private void handle(HttpExchange exchange) throws IOException {
        Call call =
                new Call(exchange.getRequestMethod(), exchange.getRequestURI().toString());
        calls.add(call);
        byte[] body = exchange.getRequestBody().readAllBytes();
        try {
            awaitTurn(call);
            Fault fault = faultFor(call);
            if (fault instanceof Fault.Answer answer) {
                answer.headers()
                        .forEach((name, value) -> exchange.getResponseHeaders().add(name, value));
                byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(answer.code(), bytes.length == 0 ? -1 : bytes.length);
                exchange.getResponseBody().write(bytes);
            } else if (fault instanceof Fault.Late late) {
                pause(late.by());
                forward(exchange, call, body, false);
            } else if (fault instanceof Fault.LostAnswer) {
                send(exchange, call, body).body().readAllBytes();
            } else if (fault instanceof Fault.Repeated) {
                send(exchange, call, body).body().readAllBytes();
                forward(exchange, call, body, false);
            } else if (fault instanceof Fault.TornAnswer) {
                forward(exchange, call, body, true);
            } else if (fault instanceof Fault.BlackHole) {
                pause(Duration.ofMinutes(10));
            } else if (fault instanceof Fault.Endless endless) {
                exchange.getResponseHeaders().add("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write(endless.start().getBytes(StandardCharsets.UTF_8));
                byte[] piece = endless.repeated()
                        .repeat(64 * 1024 / endless.repeated().length())
                        .getBytes(StandardCharsets.UTF_8);
                while (closed.getCount() > 0) {
                    exchange.getResponseBody().write(piece);
                }
            } else {
                forward(exchange, call, body, false);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            exchange.close();
        }
    }

    private void pause(Duration time) throws InterruptedException {
        if (closed.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new InterruptedException("closed");
        }
    }

    private HttpResponse<InputStream> send(HttpExchange exchange, Call call, byte[] body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(upstream.url() + call.target()))
                .method(
                        call.method(),
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (KEPT_HEADERS.contains(name)) {
                values.forEach(value -> request.header(name, value));
            }
        });
        upstream.headers().forEach(request::setHeader);
        return client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    private void forward(HttpExchange exchange, Call call, byte[] body, boolean tears)
            throws IOException, InterruptedException {
        HttpResponse<InputStream> response = send(exchange, call, body);
        for (String name : List.of("Content-Type", "Retry-After")) {
            response.headers()
                    .allValues(name)
                    .forEach(value -> exchange.getResponseHeaders().add(name, value));
        }
        try (InputStream in = response.body()) {
            if (call.isWatch()) {
                stream(exchange, call, response.statusCode(), in);
                return;
            }
            byte[] bytes = in.readAllBytes();
            exchange.sendResponseHeaders(response.statusCode(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(tears ? Arrays.copyOf(bytes, bytes.length / 2) : bytes);
        }
    }

    private void stream(HttpExchange exchange, Call call, int code, InputStream in)
            throws IOException, InterruptedException {
        exchange.sendResponseHeaders(code, 0);
        watches.add(in);
        OutputStream out = exchange.getResponseBody();
        out.flush();
        BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
        threads.execute(() -> read(in, pieces));
        try {
            for (Piece piece = pieces.take(); piece.bytes().length > 0; piece = pieces.take()) {
                while (lateWatches.test(call) && System.nanoTime() - piece.read() < lateness.toNanos()) {
                    pause(Duration.ofMillis(20));
                }
                out.write(piece.bytes());
                out.flush();
            }
        } finally {
            watches.remove(in);
        }
    }

    /**
     * Part of a response.
     *
     * @param read time of arrival in nanoseconds
     * @param bytes empty at the end
     */
    private record Piece(long read, byte[] bytes) {}

    private static void read(InputStream in, BlockingQueue<Piece> pieces) {
        byte[] buffer = new byte[64 * 1024];
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                pieces.add(new Piece(System.nanoTime(), Arrays.copyOf(buffer, read)));
            }
        } catch (IOException e) {
            // Closed by the server or by a test.
        } finally {
            pieces.add(new Piece(0, new byte[0]));
        }
    }

    @Override
    public void close() {
        closed.countDown();
        goDown();
        threads.shutdownNow();
    }
}
