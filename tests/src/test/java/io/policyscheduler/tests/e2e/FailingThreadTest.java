package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.tests.PluginJars;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An error in any thread ends the program with a message that names the thread. */
class FailingThreadTest {
    private static final String PLUGIN = """
            package example;
            import io.policyscheduler.engine.cluster.node.NodeInfo;
            import io.policyscheduler.engine.cluster.object.PodInfo;
            import io.policyscheduler.framework.plugin.CycleState;
            import io.policyscheduler.framework.plugin.FilterPlugin;
            import io.policyscheduler.framework.plugin.PreBindPlugin;
            import io.policyscheduler.framework.plugin.Status;
            public final class Failing implements FilterPlugin, PreBindPlugin {
                @Override
                public String name() {
                    return "Failing";
                }
                @Override
                public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
                    return pod.name().equals("filtered") ? deeper(pod, 1) : Status.SUCCESS;
                }
                private static Status deeper(PodInfo pod, int depth) {
                    return depth == 0 ? Status.SUCCESS : deeper(pod, depth + 1);
                }
                @Override
                public Status preBind(CycleState state, PodInfo pod, String node) {
                    throw new AssertionError("cannot be");
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
                    return Map.of("Failing", handle -> new Failing());
                }
            }
            """;
    private static final String CONFIGURATION = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles:
            - schedulerName: policy-scheduler
              plugins:
                multiPoint:
                  enabled:
                  - name: Failing
            """;

    private final Path folder;

    FailingThreadTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @ParameterizedTest
    @CsvSource({
        "filtered, scheduler, java.lang.StackOverflowError",
        "prepared, plugin-0, java.lang.AssertionError: cannot be"
    })
    void endsTheProgram(String pod, String thread, String error) throws IOException {
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        new PluginJars(Files.createDirectory(folder.resolve("work")))
                .compile(Map.of("example.Failing", PLUGIN, "example.Provider", PROVIDER))
                .provider("example.Provider")
                .write(plugins.resolve("failing.jar"));
        Path config = Files.writeString(folder.resolve("config.yaml"), CONFIGURATION);
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
                live.api().createPod(Manifest.pod(pod, "100m"));
                assertEquals(70, program.awaitEnd(), program::output);
                String line = "error: the thread " + thread + " failed; the process exits: " + error
                        + "; use --debug for the stack trace";
                assertEquals(1, program.output().lines().filter(line::equals).count(), program::output);
                assertTrue(
                        program.output()
                                        .lines()
                                        .filter(each -> each.startsWith("error: "))
                                        .count()
                                == 1,
                        program::output);
            }
        }
    }
}
