package io.policyscheduler.cmd.kube.connection;

import com.google.common.base.Splitter;
import io.policyscheduler.cmd.kube.connection.ClientTls.Pem;
import io.policyscheduler.cmd.kube.connection.Credentials.TokenFile;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.kube.connection.Kubeconfig.Resolver;
import java.io.File;
import java.net.ProxySelector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The loader of the client configuration. It searches in the order of kube-scheduler (cmd/kube-scheduler/app/options, client-go
 * BuildConfigFromFlags) and kubectl: flags, $KUBECONFIG, ~/.kube/config, in-cluster.
 */
final class ClientConfigLoader {
    private final Map<String, String> environment;
    private final Path home;
    private final Path serviceAccountToken;

    ClientConfigLoader(Map<String, String> environment, Path home, Path serviceAccountToken) {
        this.environment = Map.copyOf(environment);
        this.home = home;
        this.serviceAccountToken = serviceAccountToken;
    }

    /**
     * Returns the first configuration that exists.
     *
     * @param context of the kubeconfig; null for its current one
     * @throws ClusterException if there is none, or the first one is invalid
     */
    ClientConfig auto(@Nullable Path kubeconfig, @Nullable String master, @Nullable String context) {
        if (kubeconfig != null) {
            return kubeconfig(List.of(kubeconfig), master, context);
        }
        if (context == null && master != null && !master.isEmpty()) {
            return url(master);
        }
        String listed = environment.getOrDefault("KUBECONFIG", "");
        if (!listed.isEmpty()) {
            List<Path> files = Splitter.on(File.pathSeparatorChar)
                    .omitEmptyStrings()
                    .splitToStream(listed)
                    .map(Path::of)
                    .distinct()
                    .filter(Files::exists)
                    .toList();
            if (files.isEmpty()) {
                throw new ClusterException("KUBECONFIG=" + listed + ": no such file");
            }
            return kubeconfig(files, master, context);
        }
        Path personal = home.resolve(".kube").resolve("config");
        if (Files.exists(personal)) {
            return kubeconfig(List.of(personal), master, context);
        }
        if (context != null) {
            throw new ClusterException("--context " + context + " requires a kubeconfig: set --kubeconfig or KUBECONFIG"
                    + " (there is no " + personal + ")");
        }
        if (runsInCluster()) {
            return inCluster();
        }
        throw new ClusterException("no cluster configured: set --kubeconfig, --master, or KUBECONFIG, or run in a pod"
                + " (there is no " + personal + ", and no service account at " + serviceAccountToken + ")");
    }

    /** Returns the current context of the merged files; {@code master}, if given, replaces its server. */
    ClientConfig kubeconfig(List<Path> files, @Nullable String master) {
        return kubeconfig(files, master, null);
    }

    private ClientConfig kubeconfig(List<Path> files, @Nullable String master, @Nullable String context) {
        Kubeconfig config = Kubeconfig.read(files);
        if (context != null) {
            config.use(context);
        }
        return new Resolver(config, environment).access(master == null ? "" : master);
    }

    ClientConfig url(String url) {
        return new ClientConfig(
                "server " + url,
                withScheme(url, url.endsWith(":443") || url.endsWith(":6443")),
                ClientConfig.TlsFiles.STANDARD,
                ProxyEnvironment.of(environment),
                Credentials.NONE,
                Map.of());
    }

    /** Returns a configuration with a token file (null for none) and a CA file (null for the CAs of the JVM), which are reloaded. */
    ClientConfig bearer(String url, @Nullable Path token, @Nullable Path authorities, boolean verify) {
        return new ClientConfig(
                "server " + url,
                url,
                new ClientConfig.TlsFiles(new Pem("", authorities), Pem.NOTHING, Pem.NOTHING, verify, ""),
                ProxyEnvironment.of(environment),
                token == null ? Credentials.NONE : new TokenFile(token, System::nanoTime),
                Map.of());
    }

    boolean runsInCluster() {
        return !environment.getOrDefault("KUBERNETES_SERVICE_HOST", "").isEmpty() && Files.exists(serviceAccountToken);
    }

    /** Returns the configuration of the service account of the pod. Token and CA are reloaded. */
    ClientConfig inCluster() {
        if (!runsInCluster()) {
            throw new ClusterException(
                    "not in a cluster: KUBERNETES_SERVICE_HOST is not set or there is no " + serviceAccountToken);
        }
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        return new ClientConfig(
                "service account at " + serviceAccountToken,
                "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port,
                new ClientConfig.TlsFiles(
                        new Pem("", serviceAccountToken.resolveSibling("ca.crt")), Pem.NOTHING, Pem.NOTHING, true, ""),
                ProxyEnvironment.of(environment),
                new TokenFile(serviceAccountToken, System::nanoTime),
                Map.of());
    }

    static String withScheme(String server, boolean tls) {
        if (server.contains("://")) {
            return server;
        }
        return (tls ? "https://" : "http://") + server;
    }

    /**
     * A client configuration (rest.Config of client-go).
     *
     * @param place where it was read, for messages
     * @param server base URL, without a trailing slash
     * @param tls the certificates and keys
     * @param proxies the proxies; null for those of the system properties of the JVM
     * @param credentials the credentials of the client
     * @param headers headers of each request, such as those of impersonation; a name can have several values
     */
    record ClientConfig(
            String place,
            String server,
            TlsFiles tls,
            @Nullable ProxySelector proxies,
            Credentials credentials,
            Map<String, List<String>> headers) {
        public ClientConfig {
            while (server.endsWith("/")) {
                server = server.substring(0, server.length() - 1);
            }
            headers = Map.copyOf(headers);
        }

        /**
         * The sources of TLS settings.
         *
         * @param authorities empty for those that the JVM trusts
         * @param verify whether the certificate of the server is verified
         * @param serverName the name to verify and to send as SNI; empty for that of the URL
         */
        record TlsFiles(Pem authorities, Pem certificate, Pem key, boolean verify, String serverName) {
            static final TlsFiles STANDARD = new TlsFiles(Pem.NOTHING, Pem.NOTHING, Pem.NOTHING, true, "");
        }

        boolean usesTls() {
            return server.startsWith("https://");
        }
    }
}
