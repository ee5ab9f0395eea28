package io.policyscheduler.cmd.kube.connection;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.Config;
import io.policyscheduler.cmd.kube.connection.ApiResponse.Stream;
import io.policyscheduler.cmd.kube.connection.ClientConfigLoader.ClientConfig;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.engine.cluster.VisibleText;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.HttpURLConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;

/**
 * An authenticated HTTP connection to one API server. Paths start with '/', are relative to the base URL of the server, and have an
 * encoded query. Thread-safe.
 *
 * <p>Bodies of requests and responses are bytes. Tokens, certificates, and keys are reloaded when their files change.
 */
public final class KubeConnection implements AutoCloseable {
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
    public static final String MERGE_PATCH = "application/merge-patch+json";
    public static final String STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json";

    /** The content type of Kubernetes' objects in protobuf. */
    public static final String PROTOBUF = "application/vnd.kubernetes.protobuf";

    private static final String JSON = "application/json";
    private static final Duration UNLIMITED = Duration.ofDays(1);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** Maximum response body in bytes: several times the largest object that an API server stores. */
    private static final int MAX_BODY = 8 * 1024 * 1024;
    /** The longest response body of a server outside of the cluster, bytes. One value for each of 10,000 nodes takes less. */
    public static final int MAX_FOREIGN_BODY = 4 * 1024 * 1024;

    /** @param of the client without limits */
    private record Limited(OkHttpClient of, OkHttpClient client) {}

    private final ServerCalls calls;
    private final Transport transport;
    /** The limit of a whole call. */
    private final Duration timeout;

    private volatile @Nullable Limited limited;
    private final Sleeper sleeper;
    /** Maximum total wait of a call for a server that responds with {@code Retry-After}. */
    private final Duration patience;

    private final Supplier<Duration> term;
    private final int maxBody;
    private final OpenWrites openWrites = new OpenWrites();
    private final ServerOutage outage;

    KubeConnection(ClientConfig access, Duration timeout) {
        this(access, timeout, null, Sleeper.REAL);
    }

    private KubeConnection(ClientConfig access, Duration timeout, @Nullable Interceptor answering, Sleeper sleeper) {
        if (HttpUrl.parse(access.server()) == null) {
            throw new ClusterException(
                    access.place() + ": server \"" + VisibleText.withoutPasswords(access.server()) + "\" is not a URL");
        }
        try {
            transport = new Transport(access, System::nanoTime, answering);
        } catch (IOException | RuntimeException e) {
            // The message of an IOException is one line, with the place if there is one.
            String reason = e instanceof IOException ? e.getMessage() : ApiIoException.describe(e);
            throw new ClusterException(access.place() + ": " + reason, e);
        }
        this.timeout = timeout;
        term = () -> UNLIMITED;
        outage = new ServerOutage();
        patience = PATIENCE;
        maxBody = MAX_BODY;
        this.sleeper = sleeper;
        @Nullable String version = KubeConnection.class.getPackage().getImplementationVersion();
        calls = new ServerCalls(access.server(), "policy-scheduler/" + (version == null ? "dev" : version));
    }

    private KubeConnection(
            KubeConnection other, Duration timeout, Duration patience, Supplier<Duration> term, int maxBody) {
        this.maxBody = maxBody;
        this.calls = other.calls;
        this.transport = other.transport;
        this.timeout = timeout;
        this.sleeper = other.sleeper;
        this.outage = other.outage;
        this.patience = patience;
        this.term = term;
    }

    private OkHttpClient http() {
        OkHttpClient current = transport.client();
        Limited known = limited;
        if (known == null || known.of() != current) {
            known = new Limited(current, limited(current, timeout));
            limited = known;
        }
        return known.client();
    }

    private static OkHttpClient limited(OkHttpClient http, Duration timeout) {
        // Less than the limit of the call, so that silence also closes the connection. The timeout of a call alone
        // would return
        // it to the pool.
        Duration part = timeout.multipliedBy(4).dividedBy(5);
        return http.newBuilder()
                .connectTimeout(part)
                .readTimeout(part)
                .writeTimeout(part)
                .callTimeout(timeout)
                .build();
    }

