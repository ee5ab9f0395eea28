package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.tests.PluginJars;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plugins of a jar write to the API server through the scheduler's connection. */
class ApiPluginTest {
    /** Annotates the pod before it is bound, and binds it with plain requests or client-java. */
    private static final String PLUGIN = """
            package example;
            import io.kubernetes.client.openapi.ApiClient;
            import io.kubernetes.client.openapi.ApiException;
            import io.kubernetes.client.openapi.apis.CoreV1Api;
            import io.policyscheduler.engine.cluster.object.PodInfo;
            import io.policyscheduler.framework.plugin.ApiConnection;
            import io.policyscheduler.framework.plugin.BindPlugin;
            import io.policyscheduler.framework.plugin.CycleState;
            import io.policyscheduler.framework.plugin.PluginHandle;
            import io.policyscheduler.framework.plugin.PreBindPlugin;
            import io.policyscheduler.framework.plugin.Status;
            import java.io.IOException;
            import java.nio.charset.StandardCharsets;
            public final class Writer implements PreBindPlugin, BindPlugin {
                private final ApiConnection api;
                private final boolean library;
                public Writer(PluginHandle handle) {
                    this.api = handle.api();
                    this.library = handle.args().path("library").asBoolean();
                }
                @Override
                public String name() {
                    return "Writer";
                }
                private static String path(PodInfo pod) {
                    return "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name();
                }
                @Override
                public Status preBind(CycleState state, PodInfo pod, String node) {
                    String patch = "{\\"metadata\\":{\\"annotations\\":{\\"node\\":\\"" + node + "\\"}}}";
                    if (!library) {
                        return send("PATCH", path(pod), "application/merge-patch+json", patch);
                    }
                    try {
                        ApiClient client = api.unwrap(ApiClient.class).orElseThrow();
                        new CoreV1Api(client)
                                .listNamespacedPod(pod.namespace())
                                .execute();
                        return send("PATCH", path(pod), "application/merge-patch+json", patch.replace("node\\":\\"", "node\\":\\"by-library-"));
                    } catch (ApiException e) {
                        return Status.error(e.getMessage());
                    }
                }
                @Override
                public Status bind(CycleState state, PodInfo pod, String node) {
                    return send("POST", path(pod) + "/binding", null,
                            "{\\"apiVersion\\":\\"v1\\",\\"kind\\":\\"Binding\\",\\"metadata\\":{\\"name\\":\\"" + pod.name()
                                    + "\\"},\\"target\\":{\\"kind\\":\\"Node\\",\\"name\\":\\"" + node + "\\"}}");
                }
                private Status send(String method, String path, String type, String body) {
                    try {
                        ApiConnection.Response response =
                                api.request(method, path, type, body.getBytes(StandardCharsets.UTF_8));
                        return response.isSuccess() ? Status.SUCCESS : Status.error(response.text());
                    } catch (IOException e) {
                        return Status.error(e.getMessage());
                    }
                }
            }
            """;

    private static final String PROVIDER = """
            package example;
            import io.policyscheduler.framework.plugin.PluginFactory;
            import io.policyscheduler.framework.plugin.PluginProvider;
            import java.util.Map;
            public final class Provider implements PluginProvider {
                @Override
                public Map<String, PluginFactory> plugins() {
                    return Map.of("Writer", Writer::new);
                }
            }
            """;

    /** The configuration replaces the default binder, so that only the plugin can bind. */
    private static String configuration(boolean library) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: false}
                profiles:
                - schedulerName: policy-scheduler
                  plugins:
                    preBind: {enabled: [{name: Writer}]}
                    bind: {disabled: [{name: '*'}], enabled: [{name: Writer}]}
                  pluginConfig: [{name: Writer, args: {library: %s}}]
                """.formatted(library);
    }

    private final Path folder;

    ApiPluginTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @ParameterizedTest
    @CsvSource({"false, n", "true, by-library-n"})
    void aPluginBinds(boolean library, String annotation) throws IOException {
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        new PluginJars(Files.createDirectory(folder.resolve("work")))
                .compile(Map.of("example.Writer", PLUGIN, "example.Provider", PROVIDER))
                .provider("example.Provider")
                .write(plugins.resolve("writer.jar"));
        Path config = Files.writeString(folder.resolve("config.yaml"), configuration(library));
        try (LiveCluster live = new LiveCluster()) {
            live.cluster().load(Manifest.node("n", "4"));
            try (Program program = Program.start(
                    folder,
                    "run",
                    "--master",
                    live.cluster().url(),
                    "--config",
                    config.toString(),
                    "--plugin-path",
                    plugins.toString())) {
                program.awaitOutput("scheduling pods of policy-scheduler");
                live.api().createPod(Manifest.pod("p", "100m"));
                live.awaitBound("p");
                try (KubeConnection connection =
                        KubeConnection.fromUrl(live.cluster().url())) {
                    JsonNode pod =
                            connection.get("/api/v1/namespaces/default/pods/p").json();
                    assertEquals(
                            List.of("n", annotation),
                            List.of(
                                    pod.at("/spec/nodeName").asText(),
                                    pod.at("/metadata/annotations/node").asText()),
                            program::output);
                }
            }
        }
    }
}
