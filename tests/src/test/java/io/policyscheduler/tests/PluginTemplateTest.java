package io.policyscheduler.tests;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.sources.PluginLoader;
import io.policyscheduler.cmd.sources.PluginLoader.Digests;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Maven project policy-files/plugins/template compiles without warnings, its test passes, and its jar contains the plugin. */
class PluginTemplateTest {
    private static final Path TEMPLATE = RepositoryFiles.root().resolve("policy-files/plugins/template");
    private static final CycleState STATE = new StateKeys().newState();

    private static List<Path> sources(String folder) throws IOException {
        try (Stream<Path> files = Files.walk(TEMPLATE.resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
    }

    private static NodeInfo info(NodeBuilder node) {
        NodeInfo info = new NodeInfo(node.build().name());
        info.setNode(node.build(), Map.of());
        return info;
    }

    @Test
    void templateBuildsAPluginThatLoads(@TempDir Path folder) throws Exception {
        List<Path> all = Stream.concat(sources("src/main/java").stream(), sources("src/test/java").stream())
                .toList();
        new PluginJars(folder.resolve("with-test")).compile(all);
        new PluginJars(folder.resolve("main"))
                .compile(sources("src/main/java"))
                .add(
                        PluginJars.SERVICES,
                        Files.readString(TEMPLATE.resolve("src/main/resources").resolve(PluginJars.SERVICES)))
                .write(folder.resolve("jars/zone.jar"));
        Map<String, PluginFactory> plugins = PluginLoader.load(
                List.of(folder.resolve("jars")),
                Set.of(),
                Digests.NONE,
                getClass().getClassLoader());
        PluginFactory factory = Objects.requireNonNull(plugins.get("Zone"));
        ObjectMapper json = new ObjectMapper();
        FilterPlugin filter =
                (FilterPlugin) factory.create(new PluginLoaderTest.Handle(json.readTree("{\"zone\": \"eu-1\"}")));
        ScorePlugin score = (ScorePlugin) filter;
        NodeInfo near = info(node("a").label("topology.kubernetes.io/zone", "eu-1"));
        NodeInfo far = info(node("b").label("topology.kubernetes.io/zone", "eu-2"));
        assertEquals(Status.SUCCESS, filter.filter(STATE, pod("p").build(), far));
        assertEquals(
                Status.unresolvable("node(s) had no zone"), filter.filter(STATE, pod("p").build(), info(node("c"))));
        assertEquals(100, score.score(STATE, pod("p").build(), near));
        assertEquals(0, score.score(STATE, pod("p").build(), far));
        PluginException missing = assertThrows(
                PluginException.class, () -> factory.create(new PluginLoaderTest.Handle(json.readTree("{}"))));
        assertEquals("argument \"zone\" must be a text, such as eu-1", missing.getMessage());
    }

    /** {@code .ci/release} builds and tests both projects with Maven, and with nothing but the files of the release. */
    @Test
    void testWithAnEmbeddedClusterCompiles(@TempDir Path folder) throws Exception {
        Path test = RepositoryFiles.root()
                .resolve("policy-files/embedded/src/test/java/example/cluster/DeploymentTest.java");
        new PluginJars(folder.resolve("classes")).compile(List.of(test));
    }

    @ParameterizedTest
    @ValueSource(strings = {"plugins/template", "embedded"})
    void projectUsesTheVersionOfThisRepository(String project) throws IOException {
        assertEquals(
                between(RepositoryFiles.root().resolve("pom.xml"), "<version>", "</version>"),
                between(
                        RepositoryFiles.root()
                                .resolve("policy-files")
                                .resolve(project)
                                .resolve("pom.xml"),
                        "<policy-scheduler.version>",
                        "</policy-scheduler.version>"));
    }

    private static String between(Path file, String start, String end) throws IOException {
        String text = Files.readString(file);
        int from = text.indexOf(start) + start.length();
        return text.substring(from, text.indexOf(end, from));
    }
}