    /** Returns a view whose calls have another limit. It shares everything else, and is closed with this connection. */
    public KubeConnection withTimeout(Duration timeout) {
        // Zero means no limit to OkHttp, and it counts in milliseconds.
        Duration atLeast = timeout.toMillis() < 1 ? Duration.ofMillis(1) : timeout;
        return new KubeConnection(this, atLeast, atLeast, term, maxBody);
    }

    /**
     * Returns a view that calls {@code term} immediately before each write (a request other than GET), and cancels the write after that
     * time. A write that is not allowed fails unsent, with an {@link ApiIoException}. The view shares everything else, and is closed
     * with this connection.
     *
     * @param term how long this process may write from now on; zero if it may not
     */
    public KubeConnection writableFor(Supplier<Duration> term) {
        return new KubeConnection(this, timeout, patience, term, maxBody);
    }

    /**
     * Returns a view that reads longer or shorter response bodies. It shares everything else, and is closed with this connection.
     *
     * @param bytes longest body; a call with a longer one fails
     */
    public KubeConnection withBodyLimit(int bytes) {
        return new KubeConnection(this, timeout, patience, term, bytes);
    }

    /** Sets the observer of all later calls of this connection and of its views. */
    public void listen(Observer calls) {
        transport.listen(calls);
    }

    /** Returns the state of the server that the watches of this connection share. */
    public ServerOutage outage() {
        return outage;
    }

    /**
     * Waits until no write of this view is running.
     *
     * @return false if the time was over first
     */
    public boolean awaitWrites(Duration time) throws InterruptedException {
        return openWrites.awaitNone(time);
    }

    /** Connects to the current context of a kubeconfig file; {@code master}, if given, replaces its server URL. */
    public static KubeConnection fromKubeconfig(Path kubeconfig, @Nullable String master) {
        return new KubeConnection(loader().kubeconfig(List.of(kubeconfig), master), DEFAULT_TIMEOUT);
    }

    /** Connects to a server without authentication, such as {@code kubectl proxy} or the embedded cluster. */
    public static KubeConnection fromUrl(String url) {
        return fromUrl(url, DEFAULT_TIMEOUT);
    }

    /** As {@link #fromUrl(String)}, with another limit for a whole call. */
    public static KubeConnection fromUrl(String url, Duration timeout) {
        return new KubeConnection(loader().url(url), timeout);
    }

    /**
     * Connects to a server outside of the cluster. All waits for {@code Retry-After} together are shorter than the timeout.
     *
     * @param token file with a bearer token; null for none
     * @param authorities file in PEM; null for those that the JVM trusts
     * @param verify whether the server's certificate is verified
     * @throws ClusterException if a file cannot be read
     */
    public static KubeConnection withBearer(
            String url, @Nullable Path token, @Nullable Path authorities, boolean verify, Duration timeout) {
        return new KubeConnection(loader().bearer(url, token, authorities, verify), timeout)
                .withTimeout(timeout)
                .withBodyLimit(MAX_FOREIGN_BODY);
    }

    /**
     * Returns a connection without a socket: {@code transport} responds to each call in the calling thread, so that a scheduler and its
     * cluster can share one thread.
     *
     * @param sleeper waits for {@code Retry-After}
     */
    public static KubeConnection inProcess(Interceptor transport, Sleeper sleeper) {
        return new KubeConnection(loader().url("http://in-process"), Duration.ZERO, transport, sleeper);
    }

    /**
     * Returns a connection without a socket that answers from a map.
     *
     * @param bodies JSON by path, such as {@code /version}; any other request is answered with 404
     */
    public static KubeConnection ofAnswers(Map<String, String> bodies) {
        Map<String, String> known = Map.copyOf(bodies);
        return inProcess(
                call -> {
                    String body = known.get(call.request().url().encodedPath());
                    return new Response.Builder()
                            .request(call.request())
                            .protocol(Protocol.HTTP_1_1)
                            .code(body == null ? HttpURLConnection.HTTP_NOT_FOUND : HttpURLConnection.HTTP_OK)
                            .message("")
                            .body(ResponseBody.create(body == null ? "{}" : body, MediaType.get("application/json")))
                            .build();
                },
                pause -> {});
    }

