package io.policyscheduler.cmd.kube.connection;

import io.kubernetes.client.openapi.ApiClient;
import io.policyscheduler.cmd.kube.connection.ClientConfigLoader.ClientConfig;
import io.policyscheduler.cmd.kube.connection.KubeConnection.Observer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;
import okhttp3.Authenticator;
import okhttp3.CipherSuite;
import okhttp3.ConnectionPool;
import okhttp3.ConnectionSpec;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.Route;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link ApiClient} of a connection. If the certificates or the key have changed, which is checked every ten seconds and after a
 * 401, the next request uses a new client with new connections. Running requests end on the old ones. Thread-safe.
 */
final class Transport {
    private static final Logger LOG = LoggerFactory.getLogger(Transport.class);
    private static final long LOOK = Duration.ofSeconds(10).toNanos();
    private static final int UNAUTHORIZED = 401;
    /** A connection that is silent for twice as long is dead (HTTP/2). */
    private static final Duration PING = Duration.ofSeconds(10);

    /** The suites of OkHttp, with ChaCha20 first. API servers take the first suite. */
    private static final ConnectionSpec CHACHA_TLS = new ConnectionSpec.Builder(ConnectionSpec.MODERN_TLS)
            .cipherSuites(chachaFirst(Objects.requireNonNull(ConnectionSpec.MODERN_TLS.cipherSuites())))
            .build();

    /** A part of the name of a JVM that uses the C1 compiler only. */
    private static final String C1_ONLY = "emulated-client";

    /** @param tls the settings that the client was made from; null for plain HTTP */
    private record CachedClient(@Nullable ClientTls tls, ApiClient client) {
        ConnectionPool connections() {
            return client.getHttpClient().connectionPool();
        }
    }

    private final ClientConfig access;
    private final LongSupplier nanos;
    private final OkHttpClient base;
    private final @Nullable Interceptor answering;
    private final ReentrantLock looking = new ReentrantLock();
    private volatile CachedClient made;
    private volatile Observer listener = Observer.NONE;
    private volatile long lookedAt;
    private String lastTrouble = "";

    /**
     * Reads all files once.
     *
     * @param nanos such as {@link System#nanoTime}
     * @param answering responds to all calls itself; null for the network
     * @throws IOException if the configuration is invalid; the message is one line
     */
    Transport(ClientConfig access, LongSupplier nanos, @Nullable Interceptor answering) throws IOException {
        this.access = access;
        this.nanos = nanos;
        // No cookies, no compression (as kube-scheduler): lists are
        // parsed at memory speed, gzip would be the bottleneck.
        OkHttpClient.Builder builder = new OkHttpClient.Builder()
                .pingInterval(PING)
                .socketFactory(new BufferedSockets())
                .connectionSpecs(List.of(tls(System.getProperty("java.vm.info", "")), ConnectionSpec.CLEARTEXT))
                .addInterceptor(this::observe)
                .addInterceptor(this::impersonate);
        ProxySelector proxies = access.proxies();
        if (proxies != null) {
            builder.proxySelector(proxies);
            if (proxies instanceof ProxyEnvironment environment) {
                builder.proxyAuthenticator((route, response) -> authenticateToProxy(environment, route, response));
            }
        }
        this.answering = answering;
        this.base = builder.build();
        this.lookedAt = nanos.getAsLong();
        this.made = make(access.usesTls() ? ClientTls.of(access) : null);
    }

    /** C1 code decrypts ChaCha20 in a third of the time of AES. All other code is faster with AES. */
    static ConnectionSpec tls(String machine) {
        return machine.contains(C1_ONLY) ? CHACHA_TLS : ConnectionSpec.MODERN_TLS;
    }

    private static CipherSuite[] chachaFirst(List<CipherSuite> suites) {
        return suites.stream()
                .sorted(Comparator.comparing(suite -> !suite.javaName().contains("CHACHA20")))
                .toArray(CipherSuite[]::new);
    }

    private CachedClient make(@Nullable ClientTls tls) throws IOException {
        ApiClient client = tls == null
                ? new ApiClient(base)
                : tls.apiClient(
                        base.newBuilder().connectionPool(new ConnectionPool()).build());
        client.setBasePath(access.server());
        access.credentials().provide(client);
        if (answering != null) {
            client.setHttpClient(client.getHttpClient()
                    .newBuilder()
                    .addInterceptor(answering)
                    .build());
        }
        return new CachedClient(tls, client);
    }

    /** See {@link Authenticator}: null gives up. */
    private static @Nullable Request authenticateToProxy(
            ProxyEnvironment environment, @Nullable Route route, Response response) {
        Proxy proxy = route == null ? Proxy.NO_PROXY : route.proxy();
        Optional<String> header = environment.authorization(proxy);
        if (header.isEmpty() || response.request().header("Proxy-Authorization") != null) {
            return null;
        }
        return response.request()
                .newBuilder()
                .header("Proxy-Authorization", header.get())
                .build();
    }

