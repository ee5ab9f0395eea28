package io.policyscheduler.cmd.embedded.server;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.embedded.admission.AccessControl.ApiUser;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.WebServer;
import io.policyscheduler.cmd.server.WebServer.Limits;
import io.policyscheduler.cmd.server.WebServer.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The loopback port of the API server; it can be closed and opened again. Thread-safe. */
public final class ApiServer {
    /** The limit of a real API server. */
    private static final Limits LIMITS = Limits.withBodies(3 << 20, 256 << 20);

    private final RequestRouter router;
    private final @Nullable Tls tls;
    private int port;
    private @Nullable WebServer server;
    private @Nullable ExecutorService workers;

    /**
     * A server that is not started.
     *
     * @param port fixed over restarts; 0 selects a free one
     * @param tls null for plain HTTP
     */
    public ApiServer(RequestRouter router, int port, @Nullable Tls tls) {
        this.router = router;
        this.port = port;
        this.tls = tls;
    }

    /** Accepts connections again, on the same port and with the same objects; no effect if it does so already. */
    public synchronized void startServing() throws IOException {
        if (server != null) {
            return;
        }
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        // A watch occupies its thread.
        ExecutorService pool = Executors.newCachedThreadPool(new ThreadFactoryBuilder()
                .setDaemon(true)
                .setNameFormat("embedded-api-%d")
                .build());
        try {
            server = new WebServer("embedded-server", address, LIMITS, tls, exchange -> dispatch(pool, exchange));
        } catch (IOException e) {
            pool.shutdownNow();
            throw e;
        }
        workers = pool;
        port = server.address().getPort();
    }

    private void dispatch(ExecutorService pool, Exchange exchange) {
        try {
            pool.execute(() -> router.handle(exchange));
        } catch (RejectedExecutionException e) {
            exchange.drop();
        }
    }

    /** Closes all connections and accepts no more; objects stay. No effect if it is stopped. */
    public synchronized void stopServing() {
        if (server != null) {
            server.close();
            server = null;
        }
        router.closeWatches();
        if (workers != null) {
            workers.shutdownNow();
            workers = null;
        }
    }

    /** The port, also while not serving. */
    public synchronized int port() {
        return port;
    }

    /**
     * Handles a request of the administrator in the calling thread, as if it had arrived over the network; neither watches nor
     * injected faults.
     *
     * @param path path and query, both encoded
     * @param accept empty for JSON
     * @param contentType empty when there is no body
     */
    public Response call(String method, String path, String accept, String contentType, byte[] body) {
        int at = path.indexOf('?');
        String query = at < 0 ? "" : path.substring(at + 1);
        return router.execute(
                ApiRequest.of(method, at < 0 ? path : path.substring(0, at), query, accept, contentType, body),
                ApiUser.ADMIN,
                "127.0.0.1");
    }

    /** Number of open watches. */
    public int openWatches() {
        return router.openWatches();
    }
}
