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
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.sources.PluginLoader;
import io.policyscheduler.cmd.sources.PluginLoader.Digests;
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
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.PluginRegistry;
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

/** The sample plugins in policy-files/plugins compile, load from jars, and behave as their pages say. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SamplePluginsTest {
    private static final Path SAMPLES =
            RepositoryFiles.root().resolve("policy-files").resolve("plugins");
    private static final PodInfo POD = pod("p").build();
    private static final CycleState STATE = new StateKeys().newState();
    private static final String GPU = "example.com/gpu-milli";
    private static final String WORKLOAD =
            "{\"score\": \"FGD\", \"workload\": [{\"cpu\": 1000, \"gpu\": 600, \"share\": 1}]}";
    private static final String OTHER_TYPE = "node(s) were not of type node-type=special";

    private Map<String, PluginFactory> factories = Map.of();
    private Map<String, PluginFactory> builtIn = Map.of();

    @BeforeAll
    void load(@TempDir Path temp) throws Exception {
        Path jars = temp.resolve("jars");
        for (String sample : List.of("gpu-share", "node-type-filter", "pod-density-score")) {
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
        // Classes are loaded on first use, which must be before the jars are deleted.
        make("NodeTypeFilter", "{}");
        make("PodDensityScore", "{}");
        make("GpuShare", WORKLOAD);
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
    void allAreFound() {
        assertEquals(List.of("GpuShare", "NodeTypeFilter", "PodDensityScore"), List.copyOf(factories.keySet()));
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

    private static NodeInfo gpus(int devices, int... shares) {
        NodeInfo info = info(node("g").cpu("64").scalar(GPU, devices * 1000L), 0);
        for (int i = 0; i < shares.length; i++) {
            info.addPod(pod("s" + i)
                    .uid("s" + i)
                    .cpu("1")
                    .scalar(GPU, shares[i])
                    .onNode("g")
                    .build());
        }
        return info;
    }

    private static int[] shares(String text) {
        return text == null
                ? new int[0]
                : Splitter.on(';')
                        .splitToStream(text)
                        .mapToInt(Integer::parseInt)
                        .toArray();
    }

    @ParameterizedTest
    @CsvSource({
        // devices, shares that run, request: passes
        "2,, 1000, true",
        "2,, 2000, true",
        "2,, 3000, false",
        // 400 + 400 on one device, and 200 there
        "2, 400;400, 1000, true",
        "2, 400;400, 200, true",
        // 700 and 700 are on two devices: 600 are free, but not on one device
        "2, 700;700, 300, true",
        "2, 700;700, 301, false",
        "2, 700;700, 0, true",
        "2, 100, 2000, false",
        "0,, 100, false",
    })
    void sharesFitOnSingleDevices(int devices, String running, int request, boolean passes) throws Exception {
        FilterPlugin plugin = (FilterPlugin) make("GpuShare", "{}");
        PodInfo pod = pod("p").cpu("1").scalar(GPU, request).build();
        assertEquals(
                passes,
                plugin.filter(STATE, pod, gpus(devices, shares(running))).isSuccess());
    }

    @ParameterizedTest
    @CsvSource({
        // 63 of 128 cores and 1.5 of 8 GPUs are left
        "BestFit, 500, , 66",
        // 64 x 1 of 128 x 128 cores, 2 x 0.5 of 8 x 8 GPUs
        "DotProduct, 500, , 99",
        "GpuPacking, 500, , 31",
        "GpuPacking, 0, , 0",
        // the fullest device has 40 % left
        "GpuPacking, 300, 600, 96",
        // only the other device has enough
        "GpuPacking, 500, 600, 49",
        "GpuClustering, 500, , 43",
        // 1.4 of 8 GPUs are free, and only shares run
        "GpuClustering, 500, 600, 95",
        "GpuClustering, 1000, 600, 20",
        // 1400 before, of which the 400 of the first device are of no use; all 800 after
        "FGD, 600, 600, 40",
    })
    void scoresOfGpuNodes(String score, int request, String running, long expected) throws Exception {
        ScorePlugin plugin =
                (ScorePlugin) make("GpuShare", score.equals("FGD") ? WORKLOAD : "{\"score\": \"" + score + "\"}");
        PodInfo pod = pod("p").cpu("1").scalar(GPU, request).build();
        assertEquals(expected, plugin.score(STATE, pod, gpus(2, shares(running))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"score\": \"Best\"} | argument \"score\": there is no \"Best\"; there are [BestFit, DotProduct, GpuPacking,"
                        + " GpuClustering, FGD, Random]",
                "{\"score\": \"FGD\"} | score FGD requires the argument \"workload\": a list of {cpu, gpu, models, share}",
                "{\"scores\": 1} | unknown argument \"scores\"; there are resource, modelLabel, score, seed, and workload",
                "{\"workload\": 1} | argument \"workload\" must be a list, not 1",
                "{\"workload\": [{\"gpu\": 1500}]} | workload: gpu 1500 is more than 1000, but no multiple of it",
            })
    void wrongArgumentsOfGpuShare(String args, String message) {
        assertEquals(
                message,
                assertThrows(PluginException.class, () -> make("GpuShare", args))
                        .getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpu-share", "node-type-filter", "pod-density-score"})
    void thePageOfASampleNamesWhatIsThere(String sample) throws Exception {
        String page = Files.readString(SAMPLES.resolve(sample).resolve("README.md"));
        assertTrue(page.contains("../jars/" + sample + ".jar"), page);
        assertTrue(page.contains("--config config.yaml"), page);
        String sources = page.substring(page.indexOf("src/example/"), page.indexOf("/*.java"));
        assertTrue(Files.isDirectory(SAMPLES.resolve(sample).resolve(sources)), sources);
    }
}
