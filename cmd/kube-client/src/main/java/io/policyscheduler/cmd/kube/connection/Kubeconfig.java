package io.policyscheduler.cmd.kube.connection;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubernetes.client.util.KubeConfig;
import io.policyscheduler.cmd.kube.connection.ClientConfigLoader.ClientConfig;
import io.policyscheduler.cmd.kube.connection.ClientTls.Pem;
import io.policyscheduler.cmd.kube.connection.Credentials.AuthProvider;
import io.policyscheduler.cmd.kube.connection.Credentials.TokenFile;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.kube.connection.ProxyEnvironment.ProxyAddress;
import io.policyscheduler.engine.document.TextInput;
import io.policyscheduler.engine.document.YamlJsonFactory;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One or several kubeconfig files, merged as kubectl does: the first file that has a named entry, or the current context, provides it.
 * {@code KubeConfig} of client-java reads one file, and does not offer the entries, so that proxies, impersonation, and exec plugins
 * would need a second reader. For {@code auth-provider} it gets the user ({@link Resolver}).
 */
final class Kubeconfig {
    /**
     * A named entry.
     *
     * @param file the file that has the entry; relative paths in the entry are relative to its folder
     * @param node a missing node if there is no such entry
     */
    record Entry(Path file, String name, JsonNode node) {
        /** Returns the text of a field; empty if it is missing. */
        String text(String field) {
            return node.path(field).asText("");
        }

        /** Returns a path, relative to the file; null if the field is missing. */
        @Nullable
        Path path(String field) {
            String text = text(field);
            return text.isEmpty()
                    ? null
                    : file.toAbsolutePath().resolveSibling(text).normalize();
        }

        /** Returns certificates or a key: {@code NAME-data} or the file {@code NAME}. */
        Pem pem(String field) {
            return new Pem(text(field + "-data"), path(field));
        }
    }

    private final List<Path> files;
    private final Map<String, Entry> clusters = new LinkedHashMap<>();
    private final Map<String, Entry> users = new LinkedHashMap<>();
    private final Map<String, Entry> contexts = new LinkedHashMap<>();
    private String currentContext = "";

    private Kubeconfig(List<Path> files) {
        this.files = List.copyOf(files);
    }

    /**
     * Reads files.
     *
     * @throws ClusterException if a file is missing or is not a kubeconfig
     */
    static Kubeconfig read(List<Path> files) {
        Kubeconfig config = new Kubeconfig(files);
        for (Path file : files) {
            config.add(file);
        }
        return config;
    }

    private void add(Path file) {
        JsonNode root;
        try {
            root = new ObjectMapper(new YamlJsonFactory()).readTree(TextInput.decode(TextInput.read(file)));
        } catch (JsonProcessingException e) {
            throw new ClusterException(
                    "kubeconfig " + file + ": not a valid kubeconfig: "
                            + String.valueOf(e.getOriginalMessage())
                                    .lines()
                                    .findFirst()
                                    .orElse(""),
                    e);
        } catch (IOException e) {
            throw new ClusterException("kubeconfig " + file + ": " + ApiIoException.describe(e), e);
        }
        if (!root.isObject()) {
            if (root.isMissingNode() || root.isNull()) {
                return;
            }
            throw new ClusterException("kubeconfig " + file + ": not a valid kubeconfig: not an object");
        }
        addAll(file, root, "clusters", "cluster", clusters);
        addAll(file, root, "users", "user", users);
        addAll(file, root, "contexts", "context", contexts);
        if (currentContext.isEmpty()) {
            currentContext = root.path("current-context").asText("");
        }
    }

    private static void addAll(Path file, JsonNode root, String list, String field, Map<String, Entry> to) {
        JsonNode items = root.path(list);
        if (!items.isArray() && !items.isMissingNode() && !items.isNull()) {
            throw new ClusterException("kubeconfig " + file + ": not a valid kubeconfig: " + list + " is not a list");
        }
        for (JsonNode item : items) {
            String name = item.path("name").asText("");
            to.putIfAbsent(name, new Entry(file, name, item.path(field)));
        }
    }

    /** Returns the files for messages. */
    String where() {
        return "kubeconfig " + files.stream().map(Path::toString).collect(Collectors.joining(", "));
    }

    /**
     * Replaces the current context.
     *
     * @throws ClusterException if there is no context of this name
     */
    void use(String context) {
        if (!contexts.containsKey(context)) {
            String there = contexts.isEmpty() ? "it has none" : "there are " + String.join(", ", contexts.keySet());
            throw new ClusterException(where() + ": no context \"" + context + "\"; " + there);
        }
        currentContext = context;
    }

