package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.cycle.AttemptListener.BatchFlush;
import io.policyscheduler.framework.cycle.AttemptListener.BatchResult;
import io.policyscheduler.framework.cycle.DecisionVerification.Sample;
import io.policyscheduler.framework.cycle.NodeSampling.SearchStart;
import io.policyscheduler.framework.cycle.SchedulingCycle.DecisionPath;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.profile.ProfileBuilder;
import io.policyscheduler.framework.scheduler.backend.TestClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Opportunistic batching. Each node has space for one pod, node a has the highest score at first, and node d as soon as a pod is
 * placed: a pod on node b was placed by the scores of the pod before.
 */
class OpportunisticBatchTest {
    private final ClusterState cluster = new ClusterState();
    private final TestClock clock = new TestClock();
    private final SearchStart start = new SearchStart();
    private final OnePodEach plugin = new OnePodEach();
    private final List<Object> batched = new ArrayList<>();
    private final Map<String, Long> scores = new HashMap<>(Map.of("a", 40L, "b", 30L, "c", 20L, "d", 10L));
    private int pods;

    OpportunisticBatchTest() {
        for (String name : List.of("a", "b", "c", "d")) {
            cluster.putNode(node(name).build());
        }
    }

    /** Signs the label app; a pod without it has no signature. */
    private final class OnePodEach implements FilterPlugin, ScorePlugin, SignPlugin {
        private boolean signs = true;

        @Override
        public String name() {
            return "OnePodEach";
        }

        @Override
        public boolean signsPods() {
            return signs;
        }

        @Override
        public @Nullable Map<String, Object> sign(PodInfo pod) {
            String app = pod.labels().get("app");
            return app == null ? null : Map.of("app", app);
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            boolean isFree = node.podCount() == 0 && scores.containsKey(node.name());
            return isFree ? Status.SUCCESS : Status.unschedulable("full");
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return Objects.requireNonNull(scores.get(node.name()));
        }
    }

    private final class PodNamesListener implements AttemptListener {
        @Override
        public void onBatched(BatchResult result) {
            batched.add(result);
        }

        @Override
        public void onBatchFlushed(BatchFlush reason) {
            batched.add(reason);
        }
    }

    private SchedulingCycle.Builder builder(Profile profile) {
        return SchedulingCycle.builder(profile, cluster)
                .attempts(new PodNamesListener())
                .start(start)
                .batching(clock);
    }

    private Profile profile(Release release) {
        return Profile.builder("test", Family.MODERN, new StateKeys())
                .release(release)
                .filter(plugin)
                .score(plugin, 1)
                .build();
    }

    private SchedulingCycle cycle() {
        return builder(profile(Release.NEWEST)).build();
    }

    /** The node of the pod, with the number of evaluated nodes; the pod runs there from then on. */
    private String place(SchedulingCycle cycle, PodBuilder pod, NominatedPods nominated) {
        PodInfo built = pod.uid("uid-" + ++pods).build();
        Decision decision = cycle.decide(built, nominated);
        String node = decision.node();
        if (node == null) {
            return "none";
        }
        cluster.addPod(built.withNodeName(node));
        scores.put("d", 100L);
        return node + " " + decision.evaluatedNodes();
    }

    private String place(SchedulingCycle cycle, PodBuilder pod) {
        return place(cycle, pod, NominatedPods.NONE);
    }

    private static PodBuilder equal(String name) {
        return pod(name).label("app", "web");
    }

    @ParameterizedTest
    @EnumSource(DecisionPath.class)
    void equalPodsGetTheNextBestNodesOfTheFirstOne(DecisionPath path) {
        SchedulingCycle cycle = builder(profile(Release.NEWEST)).path(path).build();
        assertEquals(
                List.of("a 4", "b 1", "c 1", "d 1", "none"),
                List.of(
                        place(cycle, equal("p1")),
                        place(cycle, equal("p2")),
                        place(cycle, equal("p3")),
                        place(cycle, equal("p4")),
                        place(cycle, equal("p5"))));
        assertEquals(
                List.of(
                        BatchResult.NO_HINT,
                        BatchResult.HINT_USED,
                        BatchResult.HINT_USED,
                        BatchResult.HINT_USED,
                        BatchResult.NO_HINT),
                batched);
    }

    /** Places an equal pod, lets something happen, and places another one. */
    private String second(SchedulingCycle cycle, Runnable meanwhile, PodBuilder pod) {
        assertEquals("a 4", place(cycle, equal("p1")));
        meanwhile.run();
        batched.clear();
        return place(cycle, pod) + " " + batched;
    }