    /** Waits with the sleeper of this connection. */
    public void pause(Duration time) throws InterruptedException {
        sleeper.sleep(time);
    }

    /**
     * Connects to the first of: the given kubeconfig (with master), the given master, $KUBECONFIG, ~/.kube/config, in-cluster.
     *
     * @param context of the kubeconfig; null for its current one
     * @throws ClusterException if there is none, or the first one found is not usable
     */
    public static KubeConnection auto(@Nullable Path kubeconfig, @Nullable String master, @Nullable String context) {
        return new KubeConnection(loader().auto(kubeconfig, master, context), DEFAULT_TIMEOUT);
    }

    private static ClientConfigLoader loader() {
        // As client-go: the variable counts, not the entry of the user in passwd.
        String home = System.getenv().getOrDefault("HOME", "");
        return new ClientConfigLoader(
                System.getenv(),
                Path.of(home.isEmpty() ? System.getProperty("user.home", "/") : home),
                Path.of(Config.SERVICEACCOUNT_TOKEN_PATH));
    }

    /** Returns the URL of the server for messages, without a trailing slash and a password. */
    public String serverUrl() {
        return VisibleText.withoutPasswords(calls.server());
    }

    /** Returns the message for a failed first request, on one line, with an expired client certificate as the probable cause. */
    public String failure(IOException e) {
        return "cannot connect to " + serverUrl() + ": " + e.getMessage() + transport.certificateProblem();
    }

    /**
     * Returns a client of client-java with the credentials and limits of this view, for plugins.
     *
     * @param type {@link ApiClient}; anything else is not available
     */
    public <T> Optional<T> unwrap(Class<T> type) {
        return type == ApiClient.class
                ? Optional.of(type.cast(new ApiClient(httpClient()).setBasePath(serverUrl())))
                : Optional.empty();
    }

    /**
     * Returns the HTTP client of this view for other libraries, with its credentials and timeout. A write that this process may not
     * send fails with an {@link ApiIoException}.
     */
    private OkHttpClient httpClient() {
        return http().newBuilder()
                .addInterceptor(chain -> {
                    Duration left = term.get();
                    boolean read = chain.request().method().equals("GET");
                    if (!read && (left.isZero() || left.isNegative())) {
                        throw ApiIoException.unsent(chain.request().method() + " "
                                + chain.request().url().encodedPath()
                                + ": not sent: this scheduler is no longer the leader");
                    }
                    return chain.proceed(chain.request());
                })
                .build();
    }

    /** Sends a GET. Any status is a response. */
    public ApiResponse get(String path) throws ApiIoException {
        return call("GET", path, null, null);
    }

    public ApiResponse post(String path, byte[] body) throws ApiIoException {
        return call("POST", path, JSON, body);
    }

    /** Sends a POST without a repetition after {@code Retry-After}. */
    public ApiResponse postOnce(String path, byte[] body) throws ApiIoException {
        return callOnce("POST", path, JSON, body);
    }

    public ApiResponse put(String path, byte[] body) throws ApiIoException {
        return call("PUT", path, JSON, body);
    }

    public ApiResponse patch(String path, String contentType, byte[] body) throws ApiIoException {
        return call("PATCH", path, contentType, body);
    }

    /** Sends a DELETE; {@code deleteOptions} is a meta/v1 DeleteOptions, or null for none. */
    public ApiResponse delete(String path, byte @Nullable [] deleteOptions) throws ApiIoException {
        return call("DELETE", path, JSON, deleteOptions);
    }

    /**
     * Returns a GET whose response is a stream without a limit on the whole. {@link Stream#open()} sends it.
     *
     * @param idleTimeout longest silence before the head or between bytes; a read then fails
     */
    public Stream stream(String path, Duration idleTimeout) throws ApiIoException {
        return stream(streaming(idleTimeout).build(), path, JSON);
    }

