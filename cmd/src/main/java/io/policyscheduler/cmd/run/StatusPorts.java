package io.policyscheduler.cmd.run;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.http.StatusContent;
import io.policyscheduler.cmd.http.StatusServer;
import io.policyscheduler.cmd.http.auth.DelegatedAccess;
import io.policyscheduler.cmd.http.tls.TlsContext;
import io.policyscheduler.cmd.kube.ClusterException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.settings.ServingFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The ports on which {@code run} tells how it is: plain HTTP for everybody, HTTPS for whom the API server lets, both or none. */
final class StatusPorts implements AutoCloseable {
    private final Deque<Runnable> closing = new ArrayDeque<>();
    private final ImmutableList.Builder<String> urls = ImmutableList.builder();

    private StatusPorts() {}

    /**
     * How the plain port came about.
     *
     * @param flag what to name when it cannot be opened
     * @param asked whether it was asked for by our own flag, so that all may be told there that is told at all
     */
    record Plain(String flag, boolean asked) {}

    /**
     * Opens them.
     *
     * @param plain about the plain port
     * @param own asks who a client is and what it may, where no other kubeconfig is given for that
     * @throws InputException when a port is not free, or a file or kubeconfig cannot be used
     */
    static StatusPorts open(
            ServingSettings serving, Plain plain, StatusContent content, KubeConnection own, Clock clock) {
        StatusPorts ports = new StatusPorts();
        try {
            ports.openPlain(serving.insecure(), plain, content);
            if (serving.securePort() != 0) {
                ports.openSecure(serving, content, own, clock);
            }
            return ports;
        } catch (RuntimeException e) {
            ports.close();
            throw e;
        }
    }

    private void openPlain(@Nullable InetSocketAddress address, Plain plain, StatusContent content) {
        if (address == null) {
            return;
        }
        // Command lines of old open a port on all addresses, for health and metrics: who else listens was never asked.
        boolean all = plain.asked() || address.getAddress().isLoopbackAddress();
        try {
            StatusServer server = new StatusServer(address, all ? content : content.withoutPods());
            closing.push(server::close);
            urls.add("http://" + ListenAddress.text(server.address()));
        } catch (IOException e) {
            throw new InputException(plain.flag() + ": " + e.getMessage(), e);
        }
    }

    private void openSecure(ServingSettings serving, StatusContent content, KubeConnection own, Clock clock) {
        KubeConnection tokens = connection(
                ServingFlags.AUTHENTICATION_KUBECONFIG.flag(),
                serving.authentication().kubeconfig(),
                own);
        KubeConnection reviews = connection(
                ServingFlags.AUTHORIZATION_KUBECONFIG.flag(),
                serving.authorization().kubeconfig(),
                own);
        try {
            InetSocketAddress address =
                    new InetSocketAddress(InetAddress.getByName(serving.bindAddress()), serving.securePort());
            DelegatedAccess access =
                    new DelegatedAccess(serving.authentication(), serving.authorization(), tokens, reviews, clock);
            closing.push(access::close);
            StatusServer server = new StatusServer(address, content, TlsContext.of(serving.tls(), clock), access);
            closing.push(server::close);
            urls.add("https://" + ListenAddress.text(server.address()));
        } catch (IOException e) {
            throw new InputException(ServingFlags.SECURE_PORT.flag() + ": " + e.getMessage(), e);
        }
    }

    private KubeConnection connection(String flag, @Nullable Path kubeconfig, KubeConnection own) {
        if (kubeconfig == null) {
            return own;
        }
        try {
            KubeConnection connection = KubeConnection.fromKubeconfig(kubeconfig, null);
            closing.push(connection::close);
            return connection;
        } catch (ClusterException e) {
            throw new InputException(flag + ": " + e.getMessage(), e);
        }
    }

    /** Where they are; none when nothing is served. */
    List<String> urls() {
        return urls.build();
    }

    @Override
    public void close() {
        while (!closing.isEmpty()) {
            closing.pop().run();
        }
    }
}