    @Test
    void aPodWithAnotherSignatureDoesNot() {
        assertEquals(
                "d 4 [POD_INCOMPATIBLE, NO_HINT]",
                second(cycle(), () -> {}, pod("p2").label("app", "db")));
    }

    @Test
    void aPodWithoutSignatureDoesNot() {
        assertEquals("d 4 [POD_INCOMPATIBLE, NO_HINT, POD_NOT_BATCHABLE]", second(cycle(), () -> {}, pod("p2")));
    }

    @ParameterizedTest
    @ValueSource(longs = {500, 501})
    void scoresAreUsedForHalfASecond(long millis) {
        assertEquals(
                millis == 500 ? "b 1 [HINT_USED]" : "d 4 [EXPIRED, NO_HINT]",
                second(cycle(), () -> clock.advanceMillis(millis), equal("p2")));
    }

    /** The age counts from the attempt that scored, not from the last hint. */
    @Test
    void hintsDoNotRenewTheScores() {
        SchedulingCycle cycle = cycle();
        assertEquals("b 1 [HINT_USED]", second(cycle, () -> clock.advanceMillis(300), equal("p2")));
        clock.advanceMillis(300);
        assertEquals("d 4", place(cycle, equal("p3")));
    }

    @Test
    void anAttemptOfAnotherProfileEndsTheBatch() {
        assertEquals(
                "d 4 [POD_SKIPPED, NO_HINT]",
                second(
                        cycle(),
                        () -> builder(profile(Release.V1_34))
                                .build()
                                .decide(pod("other").build(), NominatedPods.NONE),
                        equal("p2")));
    }

    @Test
    void anAttemptWithoutNodeEndsTheBatch() {
        SchedulingCycle cycle = cycle();
        Runnable fails = () -> {
            Map<String, Long> before = Map.copyOf(scores);
            scores.clear();
            assertEquals("none", place(cycle, equal("failing")));
            scores.putAll(before);
        };
        assertEquals("d 4 [POD_SKIPPED, NO_HINT]", second(cycle, fails, equal("p2")));
    }

    @Test
    void aNodeThatIsNotFullEndsTheBatch() {
        PodInfo first = equal("p1").uid("uid-1").onNode("a").build();
        assertEquals("d 4 [NODE_NOT_FULL, NO_HINT]", second(cycle(), () -> cluster.removePod(first), equal("p2")));
    }

    @Test
    void aDeletedNodeEndsTheBatch() {
        assertEquals("d 3 [NODE_MISSING, NO_HINT]", second(cycle(), () -> cluster.removeNode("a"), equal("p2")));
    }

    @Test
    void aHintThatIsInfeasibleIsNotUsed() {
        assertEquals("d 4 [HINT_NOT_USED]", second(cycle(), () -> scores.remove("b"), equal("p2")));
    }

    /** The room of a nominated pod counts on the hint, as on a nominated node. */
    @Test
    void aHintWithANominatedPodIsNotUsed() {
        SchedulingCycle cycle = cycle();
        PodInfo other = pod("nominated").priority(100).build();
        NominatedPods nominated = new NominatedPods() {
            @Override
            public List<PodInfo> on(String node) {
                return node.equals("b") ? List.of(other) : List.of();
            }

            @Override
            public Collection<String> nodes() {
                return List.of("b");
            }
        };
        assertEquals("a 4", place(cycle, equal("p1")));
        assertEquals("d 4", place(cycle, equal("p2"), nominated));
    }

    @Test
    void theNominatedNodeOfThePodComesFirst() {
        assertEquals(
                "c 1 [HINT_NOT_USED, EMPTY_LIST]",
                second(cycle(), () -> {}, equal("p2").nominatedTo("c")));
    }

    @Test
    void theOnlyFeasibleNodeLeavesNone() {
        scores.keySet().removeAll(List.of("b", "c", "d"));
        SchedulingCycle cycle = cycle();
        assertEquals("a 4", place(cycle, equal("p1")));
        assertEquals(List.of(BatchResult.NO_HINT, BatchFlush.EMPTY_LIST), batched);
    }

    private void assertNeverBatches(SchedulingCycle cycle) {
        assertEquals("d 4 []", second(cycle, () -> {}, equal("p2")));
    }

    @Test
    void releasesBefore1_35DoNot() {
        assertNeverBatches(builder(profile(Release.V1_34)).build());
    }

