package io.policyscheduler.tests;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.plugins.PluginLoader;
import io.policyscheduler.cmd.plugins.PluginLoader.Digests;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginRegistry;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The samples of policy-files/plugins compile against this program, load from jars and do what their pages say. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SamplePluginsTest {
    private static final Path SAMPLES =
            RepositoryFiles.root().resolve("policy-files").resolve("plugins");
    private static final PodInfo POD = pod("p").build();
    private static final CycleState STATE = new StateKeys().newState();
    private static final String OTHER_TYPE = "node(s) were not of type node-type=special";

    private Map<String, PluginFactory> factories = Map.of();
    private Map<String, PluginFactory> builtIn = Map.of();

    @BeforeAll
    void load(@TempDir Path temp) throws Exception {
        Path jars = temp.resolve("jars");
        for (String sample : List.of("node-type-filter", "pod-density-score")) {
            Path sources = SAMPLES.resolve(sample).resolve("src");
            List<Path> files;
            try (Stream<Path> all = Files.walk(sources)) {
                files = all.filter(file -> file.toString().endsWith(".java")).toList();
            }
            new PluginJars(temp.resolve(sample))
                    .compile(files)
                    .add(PluginJars.SERVICES, Files.readString(sources.resolve(PluginJars.SERVICES)))
                    .write(jars.resolve(sample + ".jar"));
        }
        builtIn = new InTreePlugins(Algorithms.registry(), FeatureGates.defaults(), name -> "").factories();
        factories = PluginLoader.load(
                List.of(jars), builtIn.keySet(), Digests.NONE, getClass().getClassLoader());
        // Classes are loaded when they are first used, which must be before the jars are deleted.
        make("NodeTypeFilter", "{}");
        make("PodDensityScore", "{}");
    }

    private Plugin make(String name, String args) throws Exception {
        PluginFactory factory = factories.get(name);
        assertNotNull(factory);
        return factory.create(new PluginLoaderTest.Handle(new ObjectMapper().readTree(args)));
    }

    private FilterPlugin filter(String args) throws Exception {
        return (FilterPlugin) make("NodeTypeFilter", args);
    }

    private static NodeInfo info(NodeBuilder node, int pods) {
        NodeInfo info = new NodeInfo(node.build().name());
        info.setNode(node.build(), Map.of());
        for (int i = 0; i < pods; i++) {
            info.addPod(pod("p" + i).uid("u" + i).onNode(info.name()).build());
        }
        return info;
    }

    @Test
    void bothAreFound() {
        assertEquals(List.of("NodeTypeFilter", "PodDensityScore"), List.copyOf(factories.keySet()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                  | node-type | special | true",
                "{}                                  | node-type | plain   | false",
                "{}                                  | node-type | ''      | false",
                "{}                                  | type      | special | false",
                "{\"label\": \"disk\"}                 | disk      | special | true",
                "{\"label\": \"disk\"}                 | node-type | special | false",
                "{\"value\": \"gpu\"}                  | node-type | gpu     | true",
                "{\"value\": \"gpu\"}                  | node-type | special | false",
                "{\"label\":\"disk\",\"value\":\"ssd\"}    | disk      | ssd     | true",
                "{\"label\":\"disk\",\"value\":\"ssd\"}    | disk      | SSD     | false",
                "{\"label\": null}                   | node-type | special | true",
            })
    void nodesOfOneTypePass(String args, String key, String value, boolean passes) throws Exception {
        NodeInfo node = info(node("n").label(key, value), 0);
        assertEquals(passes, filter(args).filter(STATE, POD, node).isSuccess());
    }

    @Test
    void theRejectionNamesTheType() throws Exception {
        assertEquals(Status.unschedulable(OTHER_TYPE), filter("{}").filter(STATE, POD, info(node("n"), 0)));
        assertEquals(
                Status.unschedulable("node(s) were not of type disk=ssd"),
                filter("{\"label\":\"disk\",\"value\":\"ssd\"}").filter(STATE, POD, info(node("n"), 0)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"label\": 7}     | argument \"label\" must be a text, not 7",
                "{\"label\": \"\"}    | argument \"label\" must be a text, not \"\"",
                "{\"value\": [\"a\"]} | argument \"value\" must be a text, not [\"a\"]",
                "{\"lable\": \"a\"}   | unknown argument \"lable\"; there are label and value",
            })
    void wrongArgumentsAreRefused(String args, String message) {
        assertEquals(
                message, assertThrows(PluginException.class, () -> filter(args)).getMessage());
    }

    @Test
    void aNodeOfTheTypeMayHelp() throws Exception {
        RequeueHints hints = (RequeueHints) filter("{}");
        assertEquals(Set.of(ClusterEvent.NODE_ADD, ClusterEvent.NODE_LABEL_CHANGE), hints.events());
        ClusterObject special = node("n").label("node-type", "special").build();
        assertTrue(hints.mayHelp(POD, ClusterEvent.NODE_ADD, special));
        assertEquals(false, hints.mayHelp(POD, ClusterEvent.NODE_ADD, node("n").build()));
    }

    @ParameterizedTest
    @CsvSource({
        "0;1;2, 100;50;0",
        "5;5;5, 95;95;95",
        "3, 97",
        "150;150, 0;0",
        "0;110, 100;0",
        "10;20;40, 100;66;0",
        "150;120, 0;100",
        "1;0;3;0, 66;100;0;100",
    })
    void nodesWithFewPodsAreBetter(String pods, String scores) throws Exception {
        ScorePlugin plugin = (ScorePlugin) make("PodDensityScore", "{}");
        List<NodeInfo> nodes = new ArrayList<>();
        for (String count : Splitter.on(';').split(pods)) {
            nodes.add(info(node("n" + nodes.size()), Integer.parseInt(count)));
        }
        long[] values =
                nodes.stream().mapToLong(node -> plugin.score(STATE, POD, node)).toArray();
        assertEquals(ScorePlugin.MAX_SCORE - nodes.get(0).podCount(), values[0]);
        assertEquals(Status.SUCCESS, plugin.normalizeScores(STATE, POD, nodes, values));
        assertArrayEquals(
                Splitter.on(';')
                        .splitToStream(scores)
                        .mapToLong(Long::parseLong)
                        .toArray(),
                values);
    }

    private Decision decide(String sample, ClusterState cluster) throws Exception {
        Path file = SAMPLES.resolve(sample).resolve("config.yaml");
        SchedulerConfiguration configuration = new ConfigurationReader().read(Files.readString(file), file.toString());
        new ConfigurationValidator().check(configuration);
        assertEquals(List.of(), configuration.warnings());
        Profile profile = new ProfileBuilder(
                        PluginRegistry.empty().with(ModernPlugins.over(builtIn)).with(factories),
                        cluster,
                        WaitingPods.NONE,
                        Clock.systemUTC())
                .build(configuration, configuration.profiles().get(0));
        return SchedulingCycle.of(profile, cluster).decide(POD, NominatedPods.NONE);
    }

    @Test
    void theConfigurationOfTheFilterEnablesItBesideTheOthers() throws Exception {
        ClusterState cluster = new ClusterState();
        cluster.putNode(node("n1").cpu("4").memory("8Gi").build());
        cluster.putNode(node("n2").cpu("4").memory("8Gi").build());
        Decision decision = decide("node-type-filter", cluster);
        assertEquals("0/2 nodes are available: 2 " + OTHER_TYPE + ".", decision.message());
        assertEquals(Set.of("NodeTypeFilter"), decision.rejectedBy());
        cluster.putNode(
                node("n2").cpu("4").memory("8Gi").label("node-type", "special").build());
        assertEquals("n2", decide("node-type-filter", cluster).node());
    }

    @Test
    void theConfigurationOfTheScoreEnablesItBesideTheOthers() throws Exception {
        ClusterState cluster = new ClusterState();
        for (int i = 1; i <= 3; i++) {
            cluster.putNode(node("n" + i).cpu("4").memory("8Gi").build());
            for (int pods = 0; i != 2 && pods < 3; pods++) {
                cluster.addPod(
                        pod("p" + i + pods).uid("u" + i + pods).onNode("n" + i).build());
            }
        }
        assertEquals("n2", decide("pod-density-score", cluster).node());
    }

    @ParameterizedTest
    @ValueSource(strings = {"node-type-filter", "pod-density-score"})
    void thePageOfASampleNamesWhatIsThere(String sample) throws Exception {
        String page = Files.readString(SAMPLES.resolve(sample).resolve("README.md"));
        assertTrue(page.contains("../jars/" + sample + ".jar"), page);
        assertTrue(page.contains("--config config.yaml"), page);
        String sources = page.substring(page.indexOf("src/example/"), page.indexOf("/*.java"));
        assertTrue(Files.isDirectory(SAMPLES.resolve(sample).resolve(sources)), sources);
    }
}