    /**
     * As {@link #stream}, but accepts protobuf ({@link Stream#isProtobuf()}); a server without protobuf responds in JSON. Uses HTTP/1.1:
     * with HTTP/2, megabytes wait in the heap before they are read, and survive to the old generation.
     */
    public Stream streamProtobuf(String path, Duration idleTimeout) throws ApiIoException {
        OkHttpClient plain =
                streaming(idleTimeout).protocols(List.of(Protocol.HTTP_1_1)).build();
        return stream(plain, path, PROTOBUF + ", " + JSON);
    }

    private OkHttpClient.Builder streaming(Duration idleTimeout) {
        return transport.client().newBuilder().readTimeout(idleTimeout).callTimeout(Duration.ZERO);
    }

    private Stream stream(OkHttpClient http, String path, String accept) throws ApiIoException {
        return new Stream(calls.get(http, path, accept), ServerCalls.name("GET", path));
    }

    /** Honors {@code Retry-After}, as client-go does. */
    private ApiResponse call(String method, String path, @Nullable String contentType, byte @Nullable [] body)
            throws ApiIoException {
        Duration waited = Duration.ZERO;
        while (true) {
            ApiResponse response = callOnce(method, path, contentType, body);
            Duration wait = response.retryAfter().orElse(patience);
            waited = waited.plus(wait);
            if (response.retryAfter().isEmpty() || waited.compareTo(patience) >= 0) {
                return response;
            }
            try {
                sleeper.sleep(wait);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return response;
            }
        }
    }

    private ApiResponse callOnce(String method, String path, @Nullable String contentType, byte @Nullable [] body)
            throws ApiIoException {
        Call call = calls.call(http(), method, path, contentType, body);
        String name = ServerCalls.name(method, path);
        if (method.equals("GET")) {
            return ServerCalls.answer(call, name, maxBody);
        }
        // Counted first, so that no write starts after awaitWrites has seen none after the end of the term.
        openWrites.begin();
        try {
            Duration left = term.get();
            if (left.isZero() || left.isNegative()) {
                throw ApiIoException.unsent(name + ": not sent: this scheduler is no longer the leader");
            }
            long limit = call.timeout().timeoutNanos();
            if (limit > 0 && left.toNanos() < limit) {
                call.timeout().timeout(left.toNanos(), TimeUnit.NANOSECONDS);
            }
            return ServerCalls.answer(call, name, maxBody);
        } finally {
            openWrites.end();
        }
    }

    /** Closes idle connections and ends running calls. */
    @Override
    public void close() {
        transport.close();
    }

    /** A count of running writes. Thread-safe. */
    static final class OpenWrites {
        private int count;

        synchronized void begin() {
            count++;
        }

        synchronized void end() {
            count--;
            notifyAll();
        }

