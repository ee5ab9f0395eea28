package io.policyscheduler.tests;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.plugins.PluginLoader;
import io.policyscheduler.cmd.plugins.PluginLoader.Digests;
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

    @Test
    void templateUsesTheVersionOfThisRepository() throws IOException {
        String own = Files.readString(RepositoryFiles.root().resolve("pom.xml"));
        String version = own.substring(own.indexOf("<version>") + "<version>".length(), own.indexOf("</version>"));
        String template = Files.readString(TEMPLATE.resolve("pom.xml"));
        assertEquals(
                version,
                template.substring(
                        template.indexOf("<policy-scheduler.version>") + "<policy-scheduler.version>".length(),
                        template.indexOf("</policy-scheduler.version>")));
    }
}
