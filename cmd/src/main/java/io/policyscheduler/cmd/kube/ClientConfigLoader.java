package io.policyscheduler.cmd.kube;

import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.credentials.KubeconfigAuthentication;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds and reads the client configuration, in kube-scheduler's order (cmd/kube-scheduler/app/options, client-go
 * BuildConfigFromFlags) with kubectl's places added: flags, $KUBECONFIG, ~/.kube/config, in-cluster.
 */
final class ClientConfigLoader {
    /** Tokens of exec plug-ins and token files are asked for again this often, and after a 401. */
    private static final Duration TOKEN_REFRESH = Duration.ofMinutes(5);

    private final Map<String, String> environment;
    private final Path home;
    private final Path serviceAccountToken;

    ClientConfigLoader(Map<String, String> environment, Path home, Path serviceAccountToken) {
        this.environment = Map.copyOf(environment);
        this.home = home;
        this.serviceAccountToken = serviceAccountToken;
    }

    ClientBuilder auto(@Nullable Path kubeconfig, @Nullable String master) {
        if (kubeconfig != null) {
            return kubeconfig(kubeconfig, master);
        }
        if (master != null && !master.isEmpty()) {
            return url(master);
        }
        String listed = environment.getOrDefault("KUBECONFIG", "");
        if (!listed.isEmpty()) {
            for (String file : listed.split(Pattern.quote(File.pathSeparator), -1)) {
                if (!file.isEmpty() && Files.exists(Path.of(file))) {
                    return kubeconfig(Path.of(file), null);
                }
            }
            throw new ClusterException("KUBECONFIG=" + listed + ": no such file");
        }
        Path personal = home.resolve(".kube").resolve("config");
        if (Files.exists(personal)) {
            return kubeconfig(personal, null);
        }
        if (runsInCluster()) {
            return inCluster();
        }
        throw new ClusterException(
                "no cluster configured: give --kubeconfig or --master, set KUBECONFIG, or run in a pod"
                        + " (there is no " + personal + ", and no service account at " + serviceAccountToken + ")");
    }

    ClientBuilder kubeconfig(Path file, @Nullable String master) {
        try (Reader reader = Files.newBufferedReader(file)) {
            KubeConfig config = KubeConfig.loadKubeConfig(reader);
            config.setFile(file.toAbsolutePath().toFile());
            return fromConfig(file, config, master);
        } catch (NoSuchFileException e) {
            throw new ClusterException("kubeconfig " + file + ": no such file", e);
        } catch (IOException e) {
            throw new ClusterException("kubeconfig " + file + ": cannot be read: " + describe(e), e);
        } catch (ClusterException e) {
            throw e;
        } catch (RuntimeException e) {
            // KubeConfig casts and dereferences what it finds: any mistake in the file surfaces as a RuntimeException
            throw new ClusterException("kubeconfig " + file + ": not a valid kubeconfig: " + describe(e), e);
        }
    }

    // client-java has no way to name another server, hence its ClientBuilder.kubeconfig() spelled out.
    private static ClientBuilder fromConfig(Path file, KubeConfig config, @Nullable String master) throws IOException {
        @Nullable String configured = config.getServer();
        String server = master == null || master.isEmpty() ? configured : master;
        if (server == null) {
            throw new ClusterException("kubeconfig " + file + ": current-context \"" + config.getCurrentContext()
                    + "\" does not lead to a cluster with a server");
        }
        byte @Nullable [] authority = config.getDataOrFileRelative(
                config.getCertificateAuthorityData(), config.getCertificateAuthorityFile());
        // verifySSL() says false when the context has no cluster entry at all: never take that for a wish
        boolean verify = configured == null || config.verifySSL();
        boolean tls = authority != null
                || !verify
                || config.getClientCertificateData() != null
                || config.getClientCertificateFile() != null;
        ClientBuilder builder = new ClientBuilder();
        builder.setBasePath(withScheme(server, tls));
        builder.setVerifyingSsl(verify);
        if (authority != null) {
            builder.setCertificateAuthority(authority);
        }
        @Nullable String serverName = config.getTlsServerName();
        if (serverName != null) {
            builder.setTlsServerName(serverName);
        }
        builder.setAuthentication(new KubeconfigAuthentication(config, TOKEN_REFRESH));
        return builder;
    }

    ClientBuilder url(String url) {
        return new ClientBuilder().setBasePath(withScheme(url, url.endsWith(":443") || url.endsWith(":6443")));
    }

    boolean runsInCluster() {
        return !environment.getOrDefault("KUBERNETES_SERVICE_HOST", "").isEmpty() && Files.exists(serviceAccountToken);
    }

    ClientBuilder inCluster() {
        if (!runsInCluster()) {
            throw new ClusterException(
                    "not in a cluster: KUBERNETES_SERVICE_HOST is not set or there is no " + serviceAccountToken);
        }
        try {
            return ClientBuilder.cluster();
        } catch (IOException | RuntimeException e) {
            throw new ClusterException("in-cluster configuration: " + describe(e), e);
        }
    }

    private static String withScheme(String server, boolean tls) {
        if (server.contains("://")) {
            return server;
        }
        return (tls ? "https://" : "http://") + server;
    }

    /** An exception on one line; our own need no class name. */
    static String describe(Throwable e) {
        String message = e.getMessage();
        if (e instanceof ApiIoException && message != null) {
            return message;
        }
        String kind = e.getClass().getSimpleName();
        return message == null
                ? kind
                : kind + ": " + message.lines().findFirst().orElse("").strip();
    }
}
