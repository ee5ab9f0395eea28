package io.policyscheduler.cmd.run;

import com.google.common.collect.ImmutableList;
import com.google.common.net.InetAddresses;
import io.policyscheduler.cmd.http.DelegatedAccess;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.http.StatusContent;
import io.policyscheduler.cmd.http.StatusServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.server.TlsContext;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.BindAddress;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status ports of {@code run}: plain HTTP without authentication, HTTPS with authentication and authorization, both, or none.
 */
final class StatusPorts implements AutoCloseable {
    /** The field of a configuration for the address of metrics. */
    private static final String METRICS = Settings.METRICS_ADDRESS.field();

    private final Deque<Runnable> closing = new ArrayDeque<>();
    private final ImmutableList.Builder<String> urls = ImmutableList.builder();

    private StatusPorts() {}

    /**
     * The plain port and its origin.
     *
     * @param flag flag in the error message if it cannot be opened
     * @param asked whether a flag of this program requested it, so that it serves all pages
     * @param metrics another address for metrics, from a configuration; null for none
     * @param hosts names by which clients may call it, in addition to addresses and localhost
     */
    record Plain(String flag, boolean asked, @Nullable InetSocketAddress metrics, List<String> hosts) {
        Plain {
            hosts = List.copyOf(hosts);
        }

        Plain(String flag, boolean asked) {
            this(flag, asked, null, List.of());
        }
    }

