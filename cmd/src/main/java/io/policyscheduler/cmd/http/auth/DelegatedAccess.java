package io.policyscheduler.cmd.http.auth;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.http.AccessCheck;
import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.threads.LoudTimer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the API server say who asks and what he may, as kube-scheduler does on its secure port: certificates of proxies and
 * clients, then bearer tokens, and whoever shows nothing is {@code system:anonymous}. What is open to all is answered without
 * anybody being asked. Mirrors {@code DelegatingAuthenticatorConfig} and {@code DelegatingAuthorizerConfig} of
 * {@code k8s.io/apiserver}. Thread-safe.
 */
public final class DelegatedAccess implements AccessCheck, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DelegatedAccess.class);
    private static final Duration AUTHORITIES_EVERY = Duration.ofSeconds(10);
    private static final int THREADS = 4;
    private static final int WAITING = 256;

    private final ServingSettings.Authentication settings;
    private final ServingSettings.Authorization access;
    private final ClusterAuthorities authorities;
    private final @Nullable TokenAuthenticator tokens;
    private final Authorizer authorizer;
    private final ThreadPoolExecutor asking;
    private final LoudTimer timer;
    private volatile List<Authenticator> certificates = List.of();
    private String trouble = "";

    /**
     * Reads the authorities.
     *
     * @param tokens who says whose a token is; null for nobody
     * @param reviews who says what somebody may; null for nobody
     * @throws IOException when a file cannot be read, or a lookup that is not to be tolerated failed; one line
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
        this.authorities = new ClusterAuthorities(authentication, tokens, clock);
        Ticker ticker = Ticker.systemTicker();
        this.tokens =
                tokens == null ? null : new TokenAuthenticator(new Reviews(tokens), authentication.tokenTtl(), ticker);
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
        this.timer = new LoudTimer(threads);
        ScheduledFuture<?> readings = timer.scheduleWithFixedDelay(
                this::readAuthoritiesAgain,
                AUTHORITIES_EVERY.toSeconds(),
                AUTHORITIES_EVERY.toSeconds(),
                TimeUnit.SECONDS);
        LOG.trace("the client CAs are read every {}: {}", AUTHORITIES_EVERY, readings);
    }

    /** A file that cannot be read at the start is a mistake; the cluster's answer may come later. */
    private void requireFiles() throws IOException {
        new ClusterAuthorities(settings, null, Clock.systemUTC()).read();
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
        Optional<Identity> found = identify(request);
        if (found.isEmpty()) {
            refuse(exchange, 401, "Unauthorized", "Unauthorized");
            return;
        }
        Identity identity = found.get();
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

    /** Empty when something was shown and none of it is worth anything. */
    private Optional<Identity> identify(AccessRequest request) {
        List<String> errors = new ArrayList<>();
        List<Authenticator> all = new ArrayList<>(certificates);
        if (tokens != null) {
            all.add(tokens);
        }
        for (Authenticator each : all) {
            try {
                Optional<Identity> found = each.identify(request);
                if (found.isPresent()) {
                    return found;
                }
            } catch (AuthenticationException e) {
                errors.add(String.valueOf(e.getMessage()));
            }
        }
        if (errors.isEmpty()) {
            return Optional.of(Identity.ANONYMOUS);
        }
        LOG.info("{} {}: unable to authenticate the request: {}", request.verb(), request.path(), errors);
        return Optional.empty();
    }

    /** In the form of the API server, as kube-scheduler answers. */
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
}