    /** Returns the cluster of the current context. */
    Entry cluster() {
        return referred("cluster", clusters);
    }

    /** Returns the user of the current context. */
    Entry user() {
        return referred("user", users);
    }

    /** Returns why there is no server, with the fix. */
    private String missingServer() {
        if (contexts.isEmpty() && clusters.isEmpty()) {
            return "not a kubeconfig: it has neither contexts nor clusters";
        }
        if (contexts.containsKey(currentContext)) {
            return "current-context \"" + currentContext + "\" has no cluster with a server";
        }
        return (currentContext.isEmpty() ? "no current-context" : "no context \"" + currentContext + "\"")
                + (contexts.isEmpty() ? "" : "; set current-context to " + String.join(" or ", contexts.keySet()));
    }

    private Entry referred(String field, Map<String, Entry> entries) {
        Path first = files.get(0);
        Entry context = contexts.get(currentContext);
        String name = context == null ? "" : context.text(field);
        Entry entry = entries.get(name);
        return entry == null ? new Entry(first, name, MissingNode.getInstance()) : entry;
    }

    /** The resolver of the current context of a kubeconfig to a client configuration (client-go clientcmd). */
    static final class Resolver {
        private final Kubeconfig config;
        private final Map<String, String> environment;
        private final Kubeconfig.Entry cluster;
        private final Kubeconfig.Entry user;

        /** @param environment of this process, for its proxies */
        Resolver(Kubeconfig config, Map<String, String> environment) {
            this.config = config;
            this.environment = environment;
            this.cluster = config.cluster();
            this.user = config.user();
        }

        /**
         * Returns the client configuration.
         *
         * @param master replaces the server; empty for that of the cluster
         * @throws ClusterException if there is no server, or an entry is invalid
         */
        ClientConfig access(String master) {
            String server = master.isEmpty() ? cluster.text("server") : master;
            if (server.isEmpty()) {
                throw new ClusterException(config.where() + ": " + config.missingServer());
            }
            ClientConfig.TlsFiles tls = new ClientConfig.TlsFiles(
                    cluster.pem("certificate-authority"),
                    user.pem("client-certificate"),
                    user.pem("client-key"),
                    !cluster.node().path("insecure-skip-tls-verify").asBoolean(false),
                    cluster.text("tls-server-name"));
            boolean speaksTls = tls.authorities().isGiven()
                    || !tls.verify()
                    || tls.certificate().isGiven();
            return new ClientConfig(
                    config.where() + ", cluster \"" + cluster.name() + "\", user \"" + user.name() + "\"",
                    ClientConfigLoader.withScheme(server, speaksTls),
                    tls,
                    proxies(),
                    credentials(server),
                    impersonation());
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
            // Unlike a name, a path is relative to the file.
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
                    .forEach(each -> added.put(
                            each.path("name").asText(), each.path("value").asText("")));
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
                ObjectNode clusterInfo = spec.putObject("cluster").put("server", server);
                for (String field : List.of("tls-server-name", "insecure-skip-tls-verify", "proxy-url")) {
                    if (cluster.node().has(field)) {
                        clusterInfo.set(field, cluster.node().get(field));
                    }
                }
                String authorities = authorities();
                if (!authorities.isEmpty()) {
                    clusterInfo.put(
                            "certificate-authority-data",
                            Base64.getEncoder().encodeToString(authorities.getBytes(StandardCharsets.ISO_8859_1)));
                }
                for (JsonNode extension : cluster.node().path("extensions")) {
                    if (extension.path("name").asText().equals("client.authentication.k8s.io/exec")) {
                        clusterInfo.set("config", extension.path("extension"));
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
            ArrayList<Object> contexts = new ArrayList<>(
                    List.of(Map.of("name", "only", "context", Map.of("cluster", "only", "user", "only"))));
            ArrayList<Object> clusters = new ArrayList<>(List.of(Map.of("name", "only", "cluster", Map.of())));
            ArrayList<Object> users = new ArrayList<>(
                    List.of(Map.of("name", "only", "user", mapper.convertValue(user.node(), Map.class))));
            KubeConfig single = new KubeConfig(contexts, clusters, users);
            single.setContext("only");
            single.setFile(user.file().toAbsolutePath().toFile());
            return new AuthProvider(single, System::nanoTime);
        }
    }
}