    @Test
    void profilesWithExtendersDoNot() {
        FakeExtender extender = new FakeExtender("e", new ArrayList<>()).keeps("a", "b", "c", "d");
        assertNeverBatches(builder(profile(Release.NEWEST))
                .extenders(new Extenders(List.of(extender), Runnable::run))
                .build());
    }

    @Test
    void profilesWithAPluginThatSignsNothingDoNot() {
        ScriptedPlugin other = new ScriptedPlugin("other", new ArrayList<>());
        assertNeverBatches(builder(Profile.builder("test", Family.MODERN, new StateKeys())
                        .filter(plugin)
                        .score(plugin, 1)
                        .preScore(other)
                        .build())
                .build());
    }

    @Test
    void profilesWithAPluginThatRefusesToSignDoNot() {
        plugin.signs = false;
        assertNeverBatches(cycle());
    }

    @Test
    void cyclesWithoutClockDoNot() {
        assertNeverBatches(SchedulingCycle.builder(profile(Release.NEWEST), cluster)
                .attempts(new PodNamesListener())
                .build());
    }

    @Test
    void verifiedDecisionsEvaluateAllNodes() {
        assertNeverBatches(builder(profile(Release.NEWEST)).verify(Sample.all()).build());
    }

    /** Without normalized scores, a pod changes only the score of its own node. */
    @ParameterizedTest
    @ValueSource(ints = {35, 36})
    void decidesAsWithoutBatchingIfOtherScoresStay(int minor) throws ConfigurationException {
        Release release = new Release(minor);
        int used = 0;
        for (int seed = 0; seed < 100; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ClusterState other = new ClusterState();
            ClusterState batching = new ClusterState();
            for (int i = 0; i < 12; i++) {
                String cpu = 2 + random.nextInt(8) + "";
                String memory = 4 + random.nextInt(12) + "Gi";
                for (ClusterState each : List.of(other, batching)) {
                    each.putNode(node("n" + i).cpu(cpu).memory(memory).pods(3).build());
                }
            }
            batched.clear();
            SchedulingCycle plain = SchedulingCycle.of(spreadless(other, release), other);
            SchedulingCycle cycle = SchedulingCycle.builder(spreadless(batching, release), batching)
                    .attempts(new PodNamesListener())
                    .batching(clock)
                    .build();
            int template = 0;
            for (int i = 0; i < 30; i++) {
                template = random.nextInt(4) == 0 ? random.nextInt(3) : template;
                PodBuilder next = pod("p" + i).label("app", "t" + template).requests(template + 1 + "", "1Gi");
                PodInfo built = (template == 0 ? next : next.hostPort("", "TCP", 8080 + template)).build();
                Decision expected = plain.decide(built, NominatedPods.NONE);
                Decision decision = cycle.decide(built, NominatedPods.NONE);
                assertEquals(expected.node(), decision.node(), "pod " + i);
                assertEquals(expected.message(), decision.message());
                if (expected.node() != null) {
                    other.addPod(built.withNodeName(expected.node()));
                    batching.addPod(built.withNodeName(expected.node()));
                }
            }
            used += batched.stream().filter(BatchResult.HINT_USED::equals).count();
        }
        assertTrue(used > 300, used + " hints");
    }

    /** A default profile never batches; without default spreading, its plugins sign pods. */
    @Test
    void onlyDefaultSpreadingKeepsDefaultProfilesFromBatching() throws ConfigurationException {
        builder(ModernProfile.of(cluster).build()).build().decide(pod("p").build(), NominatedPods.NONE);
        assertEquals(List.of(), batched);
        builder(spreadless(cluster, Release.NEWEST)).build().decide(pod("p").build(), NominatedPods.NONE);
        assertEquals(List.of(BatchResult.NO_HINT), batched);
    }

    private static Profile spreadless(ClusterState cluster, Release release) throws ConfigurationException {
        SchedulerConfiguration configuration = new ConfigurationReader(release).read("""
                        apiVersion: kubescheduler.config.k8s.io/v1
                        kind: KubeSchedulerConfiguration
                        profiles:
                        - pluginConfig:
                          - name: PodTopologySpread
                            args: {defaultingType: List}
                        """, "test");
        return new ProfileBuilder(
                        ModernPlugins.registry(),
                        cluster,
                        WaitingPods.NONE,
                        new TestClock(),
                        ClaimWriter.inMemory(cluster.assumedClaims()))
                .build(configuration, configuration.profiles().get(0));
    }
}
