package io.policyscheduler.cmd.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ListMultimap;
import com.google.common.util.concurrent.Striped;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.http.Authenticator.FailedException;
import io.policyscheduler.cmd.http.Authenticator.Tokens;
import io.policyscheduler.cmd.http.Authenticator.User;
import io.policyscheduler.cmd.http.ClientAuthorities.OfCluster;
import io.policyscheduler.cmd.http.StatusServer.Access;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.LoggingTimer;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delegates authentication and authorization to the API server, as kube-scheduler does on its secure port: certificates of
 * proxies and clients, then bearer tokens; a request without credentials is {@code system:anonymous}. Paths that are open to all
 * are served without a lookup. Mirrors {@code DelegatingAuthenticatorConfig} and {@code DelegatingAuthorizerConfig} of
 * {@code k8s.io/apiserver}. Thread-safe.
 */
public final class DelegatedAccess implements Access, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DelegatedAccess.class);
    private static final Duration AUTHORITIES_EVERY = Duration.ofSeconds(10);
    private static final int THREADS = 4;
    private static final int WAITING = 256;

    private final ServingSettings.Authentication settings;
    private final ServingSettings.Authorization access;
    private final OfCluster authorities;
    private final @Nullable Tokens tokens;
    private final Authorizer authorizer;
    private final ThreadPoolExecutor asking;
    private final LoggingTimer timer;
    private volatile List<Authenticator> certificates = List.of();
    private String trouble = "";

    /**
     * Reads the authorities.
     *
     * @param tokens reviews tokens; null to accept none
     * @param reviews reviews access; null to allow only masters and open paths
     * @throws IOException if a file cannot be read, or if a lookup fails and failures are not tolerated; one line
     */
    public DelegatedAccess(
            ServingSettings.Authentication authentication,
            ServingSettings.Authorization authorization,
            @Nullable KubeConnection tokens,
            @Nullable KubeConnection reviews,
            Clock clock)
            throws IOException {
        this.settings = authentication;
        this.access = authorization;
        this.authorities = new OfCluster(authentication, tokens, clock);
        Ticker ticker = Ticker.systemTicker();
        this.tokens = tokens == null ? null : new Tokens(new Reviews(tokens), authentication.tokenTtl(), ticker);
        this.authorizer = new Authorizer(authorization, reviews == null ? null : new Reviews(reviews), ticker);
        requireFiles();
        readAuthorities(!settings.tolerateLookupFailure());
        ThreadFactory threads = new ThreadFactoryBuilder()
                .setNameFormat("status-access-%d")
                .setDaemon(true)
                .build();
        this.asking = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(WAITING), threads);
        asking.allowCoreThreadTimeOut(true);
        this.timer = new LoggingTimer(threads);
        ScheduledFuture<?> readings = timer.scheduleWithFixedDelay(
                this::readAuthoritiesAgain,
                AUTHORITIES_EVERY.toSeconds(),
                AUTHORITIES_EVERY.toSeconds(),
                TimeUnit.SECONDS);
        LOG.trace("the client CAs are read every {}: {}", AUTHORITIES_EVERY, readings);
    }

    /** An unreadable file at the start is an error of the user; the ConfigMap of the cluster may become available later. */
    private void requireFiles() throws IOException {
        new OfCluster(settings, null, Clock.systemUTC()).read();
    }

    private void readAuthoritiesAgain() {
        try {
            readAuthorities(false);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void readAuthorities(boolean strict) throws IOException {
        try {
            certificates = ImmutableList.copyOf(authorities.read());
            trouble = "";
        } catch (IOException e) {
            if (strict) {
                throw new IOException(
                        "cannot read the client CAs: " + e.getMessage()
                                + "; set --authentication-tolerate-lookup-failure to start without them",
                        e);
            }
            String message = String.valueOf(e.getMessage());
            if (!message.equals(trouble)) {
                LOG.warn("cannot read the client CAs, using the previous ones: {}", message);
            }
            trouble = message;
        }
    }

    @Override
    public void check(Exchange exchange, Runnable allowed) {
        AccessRequest request = AccessRequest.of(exchange);
        if (request.isAnonymous() && access.isOpen(request.path())) {
            allowed.run();
            return;
        }
        try {
            asking.execute(() -> decide(request, exchange, allowed));
        } catch (RejectedExecutionException e) {
            exchange.responseHeader("Retry-After", "1");
            exchange.answer(503, "too many requests are waiting for the API server\n");
        }
    }

    private void decide(AccessRequest request, Exchange exchange, Runnable allowed) {
        Optional<User> found = identify(request);
        if (found.isEmpty()) {
            refuse(exchange, 401, "Unauthorized", "Unauthorized");
            return;
        }
        User identity = found.get();
        boolean isAllowed;
        try {
            isAllowed = authorizer.allows(identity, request);
        } catch (IOException e) {
            LOG.warn(
                    "{} {} by {}: the access review failed: {}",
                    request.verb(),
                    request.path(),
                    identity.user(),
                    e.getMessage());
            exchange.answer(500, "Internal Server Error: \"" + request.path() + "\"\n");
            return;
        }
        if (isAllowed) {
            allowed.run();
        } else {
            refuse(
                    exchange,
                    403,
                    "Forbidden",
                    "forbidden: User \"" + identity.user() + "\" cannot " + request.verb() + " path \"" + request.path()
                            + "\"");
        }
    }

    /** Empty if all credentials of the request are invalid. */
    private Optional<User> identify(AccessRequest request) {
        List<String> errors = new ArrayList<>();
        List<Authenticator> all = new ArrayList<>(certificates);
        if (tokens != null) {
            all.add(tokens);
        }
        for (Authenticator each : all) {
            try {
                Optional<User> found = each.identify(request);
                if (found.isPresent()) {
                    return found;
                }
            } catch (FailedException e) {
                errors.add(String.valueOf(e.getMessage()));
            }
        }
        if (errors.isEmpty()) {
            return Optional.of(User.ANONYMOUS);
        }
        LOG.info("{} {}: unable to authenticate the request: {}", request.verb(), request.path(), errors);
        return Optional.empty();
    }

    /** The error format of the API server, as in kube-scheduler. */
    private static void refuse(Exchange exchange, int code, String reason, String message) {
        ObjectNode status =
                JsonNodeFactory.instance.objectNode().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        status.put("status", "Failure").put("message", message).put("reason", reason);
        if (code == 403) {
            status.putObject("details");
        }
        status.put("code", code);
        exchange.answer(code, "application/json", status.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        timer.shutdownNow();
        asking.shutdownNow();
    }

    /**
     * A cache of reviews with separate TTLs for positive and negative results; errors are not cached. Concurrent requests for one
     * key share one call. Thread-safe.
     */
    static final class ReviewCache<K, V> {
        private static final int MOST = 4096;
        private static final int STRIPES = 64;

        /** Calls the API server. */
        interface Question<V> {
            V ask() throws IOException;
        }

        /** Whether a result is positive. */
        interface ResultTest<V> {
            boolean isGood(V answer);
        }

        private final Cache<K, V> good;
        private final Cache<K, V> bad;
        private final ResultTest<V> judge;
        private final Striped<Lock> asking = Striped.lock(STRIPES);

        /** @param ticker a monotonic clock */
        ReviewCache(Duration goodTtl, Duration badTtl, ResultTest<V> judge, Ticker ticker) {
            this.good = cache(goodTtl, ticker);
            this.bad = cache(badTtl, ticker);
            this.judge = judge;
        }

        private static <K, V> Cache<K, V> cache(Duration ttl, Ticker ticker) {
            return CacheBuilder.newBuilder()
                    .maximumSize(MOST)
                    .expireAfterWrite(ttl)
                    .ticker(ticker)
                    .build();
        }

        /** The cached or new result. */
        V get(K key, Question<V> question) throws IOException {
            V known = known(key);
            if (known != null) {
                return known;
            }
            Lock lock = asking.get(key);
            lock.lock();
            try {
                known = known(key);
                if (known != null) {
                    return known;
                }
                V answer = question.ask();
                (judge.isGood(answer) ? good : bad).put(key, answer);
                return answer;
            } finally {
                lock.unlock();
            }
        }

        private @Nullable V known(K key) {
            V answer = good.getIfPresent(key);
            return answer == null ? bad.getIfPresent(key) : answer;
        }
    }

    /** Sends TokenReviews and SubjectAccessReviews to an API server. Each call blocks until the server responds. */
    static final class Reviews {
        private static final ObjectMapper JSON = new ObjectMapper();
        private static final String TOKENS = "/apis/authentication.k8s.io/v1/tokenreviews";
        private static final String ACCESS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

        private final KubeConnection connection;

        Reviews(KubeConnection connection) {
            this.connection = connection;
        }

        /**
         * Returns the user of a token.
         *
         * @throws FailedException if the token is invalid
         * @throws IOException if the server did not respond; the message is one line
         */
        User token(String token) throws FailedException, IOException {
            ObjectNode review = JSON.createObjectNode()
                    .put("apiVersion", "authentication.k8s.io/v1")
                    .put("kind", "TokenReview");
            review.putObject("spec").put("token", token);
            JsonNode status = send(TOKENS, review);
            if (!status.path("authenticated").asBoolean()) {
                throw new FailedException(status.path("error").asText("invalid bearer token"));
            }
            JsonNode user = status.path("user");
            return User.authenticated(
                    user.path("username").asText(),
                    user.path("uid").asText(),
                    texts(user.path("groups")),
                    extra(user.path("extra")));
        }

        /**
         * Whether a user is allowed to access a path.
         *
         * @throws IOException if the server did not respond; the message is one line
         */
        boolean access(User identity, String verb, String path) throws IOException {
            ObjectNode review = JSON.createObjectNode()
                    .put("apiVersion", "authorization.k8s.io/v1")
                    .put("kind", "SubjectAccessReview");
            ObjectNode spec = review.putObject("spec").put("user", identity.user());
            spec.putObject("nonResourceAttributes").put("path", path).put("verb", verb);
            if (!identity.uid().isEmpty()) {
                spec.put("uid", identity.uid());
            }
            identity.groups().forEach(spec.withArray("groups")::add);
            ObjectNode extra = spec.putObject("extra");
            identity.extra().forEach((key, values) -> values.forEach(extra.withArray(key)::add));
            return send(ACCESS, review).path("allowed").asBoolean();
        }

        private JsonNode send(String path, ObjectNode review) throws IOException {
            ApiResponse answer = connection.postOnce(path, JSON.writeValueAsBytes(review));
            if (!answer.success()) {
                throw new IOException("POST " + path + ": " + answer.message());
            }
            return answer.json().path("status");
        }

        private static List<String> texts(JsonNode array) {
            ImmutableList.Builder<String> texts = ImmutableList.builder();
            array.forEach(each -> texts.add(each.asText()));
            return texts.build();
        }

        private static Map<String, List<String>> extra(JsonNode object) {
            Map<String, List<String>> extra = new TreeMap<>();
            object.properties().forEach(entry -> extra.put(entry.getKey(), texts(entry.getValue())));
            return extra;
        }
    }

    /**
     * The attributes of a request before authentication.
     *
     * @param verb the HTTP method in lower case
     * @param path decoded, so that an encoded spelling cannot bypass a check
     * @param certificates as {@link Exchange#clientCertificates}
     * @param headers names in lower case
     */
    record AccessRequest(
            String verb, String path, List<X509Certificate> certificates, ListMultimap<String, String> headers) {
        private static final String BEARER = "bearer ";

        AccessRequest {
            certificates = ImmutableList.copyOf(certificates);
            headers = ImmutableListMultimap.copyOf(headers);
        }

        static AccessRequest of(Exchange exchange) {
            ImmutableListMultimap.Builder<String, String> headers = ImmutableListMultimap.builder();
            exchange.headerNames()
                    .forEach(name -> headers.putAll(name.toLowerCase(Locale.ROOT), exchange.headers(name)));
            return new AccessRequest(
                    exchange.method().toLowerCase(Locale.ROOT),
                    decoded(exchange.path()),
                    exchange.clientCertificates(),
                    headers.build());
        }

        private static String decoded(String path) {
            try {
                return new URI(path).getPath();
            } catch (URISyntaxException e) {
                return path;
            }
        }

        /** The bearer token; empty if there is none. */
        String token() {
            String header =
                    headers.get("authorization").stream().findFirst().orElse("").strip();
            return header.toLowerCase(Locale.ROOT).startsWith(BEARER)
                    ? header.substring(BEARER.length()).strip()
                    : "";
        }

        /** Whether the request has no credentials. */
        boolean isAnonymous() {
            return certificates.isEmpty() && token().isEmpty();
        }
    }

    /** Authorizes paths. Thread-safe; may take as long as a call of the API server. */
    static final class Authorizer {
        private record Question(User identity, String verb, String path) {}

        private final ServingSettings.Authorization settings;
        private final @Nullable Reviews reviews;
        private final ReviewCache<Question, Boolean> outcomes;

        /** @param reviews null if there is no API server; then only masters are allowed, and everyone on open paths */
        Authorizer(ServingSettings.Authorization settings, @Nullable Reviews reviews, Ticker ticker) {
            this.settings = settings;
            this.reviews = reviews;
            this.outcomes =
                    new ReviewCache<>(settings.authorizedTtl(), settings.unauthorizedTtl(), allowed -> allowed, ticker);
        }

        /** @throws IOException if the API server did not respond; the message is one line */
        boolean allows(User identity, AccessRequest request) throws IOException {
            if (identity.groups().contains(User.MASTERS) || settings.isOpen(request.path())) {
                return true;
            }
            Reviews asked = reviews;
            return asked != null
                    && outcomes.get(
                            new Question(identity, request.verb(), request.path()),
                            () -> asked.access(identity, request.verb(), request.path()));
        }
    }
}