    /**
     * Opens the ports.
     *
     * @param plain the plain port
     * @param own connection for reviews if no other kubeconfig is set
     * @throws InputException if a port is not free, or a file or kubeconfig cannot be used
     */
    static StatusPorts open(
            ServingSettings serving, Plain plain, StatusContent content, KubeConnection own, Clock clock) {
        StatusPorts ports = new StatusPorts();
        try {
            InetSocketAddress insecure = serving.insecure();
            InetSocketAddress metrics = plain.metrics();
            ports.openPlain(insecure, plain, content);
            // kube-scheduler has one server for both addresses if they are equal.
            if (metrics != null && !metrics.equals(insecure)) {
                ports.openPlain(metrics, new Plain(METRICS, false), content);
            }
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
        // Command lines of kube-scheduler open a port on all addresses for health and metrics. It must not serve more
        // than that.
        boolean all = plain.asked() || address.getAddress().isLoopbackAddress();
        try {
            StatusServer server = new StatusServer(
                    address, all ? content : content.withoutPods(), null, StatusServer.Access.ofHosts(plain.hosts()));
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

    /** The URLs; none without a port. */
    List<String> urls() {
        return urls.build();
    }

    @Override
    public void close() {
        while (!closing.isEmpty()) {
            closing.pop().run();
        }
    }

    /**
     * The ports according to the settings. By default there are none, because the plain port has no authentication. Error
     * messages of ports and addresses are those of kube-scheduler 1.17.
     */
    static final class Flags {
        private static final String STATUS = Settings.HEALTHZ_ADDRESS.flag();
        private static final int LAST_PORT = 65_535;

        private final SettingTree settings;

        private Flags(SettingTree settings) {
            this.settings = settings;
        }

        /**
         * Reads the settings.
         *
         * @throws IllegalArgumentException if one is invalid; the message is for users
         */
        static ServingSettings of(SettingTree settings) {
            return new Flags(settings).all();
        }

        private ServingSettings all() {
            return new ServingSettings(
                    insecure(),
                    ip(ServingFlags.BIND_ADDRESS),
                    port(ServingFlags.SECURE_PORT, "0 for turning off secure port"),
                    new TlsContext.Settings(
                            path(ServingFlags.TLS_CERT_FILE),
                            path(ServingFlags.TLS_KEY_FILE),
                            path(ServingFlags.CERT_DIR),
                            settings.texts(ServingFlags.TLS_SNI_CERT_KEY),
                            settings.texts(ServingFlags.TLS_CIPHER_SUITES),
                            settings.text(ServingFlags.TLS_MIN_VERSION)),
                    new ServingSettings.Authentication(
                            path(ServingFlags.CLIENT_CA_FILE),
                            path(ServingFlags.AUTHENTICATION_KUBECONFIG),
                            settings.isOn(ServingFlags.AUTHENTICATION_SKIP_LOOKUP),
                            settings.isOn(ServingFlags.AUTHENTICATION_TOLERATE_FAILURE),
                            settings.duration(ServingFlags.AUTHENTICATION_TOKEN_TTL),
                            new ServingSettings.RequestHeader(
                                    path(ServingFlags.REQUEST_HEADER_CA),
                                    settings.texts(ServingFlags.REQUEST_HEADER_NAMES),
                                    settings.texts(ServingFlags.REQUEST_HEADER_USERS),
                                    settings.texts(ServingFlags.REQUEST_HEADER_UIDS),
                                    settings.texts(ServingFlags.REQUEST_HEADER_GROUPS),
                                    settings.texts(ServingFlags.REQUEST_HEADER_EXTRA))),
                    new ServingSettings.Authorization(
                            path(ServingFlags.AUTHORIZATION_KUBECONFIG),
                            settings.texts(ServingFlags.ALWAYS_ALLOW_PATHS),
                            settings.duration(ServingFlags.AUTHORIZED_TTL),
                            settings.duration(ServingFlags.UNAUTHORIZED_TTL)));
        }

        private @Nullable InetSocketAddress insecure() {
            int port = port(ServingFlags.PORT, "0 for turning off insecure (HTTP) port");
            String address = ip(ServingFlags.ADDRESS);
            if (isStatusFirst()) {
                return status();
            }
            boolean addressAlone =
                    settings.isGivenAtStart(ServingFlags.ADDRESS) && !settings.isGivenAtStart(ServingFlags.PORT);
            int open = addressAlone ? BindAddress.DEFAULT_PORT : port;
            return open == 0 ? null : new InetSocketAddress(InetAddresses.forString(address), open);
        }

        /** The port flag of kube-scheduler overrides the address of a file, and is overridden by the address flag. */
        private boolean isStatusFirst() {
            boolean portGiven =
                    settings.isGivenAtStart(ServingFlags.PORT) || settings.isGivenAtStart(ServingFlags.ADDRESS);
            return settings.isGivenAtStart(Settings.HEALTHZ_ADDRESS)
                    || (!portGiven && settings.find(Settings.HEALTHZ_ADDRESS).isPresent());
        }

        /** The setting of the plain address. */
        static StatusPorts.Plain plain(SettingTree settings, @Nullable SchedulerConfiguration configuration) {
            Flags flags = new Flags(settings);
            String flag = flags.isStatusFirst() ? STATUS : ServingFlags.PORT.flag();
            return new StatusPorts.Plain(
                    flag,
                    settings.isGivenAtStart(Settings.HEALTHZ_ADDRESS),
                    flags.metrics(configuration),
                    settings.texts(ServingFlags.STATUS_HOST));
        }

        /** The address for metrics of a configuration file, unless flags set the port; null for none. */
        private @Nullable InetSocketAddress metrics(@Nullable SchedulerConfiguration configuration) {
            String address = configuration != null
                            && !configuration.document().path(METRICS).asText().isEmpty()
                    ? configuration.metricsBindAddress()
                    : null;
            boolean flagged = settings.isGivenAtStart(ServingFlags.PORT)
                    || settings.isGivenAtStart(ServingFlags.ADDRESS)
                    || settings.isGivenAtStart(Settings.HEALTHZ_ADDRESS);
            if (flagged || address == null || address.isEmpty()) {
                return null;
            }
            try {
                return ListenAddress.parse(address);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(METRICS + ": " + e.getMessage(), e);
            }
        }

        private InetSocketAddress status() {
            try {
                return ListenAddress.parse(settings.text(Settings.HEALTHZ_ADDRESS));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(STATUS + ": " + e.getMessage(), e);
            }
        }

        private int port(Setting setting, String off) {
            long port = settings.number(setting);
            if (port < 0 || port > LAST_PORT) {
                throw new IllegalArgumentException(
                        setting.flag() + " " + port + " must be between 0 and 65535, inclusive. " + off);
            }
            return Math.toIntExact(port);
        }

        private String ip(Setting setting) {
            String address = settings.text(setting);
            if (!InetAddresses.isInetAddress(address)) {
                throw new IllegalArgumentException(setting.flag() + " " + address + " is an invalid IP address");
            }
            return address;
        }

        private @Nullable Path path(Setting setting) {
            String file = settings.text(setting);
            return file.isEmpty() ? null : Path.of(file);
        }
    }
}
