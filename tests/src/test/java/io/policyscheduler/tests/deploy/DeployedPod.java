package io.policyscheduler.tests.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The container of a pod, started as a kubelet would: with its arguments, mounted files, and service account. Only paths and ports are local. */
final class DeployedPod {
    private static final String CONFIG = """
            apiVersion: v1
            kind: Config
            clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
            users: [{name: u, user: {token: "%s"%s}}]
            contexts: [{name: x, context: {cluster: c, user: u}}]
            current-context: x
            """;

    private final Admin admin;
    private final Path folder;
    private final JsonNode spec;
    private final Path kubeconfig;
    private final Map<String, Path> hostPaths;
    private final int securePort;

    private DeployedPod(Admin admin, Path folder, JsonNode spec, String credentials, Map<String, Path> hostPaths) {
        this.admin = admin;
        this.folder = folder;
        this.spec = spec;
        this.hostPaths = hostPaths;
        try {
            this.kubeconfig = Files.writeString(folder.resolve("kubeconfig"), credentials);
            try (ServerSocket free = new ServerSocket(0)) {
                this.securePort = free.getLocalPort();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a process with a token of its service account. */
    static DeployedPod ofServiceAccount(Admin admin, Path folder, JsonNode spec) {
        String token = admin.tokenOf(spec.path("serviceAccountName").asText());
        return new DeployedPod(admin, folder, spec, CONFIG.formatted(admin.url(), token, ""), Map.of());
    }

    /**
     * Returns a process with a kubeconfig of the node.
     *
     * @param user the user of its kubeconfig
     * @param kubeconfigPath where the kubeconfig is on the node
     * @param hostPaths other files and folders of the node, and their local copies
     */
    static DeployedPod ofNode(
            Admin admin, Path folder, JsonNode spec, String user, String kubeconfigPath, Map<String, Path> hostPaths) {
        String credentials = CONFIG.formatted(admin.url(), admin.token(), ", as: \"" + user + "\"");
        Map<String, Path> all = new TreeMap<>(hostPaths);
        all.put(kubeconfigPath, folder.resolve("kubeconfig"));
        return new DeployedPod(admin, folder, spec, credentials, all);
    }

    /** Returns the address of its secure port, if it opens one. */
    int securePort() {
        return securePort;
    }

    Program start() {
        JsonNode container = spec.at("/containers/0");
        Map<String, Path> mounts = mounts(container);
        List<String> arguments = new ArrayList<>();
        boolean connected = false;
        for (JsonNode each : container.path("args")) {
            String argument = each.asText();
            connected |= argument.startsWith("--kubeconfig=");
            for (Map.Entry<String, Path> mount : mounts.entrySet()) {
                argument = argument.replace(mount.getKey(), mount.getValue().toString());
            }
            arguments.add(argument.replaceAll("^--port=\\d+$", "--port=0")
                    .replaceAll("^--bind-address=.*$", "--bind-address=127.0.0.1")
                    .replaceAll("^--secure-port=\\d+$", "--secure-port=" + securePort)
                    .replaceAll("^--status-address=.*$", "--status-address=127.0.0.1:0"));
        }
        if (!connected) {
            arguments.add("--kubeconfig=" + kubeconfig);
        }
        return Program.start(folder, arguments.toArray(String[]::new));
    }

    private Map<String, Path> mounts(JsonNode container) {
        Map<String, Path> mounts = new TreeMap<>();
        for (JsonNode mount : container.path("volumeMounts")) {
            for (JsonNode volume : spec.path("volumes")) {
                if (volume.path("name").equals(mount.path("name")) && !volume.has("emptyDir")) {
                    mounts.put(mount.path("mountPath").asText(), content(volume));
                }
            }
        }
        return mounts;
    }

    private Path content(JsonNode volume) {
        String map = volume.at("/configMap/name").asText();
        if (map.isEmpty()) {
            String path = volume.at("/hostPath/path").asText();
            Path here = hostPaths.get(path);
            if (here == null) {
                throw new IllegalStateException("nothing here is " + volume);
            }
            return here;
        }
        try {
            Path to = Files.createDirectories(folder.resolve("volume-" + map));
            for (Map.Entry<String, JsonNode> file : admin.get("/api/v1/namespaces/kube-system/configmaps/" + map)
                    .path("data")
                    .properties()) {
                Files.writeString(to.resolve(file.getKey()), file.getValue().asText());
            }
            return to;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
