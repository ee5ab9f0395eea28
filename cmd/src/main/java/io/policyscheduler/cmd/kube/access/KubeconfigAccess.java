package io.policyscheduler.cmd.kube.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubernetes.client.util.KubeConfig;
import io.policyscheduler.cmd.kube.ClusterException;
import java.io.File;
import java.io.IOException;
import java.net.ProxySelector;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the current context of a kubeconfig says about the way to the server (client-go clientcmd). */
final class KubeconfigAccess {
    private final Kubeconfig config;
    private final Map<String, String> environment;
    private final Kubeconfig.Entry cluster;
    private final Kubeconfig.Entry user;

    /** @param environment of this process, for its proxies */
    KubeconfigAccess(Kubeconfig config, Map<String, String> environment) {
        this.config = config;
        this.environment = environment;
        this.cluster = config.cluster();
        this.user = config.user();
    }

    /**
     * Reads it.
     *
     * @param master replaces the server; empty for that of the cluster
     * @throws ClusterException when it does not lead to a server
     */
    ClusterAccess access(String master) {
        String server = master.isEmpty() ? cluster.text("server") : master;
        if (server.isEmpty()) {
            throw new ClusterException(config.where() + ": current-context \"" + config.currentContext()
                    + "\" has no cluster with a server");
        }
        ClusterAccess.TlsFiles tls = new ClusterAccess.TlsFiles(
                cluster.pem("certificate-authority"),
                user.pem("client-certificate"),
                user.pem("client-key"),
                !cluster.node().path("insecure-skip-tls-verify").asBoolean(false),
                cluster.text("tls-server-name"));
        boolean speaksTls = tls.authorities().isGiven()
                || !tls.verify()
                || tls.certificate().isGiven();
        return new ClusterAccess(
                ClientConfigLoader.withScheme(server, speaksTls), tls, proxies(), credentials(server), impersonation());
    }

    private @Nullable ProxySelector proxies() {
        String url = cluster.text("proxy-url");
        return url.isEmpty()
                ? ProxyEnvironment.of(environment)
                : ProxyEnvironment.always(ProxyAddress.of(
                        url, "kubeconfig " + cluster.file() + ": proxy-url of cluster \"" + cluster.name() + "\""));
    }

    private Credentials credentials(String server) {
        JsonNode node = user.node();
        Path tokenFile = user.path("tokenFile");
        if (node.path("exec").isObject()) {
            return exec(node.path("exec"), server);
        }
        if (node.path("auth-provider").isObject()) {
            return authProvider();
        }
        if (tokenFile != null) {
            return new TokenFile(tokenFile, System::nanoTime);
        }
        if (!user.text("token").isEmpty()) {
            return Credentials.token(user.text("token"));
        }
        if (!user.text("username").isEmpty()) {
            return Credentials.basic(user.text("username"), user.text("password"));
        }
        return Credentials.NONE;
    }

    private Map<String, List<String>> impersonation() {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        put(headers, "Impersonate-User", user.node().path("as"));
        put(headers, "Impersonate-Uid", user.node().path("as-uid"));
        put(headers, "Impersonate-Group", user.node().path("as-groups"));
        user.node()
                .path("as-user-extra")
                .properties()
                .forEach(extra -> put(headers, "Impersonate-Extra-" + extra.getKey(), extra.getValue()));
        return headers;
    }

    private static void put(Map<String, List<String>> headers, String name, JsonNode value) {
        List<String> values = new ArrayList<>();
        if (value.isArray()) {
            value.forEach(each -> values.add(each.asText()));
        } else if (!value.asText("").isEmpty()) {
            values.add(value.asText());
        }
        if (!values.isEmpty()) {
            headers.put(name, List.copyOf(values));
        }
    }

    private ExecPlugin exec(JsonNode exec, String server) {
        String where = "kubeconfig " + user.file() + ": exec of user \"" + user.name() + "\": ";
        String command = exec.path("command").asText("");
        String version = exec.path("apiVersion").asText("");
        if (command.isEmpty()) {
            throw new ClusterException(where + "there is no command");
        }
        if (!ExecPlugin.isVersion(version)) {
            throw new ClusterException(where + "apiVersion \"" + version
                    + "\" is not one of client.authentication.k8s.io/v1, v1beta1 and v1alpha1");
        }
        if (exec.path("interactiveMode").asText("").equals("Always")) {
            throw new ClusterException(where + "interactiveMode is Always, but the scheduler has no terminal");
        }
        // A path, other than a name, is relative to the file.
        String resolved = command.contains(File.separator)
                ? user.file()
                        .toAbsolutePath()
                        .resolveSibling(command)
                        .normalize()
                        .toString()
                : command;
        List<String> arguments = new ArrayList<>();
        exec.path("args").forEach(argument -> arguments.add(argument.asText()));
        Map<String, String> added = new LinkedHashMap<>();
        exec.path("env")
                .forEach(each ->
                        added.put(each.path("name").asText(), each.path("value").asText("")));
        return new ExecPlugin(
                new ExecPlugin.Program(
                        resolved,
                        arguments,
                        added,
                        version,
                        exec.path("installHint").asText(""),
                        info(version, exec.path("provideClusterInfo").asBoolean(false), server)
                                .toString()),
                ExecPlugin.TIMEOUT,
                InstantSource.system());
    }

    private ObjectNode info(String version, boolean withCluster, String server) {
        ObjectNode info = JsonNodeFactory.instance
                .objectNode()
                .put("kind", "ExecCredential")
                .put("apiVersion", version);
        ObjectNode spec = info.putObject("spec").put("interactive", false);
        if (withCluster) {
            ObjectNode told = spec.putObject("cluster").put("server", server);
            for (String field : List.of("tls-server-name", "insecure-skip-tls-verify", "proxy-url")) {
                if (cluster.node().has(field)) {
                    told.set(field, cluster.node().get(field));
                }
            }
            String authorities = authorities();
            if (!authorities.isEmpty()) {
                told.put(
                        "certificate-authority-data",
                        Base64.getEncoder().encodeToString(authorities.getBytes(StandardCharsets.ISO_8859_1)));
            }
            for (JsonNode extension : cluster.node().path("extensions")) {
                if (extension.path("name").asText().equals("client.authentication.k8s.io/exec")) {
                    told.set("config", extension.path("extension"));
                }
            }
        }
        return info;
    }

    private String authorities() {
        try {
            return cluster.pem("certificate-authority").read();
        } catch (IOException e) {
            throw new ClusterException("kubeconfig " + cluster.file() + ": " + e.getMessage(), e);
        }
    }

    private AuthProvider authProvider() {
        ObjectMapper mapper = new ObjectMapper();
        ArrayList<Object> contexts =
                new ArrayList<>(List.of(Map.of("name", "only", "context", Map.of("cluster", "only", "user", "only"))));
        ArrayList<Object> clusters = new ArrayList<>(List.of(Map.of("name", "only", "cluster", Map.of())));
        ArrayList<Object> users =
                new ArrayList<>(List.of(Map.of("name", "only", "user", mapper.convertValue(user.node(), Map.class))));
        KubeConfig single = new KubeConfig(contexts, clusters, users);
        single.setContext("only");
        single.setFile(user.file().toAbsolutePath().toFile());
        return new AuthProvider(single, System::nanoTime);
    }
}
