package io.policyscheduler.cmd.kube.access;

import com.google.common.base.Splitter;
import io.policyscheduler.cmd.kube.ClusterException;
import java.io.File;
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
    public ClusterAccess auto(@Nullable Path kubeconfig, @Nullable String master, @Nullable String context) {
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
    public ClusterAccess kubeconfig(List<Path> files, @Nullable String master) {
        return kubeconfig(files, master, null);
    }

    private ClusterAccess kubeconfig(List<Path> files, @Nullable String master, @Nullable String context) {
        Kubeconfig config = Kubeconfig.read(files);
        if (context != null) {
            config.use(context);
        }
        return new KubeconfigAccess(config, environment).access(master == null ? "" : master);
    }

    public ClusterAccess url(String url) {
        return new ClusterAccess(
                withScheme(url, url.endsWith(":443") || url.endsWith(":6443")),
                ClusterAccess.TlsFiles.STANDARD,
                ProxyEnvironment.of(environment),
                Credentials.NONE,
                Map.of());
    }

    /** Any server, by a token and authorities that are read again as they change; null for none, and for the usual ones. */
    public ClusterAccess bearer(String url, @Nullable Path token, @Nullable Path authorities, boolean verify) {
        return new ClusterAccess(
                url,
                new ClusterAccess.TlsFiles(
                        new PemSource("", authorities), PemSource.NOTHING, PemSource.NOTHING, verify, ""),
                ProxyEnvironment.of(environment),
                token == null ? Credentials.NONE : new TokenFile(token, System::nanoTime),
                Map.of());
    }

    boolean runsInCluster() {
        return !environment.getOrDefault("KUBERNETES_SERVICE_HOST", "").isEmpty() && Files.exists(serviceAccountToken);
    }

    /** Token and authorities are read again as they rotate. */
    public ClusterAccess inCluster() {
        if (!runsInCluster()) {
            throw new ClusterException(
                    "not in a cluster: KUBERNETES_SERVICE_HOST is not set or there is no " + serviceAccountToken);
        }
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        return new ClusterAccess(
                "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port,
                new ClusterAccess.TlsFiles(
                        new PemSource("", serviceAccountToken.resolveSibling("ca.crt")),
                        PemSource.NOTHING,
                        PemSource.NOTHING,
                        true,
                        ""),
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
}
