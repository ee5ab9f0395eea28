package io.policyscheduler.cmd.kube.connection;

import com.google.common.base.Splitter;
import io.policyscheduler.cmd.kube.connection.ClientTls.Pem;
import io.policyscheduler.cmd.kube.connection.Credentials.TokenFile;
import io.policyscheduler.cmd.kube.connection.Kubeconfig.Resolver;
import java.io.File;
import java.net.ProxySelector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds and reads the client configuration, in kube-scheduler's order (cmd/kube-scheduler/app/options, client-go
 * BuildConfigFromFlags) with kubectl's places added: flags, $KUBECONFIG, ~/.kube/config, in-cluster.
 */
public final class ClientConfigLoader {
    private final Map<String, String> environment;
    private final Path home;
    private final Path serviceAccountToken;

    public ClientConfigLoader(Map<String, String> environment, Path home, Path serviceAccountToken) {
        this.environment = Map.copyOf(environment);
        this.home = home;
        this.serviceAccountToken = serviceAccountToken;
    }

    /**
     * The first of these places that has something.
     *
     * @param context of the kubeconfig; null for its current one
     * @throws ClusterException when there is nothing, or it cannot be used
     */
    public ClientConfig auto(@Nullable Path kubeconfig, @Nullable String master, @Nullable String context) {
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

    /** The current context of files that are merged; {@code master}, when given, replaces its server. */
    public ClientConfig kubeconfig(List<Path> files, @Nullable String master) {
        return kubeconfig(files, master, null);
    }

    private ClientConfig kubeconfig(List<Path> files, @Nullable String master, @Nullable String context) {
        Kubeconfig config = Kubeconfig.read(files);
        if (context != null) {
            config.use(context);
        }
        return new Resolver(config, environment).access(master == null ? "" : master);
    }

    public ClientConfig url(String url) {
        return new ClientConfig(
                withScheme(url, url.endsWith(":443") || url.endsWith(":6443")),
                ClientConfig.TlsFiles.STANDARD,
                ProxyEnvironment.of(environment),
                Credentials.NONE,
                Map.of());
    }

    /** Any server, by a token and authorities that are read again as they change; null for none, and for the usual ones. */
    public ClientConfig bearer(String url, @Nullable Path token, @Nullable Path authorities, boolean verify) {
        return new ClientConfig(
                url,
                new ClientConfig.TlsFiles(new Pem("", authorities), Pem.NOTHING, Pem.NOTHING, verify, ""),
                ProxyEnvironment.of(environment),
                token == null ? Credentials.NONE : new TokenFile(token, System::nanoTime),
                Map.of());
    }

    boolean runsInCluster() {
        return !environment.getOrDefault("KUBERNETES_SERVICE_HOST", "").isEmpty() && Files.exists(serviceAccountToken);
    }

    /** Token and authorities are read again as they rotate. */
    public ClientConfig inCluster() {
        if (!runsInCluster()) {
            throw new ClusterException(
                    "not in a cluster: KUBERNETES_SERVICE_HOST is not set or there is no " + serviceAccountToken);
        }
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        return new ClientConfig(
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
     * How to reach an API server, as configured.
     *
     * @param server base URL, without a trailing slash
     * @param tls what to trust, and which certificate to show
     * @param proxies which proxy to take; null for those of the Java machine's own properties
     * @param credentials who the client is
     * @param headers more headers of every request, such as those of impersonation; a name may have several values
     */
    public record ClientConfig(
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
         * What TLS is made of.
         *
         * @param authorities nothing for those that the Java machine trusts
         * @param verify whether the server's certificate is verified at all
         * @param serverName the name to verify and to ask for; empty for that of the URL
         */
        public record TlsFiles(Pem authorities, Pem certificate, Pem key, boolean verify, String serverName) {
            public static final TlsFiles STANDARD = new TlsFiles(Pem.NOTHING, Pem.NOTHING, Pem.NOTHING, true, "");
        }

        public boolean usesTls() {
            return server.startsWith("https://");
        }
    }
}