        /** Waits until no write is running; returns false if the time was over first. */
        synchronized boolean awaitNone(Duration time) throws InterruptedException {
            long end = System.nanoTime() + time.toNanos();
            while (count > 0) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                // Rounded up: a wait of 0 ms would have no end.
                wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
            }
            return true;
        }
    }

    /**
     * Calls to one server, and their responses as bytes.
     *
     * @param server base URL, without a trailing slash
     */
    record ServerCalls(String server, String userAgent) {
        private static final String JSON = "application/json";

        /** Returns a call that is not sent yet. */
        Call call(OkHttpClient http, String method, String path, @Nullable String contentType, byte @Nullable [] body)
                throws ApiIoException {
            return http.newCall(request(method, path, JSON, contentType, body));
        }

        /** Returns a GET that accepts these content types. */
        Call get(OkHttpClient http, String path, String accept) throws ApiIoException {
            return http.newCall(request("GET", path, accept, null, null));
        }

        /**
         * Sends a call and reads its response. Any status is a response.
         *
         * @param maxBody longest body, bytes
         */
        static ApiResponse answer(Call call, String name, int maxBody) throws ApiIoException {
            try (Response response = execute(call, name)) {
                byte[] bytes = HttpCalls.read(response.body().byteStream(), maxBody);
                return ApiResponse.of(response.code(), bytes, response.header("Retry-After"));
            } catch (ApiIoException e) {
                throw e;
            } catch (IOException e) {
                throw transportError(name, e);
            }
        }

        /** Runs a call. Credentials run inside of it, and can throw any exception. */
        static Response execute(Call call, String name) throws ApiIoException {
            try {
                return HttpCalls.execute(call);
            } catch (IOException | RuntimeException e) {
                throw transportError(name, e);
            }
        }

        /** Returns the name of a call in messages. */
        static String name(String method, String path) {
            int query = path.indexOf('?');
            return method + " " + (query < 0 ? path : path.substring(0, query));
        }

        private static ApiIoException transportError(String name, Exception e) {
            return new ApiIoException(name + ": " + ApiIoException.describe(e), e);
        }

        private Request request(
                String method, String path, String accept, @Nullable String contentType, byte @Nullable [] body)
                throws ApiIoException {
            try {
                Request.Builder request = new Request.Builder().url(server + path);
                request.header("User-Agent", userAgent);
                request.header("Accept", accept);
                request.header("Accept-Encoding", "identity");
                boolean needsBody = method.equals("POST") || method.equals("PUT") || method.equals("PATCH");
                RequestBody payload = body == null && !needsBody
                        ? null
                        : RequestBody.create(
                                body == null ? new byte[0] : body,
                                contentType == null ? null : MediaType.get(contentType));
                return request.method(
                                method, payload != null && method.equals("DELETE") ? new SentOnce(payload) : payload)
                        .build();
            } catch (IllegalArgumentException e) {
                throw transportError(name(method, path), e);
            }
        }
    }

    /** A body that OkHttp does not send again over another connection, because the caller decides whether to repeat a delete. */
    private static final class SentOnce extends RequestBody {
        private final RequestBody body;

        SentOnce(RequestBody body) {
            this.body = body;
        }

        @Override
        public @Nullable MediaType contentType() {
            return body.contentType();
        }

        @Override
        public long contentLength() throws IOException {
            return body.contentLength();
        }

        @Override
        public boolean isOneShot() {
            return true;
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
            body.writeTo(sink);
        }
    }

    /** An observer of the calls of a connection. It runs on the threads of the calls and must be fast. */
    @FunctionalInterface
    public interface Observer {
        /** Does nothing. */
        Observer NONE = (method, host, code, nanos) -> {};

        /**
         * A call has received the head of its response, or has failed.
         *
         * @param method of HTTP, such as {@code GET}
         * @param host of the server, with its port
         * @param code of the response; 0 if there was none
         * @param nanos until the head of the response
         */
        void called(String method, String host, int code, long nanos);
    }

    /** The configuration does not lead to a cluster; the message is one line for the user with the attempted sources. */
    public static final class ClusterException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public ClusterException(String message) {
            super(message);
        }

        public ClusterException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A response body is longer than its limit, or has no end. To repeat the request would read as much again. */
    public static final class ResponseTooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        ResponseTooLongException(int limit) {
            super("the response is longer than " + limit + " bytes");
        }

        /** @param limit the limit and the response, in one sentence */
        public ResponseTooLongException(String limit) {
            super(limit);
        }
    }

    /** Executes calls of the HTTP client. */
    public static final class HttpCalls {
        private HttpCalls() {}

        /**
         * Reads a response body to its end.
         *
         * @param limit in bytes; a server that sends more, or without end, must not use up the memory of the process
         * @throws ResponseTooLongException if the body is longer than the limit
         */
        public static byte[] read(InputStream body, int limit) throws IOException {
            byte[] bytes = body.readNBytes(limit);
            if (bytes.length == limit && body.read() >= 0) {
                throw new ResponseTooLongException(limit);
            }
            return bytes;
        }

        /**
         * The response of a call; must be closed.
         *
         * @throws InterruptedIOException if the thread is interrupted; its interrupt flag stays set
         */
        public static Response execute(Call call) throws IOException {
            try {
                return call.execute();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                // Kotlin code declares no checked exceptions, so a wait for a connection can throw
                // InterruptedException.
                if (e instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                    InterruptedIOException interrupted = new InterruptedIOException("interrupted");
                    interrupted.initCause(e);
                    throw interrupted;
                }
                throw new IOException(e);
            }
        }
    }
}