    private Response observe(Interceptor.Chain chain) throws IOException {
        Request request = chain.request();
        long start = nanos.getAsLong();
        int code = 0;
        try {
            Response response = chain.proceed(request);
            code = response.code();
            return response;
        } finally {
            String host = request.url().host() + ":" + request.url().port();
            listener.called(request.method(), host, code, nanos.getAsLong() - start);
        }
    }

    /** Returns that the client certificate has expired, as the end of a message; empty otherwise. */
    String certificateProblem() {
        ClientTls tls = made.tls();
        return tls == null || tls.certificate() == null ? "" : tls.certificate().expiry();
    }

    /** Sets the observer of later calls. */
    void listen(Observer calls) {
        listener = calls;
    }

    private Response impersonate(Interceptor.Chain chain) throws IOException {
        Request.Builder request = chain.request().newBuilder();
        access.headers().forEach((name, values) -> values.forEach(value -> request.addHeader(name, value)));
        Response response = chain.proceed(request.build());
        if (response.code() == UNAUTHORIZED) {
            lookedAt = nanos.getAsLong() - LOOK;
        }
        return response;
    }

    /** Returns the client for the next request. */
    OkHttpClient client() {
        if (access.usesTls() && nanos.getAsLong() - lookedAt >= LOOK && looking.tryLock()) {
            try {
                lookedAt = nanos.getAsLong();
                look();
            } finally {
                looking.unlock();
            }
        }
        return made.client().getHttpClient();
    }

    private void look() {
        try {
            ClientTls now = ClientTls.of(access);
            CachedClient before = made;
            if (!now.equals(before.tls())) {
                made = make(now);
                before.connections().evictAll();
                LOG.info("reloaded the certificates for {}", access.server());
            }
            lastTrouble = "";
        } catch (IOException | RuntimeException e) {
            // While the files are being replaced, certificate and key may not match.
            String trouble = ApiIoException.describe(e);
            if (!trouble.equals(lastTrouble)) {
                LOG.warn("W117 cannot reload the certificates, using the previous ones: {}", trouble);
            }
            lastTrouble = trouble;
        }
    }

    /** Closes idle connections and cancels running calls. */
    void close() {
        base.dispatcher().cancelAll();
        base.connectionPool().evictAll();
        made.connections().evictAll();
    }

    /**
     * Sockets that read from the system in large pieces. The TLS of the JDK reads twice for each record, and API servers send long lists
     * in records of 4 kB.
     */
    static final class BufferedSockets extends SocketFactory {
        private static final int SIZE = 64 * 1024;

        @Override
        public Socket createSocket() {
            return new BufferedSocket();
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return connected(new InetSocketAddress(host, port), null);
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
            return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return connected(new InetSocketAddress(host, port), null);
        }

        @Override
        public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
                throws IOException {
            return connected(new InetSocketAddress(address, port), new InetSocketAddress(localAddress, localPort));
        }

        private static Socket connected(InetSocketAddress server, @Nullable InetSocketAddress local)
                throws IOException {
            Socket socket = new BufferedSocket();
            try {
                if (local != null) {
                    socket.bind(local);
                }
                socket.connect(server);
            } catch (IOException e) {
                socket.close();
                throw e;
            }
            return socket;
        }

        private static final class BufferedSocket extends Socket {
            private @Nullable InputStream buffered;

            /** Returns always the same stream, because it has read ahead. */
            @Override
            public synchronized InputStream getInputStream() throws IOException {
                // Fails if the socket is closed.
                InputStream in = super.getInputStream();
                InputStream known = buffered;
                if (known == null) {
                    known = new BufferedInputStream(in, SIZE);
                    buffered = known;
                }
                return known;
            }
        }
    }

    /** TLS sockets that send {@code serverName} as SNI instead of the host of the URL. */
    static final class SniSockets extends SSLSocketFactory {
        private final SSLSocketFactory delegate;
        private final String serverName;

        /** @param serverName sent as SNI */
        SniSockets(SSLSocketFactory delegate, String serverName) {
            this.delegate = delegate;
            this.serverName = serverName;
        }

        @Override
        public String[] getDefaultCipherSuites() {
            return delegate.getDefaultCipherSuites();
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return delegate.getSupportedCipherSuites();
        }

        /** OkHttp calls only this one, with a connected socket. */
        @Override
        public Socket createSocket(Socket socket, String host, int port, boolean autoClose) throws IOException {
            return delegate.createSocket(socket, serverName, port, autoClose);
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return delegate.createSocket(host, port);
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
            return delegate.createSocket(host, port, localHost, localPort);
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return delegate.createSocket(host, port);
        }

        @Override
        public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
                throws IOException {
            return delegate.createSocket(address, port, localAddress, localPort);
        }
    }
}
