package io.policyscheduler.cmd.server;

import com.google.common.annotations.VisibleForTesting;
import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.server.ConnectionGuard.Connector;
import io.policyscheduler.cmd.server.Exchange.BodyReader;
import io.policyscheduler.cmd.server.Exchange.BodyReader.BodyBudget;
import io.policyscheduler.cmd.server.Exchange.ExchangeHandler;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP/1.1 server on one address, with or without TLS. Clients that send or read slowly do not occupy its threads.
 * Thread-safe.
 */
public final class WebServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WebServer.class);
    private static final int BACKLOG = 1024;
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
    /** One acceptor, one selector, and worker threads. */
    private static final int THREADS = 8;

    private final Server server;
    private final Connector connector;
    private final ScheduledExecutorService sweeper;
    private final ConnectionGuard guard;
    private final InetSocketAddress address;

    /**
     * Starts to serve.
     *
     * @param name of the threads
     * @param address port 0 selects a free one
     * @throws IOException if the address cannot be used; the message is that of the operating system, for example
     *     {@code Address already in use}
     */
    public WebServer(String name, InetSocketAddress address, Limits limits, ExchangeHandler handler)
            throws IOException {
        this(name, address, limits, null, handler);
    }

    /**
     * As {@link #WebServer(String, InetSocketAddress, ServerLimits, ExchangeHandler)}.
     *
     * @param tls null for plain HTTP
     */
    public WebServer(String name, InetSocketAddress address, Limits limits, @Nullable Tls tls, ExchangeHandler handler)
            throws IOException {
        this.guard = new ConnectionGuard(limits, System::nanoTime);
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, 2);
        threads.setName(name);
        threads.setDaemon(true);
        this.server = new Server(threads, new ScheduledExecutorScheduler(name + "-timer", true), null);
        this.connector = new Connector(server, factories(configuration(limits), tls));
        connector.setHost(address.getAddress().getHostAddress());
        connector.setPort(address.getPort());
        connector.setAcceptQueueSize(BACKLOG);
        connector.setIdleTimeout(limits.idle().toMillis());
        connector.addBean(guard);
        server.addConnector(connector);
        server.setHandler(new Dispatch(limits, handler));
        server.setErrorHandler(plainErrors());
        server.setStopTimeout(0);
        this.sweeper = new LoggingTimer(new ThreadFactoryBuilder()
                .setDaemon(true)
                .setNameFormat(name + "-guard")
                .build());
        start();
        this.address = new InetSocketAddress(address.getAddress(), connector.getLocalPort());
        ScheduledFuture<?> sweeps = sweeper.scheduleWithFixedDelay(guard::sweep, 1, 1, TimeUnit.SECONDS);
        LOG.debug("{} listens on {}, {}", name, this.address, sweeps);
    }

    private void start() throws IOException {
        try {
            server.start();
        } catch (Exception e) { // declared by Jetty
            close();
            Throwable cause = e.getCause() instanceof BindException bind ? bind : e;
            throw new IOException(cause.getMessage(), e);
        }
    }

    private static ConnectionFactory[] factories(HttpConfiguration configuration, @Nullable Tls tls) {
        HttpConnectionFactory http = new HttpConnectionFactory(configuration);
        if (tls == null) {
            return new ConnectionFactory[] {http};
        }
        // No check of the SNI host, because clients may use an address or a forwarded port.
        configuration.addCustomizer(new SecureRequestCustomizer(false));
        SslContextFactory.Server context = new SslContextFactory.Server();
        context.setSslContext(tls.context());
        context.setWantClientAuth(true);
        if (!tls.protocols().isEmpty()) {
            context.setIncludeProtocols(tls.protocols().toArray(new String[0]));
        }
        if (!tls.ciphers().isEmpty()) {
            context.setExcludeCipherSuites();
            context.setIncludeCipherSuites(tls.ciphers().toArray(new String[0]));
        }
        return new ConnectionFactory[] {new SslConnectionFactory(context, http.getProtocol()), http};
    }

    private static HttpConfiguration configuration(Limits limits) {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setRequestHeaderSize(limits.headerBytes());
        return configuration;
    }

    private static ErrorHandler plainErrors() {
        ErrorHandler errors = new ErrorHandler();
        errors.setDefaultResponseMimeType("text/plain");
        errors.setShowStacks(false);
        errors.setShowCauses(false);
        return errors;
    }

    /** The address, also after a stop. */
    public InetSocketAddress address() {
        return address;
    }

    /** Number of accepted and open sockets. */
    int openSockets() {
        return connector.sockets();
    }

    /** Number of open connections. */
    public int openConnections() {
        return guard.openConnections();
    }

    /** Closes all connections and the address. */
    @Override
    public void close() {
        sweeper.shutdownNow();
        // Jetty 12.1 can wait without end for a response whose write failed at the moment at which its connection is
        // closed.
        if (!ends(this::stop, STOP_LIMIT)) {
            LOG.debug("the server did not stop within {} s", STOP_LIMIT.toSeconds());
        }
        connector.close();
        connector.endSockets();
    }

    /** Executes a task in a thread of its own, which is interrupted after the limit; returns whether the task has ended before. */
    @VisibleForTesting
    static boolean ends(Runnable task, Duration limit) {
        Thread thread = new ThreadFactoryBuilder()
                .setNameFormat("http-stop")
                .setDaemon(true)
                .build()
                .newThread(task);
        thread.start();
        try {
            thread.join(limit.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        boolean hasEnded = !thread.isAlive();
        thread.interrupt();
        return hasEnded;
    }

    private void stop() {
        try {
            server.stop();
        } catch (Exception e) { // declared by Jetty
            LOG.debug("stopping the server failed", e);
        }
    }

    /** Reads bodies, then hands requests on. */
    private final class Dispatch extends Handler.Abstract.NonBlocking {
        private final Limits limits;
        private final BodyBudget budget;
        private final ExchangeHandler handler;

        Dispatch(Limits limits, ExchangeHandler handler) {
            this.limits = limits;
            this.budget = new BodyBudget(limits.bodiesBytes());
            this.handler = handler;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            Connection connection = request.getConnectionMetaData().getConnection();
            Callback last = Callback.from(() -> guard.answered(connection), callback);
            if (limits.bodyBytes() == 0) {
                serve(new Exchange(request, response, last, guard, new byte[0]), connection);
                return true;
            }
            new BodyReader(request, limits.bodyBytes(), budget, new BodyReader.Outcome() {
                        @Override
                        public void read(byte[] body) {
                            Callback freeing = Callback.from(() -> budget.give(body.length), last);
                            serve(new Exchange(request, response, freeing, guard, body), connection);
                        }

                        @Override
                        public void refused(int code, String why) {
                            Exchange exchange = new Exchange(request, response, last, guard, new byte[0]);
                            exchange.responseHeader("Connection", "close");
                            exchange.answer(code, why + "\n");
                        }

                        @Override
                        public void lost(Throwable cause) {
                            callback.failed(cause);
                        }
                    })
                    .read();
            return true;
        }

        private void failed(Exchange exchange, Throwable cause) {
            LOG.error("{} {} failed", exchange.method(), exchange.path(), cause);
            exchange.answer(500, "internal server error\n");
        }

        private void serve(Exchange exchange, Connection connection) {
            guard.working(connection);
            try {
                handler.handle(exchange);
            } catch (RuntimeException e) {
                failed(exchange, e);
            } catch (VirtualMachineError e) {
                // Not only the request is affected: memory or a stack is exhausted. Jetty would continue.
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                failed(exchange, e);
            } catch (Error e) {
                failed(exchange, e);
            }
        }
    }

    /**
     * The TLS settings of a server. Clients may send a certificate, which the handler of the request verifies.
     *
     * @param protocols names as {@code TLSv1.3}; empty for the default of the JVM
     * @param ciphers names as {@code TLS_AES_128_GCM_SHA256}; empty for the default of the JVM
     */
    public record Tls(SSLContext context, List<String> protocols, List<String> ciphers) {
        public Tls {
            protocols = ImmutableList.copyOf(protocols);
            ciphers = ImmutableList.copyOf(ciphers);
        }
    }

    /**
     * The limits of clients. A client within the limits is never disconnected during a request.
     *
     * @param connections maximum number; above it, the connection that has been without a request the longest is closed
     * @param headerBytes of the request line and headers together; above it, the response is 431
     * @param bodyBytes of one request; above it, the response is 413
     * @param bodiesBytes of all running requests; above it, the response is 503
     * @param request timeout from the first byte of a request (or the start of its connection) until it is complete
     * @param answer timeout from the start of a response until the client has received it; streams are not limited
     * @param idle timeout between two requests of one connection, and for one write of a stream
     */
    public record Limits(
            int connections,
            int headerBytes,
            int bodyBytes,
            long bodiesBytes,
            Duration request,
            Duration answer,
            Duration idle) {
        private static final int CONNECTIONS = 4096;
        private static final int HEADER_BYTES = 16 << 10;
        private static final Duration REQUEST = Duration.ofSeconds(10);
        private static final Duration ANSWER = Duration.ofSeconds(30);
        /** Longer than the 90 s for which Go clients keep connections, so that clients close them first. */
        private static final Duration IDLE = Duration.ofSeconds(120);

        /** For a server whose requests have no body. */
        public static Limits withoutBodies() {
            return withBodies(0, 0);
        }

        /** For a server with a limit for the bodies of its requests, each and together. */
        public static Limits withBodies(int bodyBytes, long bodiesBytes) {
            return new Limits(CONNECTIONS, HEADER_BYTES, bodyBytes, bodiesBytes, REQUEST, ANSWER, IDLE);
        }
    }
}
