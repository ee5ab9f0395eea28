package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Scope.PodClass;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.Siblings;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scores of plugins that look at one node only, over several pods of one class. */
class CachedScoresTest {
    private final ClusterState cluster = new ClusterState();
    private final PodInfo template = pod("p0").build();
    private int pods;

    CachedScoresTest() {
        for (int i = 1; i <= 3; i++) {
            cluster.putNode(node("n" + i).build());
        }
    }

    /** Gives a node ten points for each of its pods. */
    private static final class Counting implements FilterPlugin, PreScorePlugin, CacheableScore {
        private final String name;
        private final boolean normalizes;
        private final List<String> asked = new ArrayList<>();
        private String rejected = "";
        private String broken = "";
        private boolean skips;

        Counting(String name, boolean normalizes) {
            this.name = name;
            this.normalizes = normalizes;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            return node.name().equals(rejected) ? Status.unschedulable("no") : Status.SUCCESS;
        }

        @Override
        public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
            return skips ? Status.SKIP : Status.SUCCESS;
        }

        @Override
        public ScoreReads scoreReads(CycleState state, PodInfo pod) {
            return ScoreReads.of(new PodClass(pod), normalizes ? Reduction.OTHER : Reduction.NONE, null);
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            asked.add(node.name());
            if (node.name().equals(broken)) {
                throw new PluginException("cannot tell");
            }
            return 10L * node.podCount();
        }

        @Override
        public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
            for (int i = 0; normalizes && i < scores.length; i++) {
                scores[i]++;
            }
            return Status.SUCCESS;
        }

        List<String> asked() {
            List<String> names = asked.stream().distinct().sorted().toList();
            asked.clear();
            return names;
        }
    }

    private SchedulingCycle cycle(Counting... plugins) {
        Profile.Builder profile = Profile.builder("test", Family.MODERN, new StateKeys());
        for (Counting plugin : plugins) {
            profile.filter(plugin).preScore(plugin).score(plugin, 1);
        }
        return SchedulingCycle.of(profile.build(), cluster);
    }

    /** Schedules a pod like all others here, and checks its node. */
    private String next(SchedulingCycle cycle) {
        pods++;
        PodInfo pod = Siblings.of(template, "p" + pods).withNominatedNodeName("");
        Decision decision = cycle.decide(pod, NominatedPods.NONE);
        if (decision.node() == null) {
            return decision.message();
        }
        cluster.addPod(pod.withNodeName(decision.node()));
        return decision.node() + " " + decision.score();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onlyNodesThatChangedAreAskedFromTheSecondPodOn(boolean normalizes) {
        Counting plugin = new Counting("A", normalizes);
        SchedulingCycle cycle = cycle(plugin);
        int more = normalizes ? 1 : 0;
        assertEquals("n1 " + more, next(cycle));
        assertEquals("n1 " + (10 + more), next(cycle));
        assertEquals(List.of("n1", "n2", "n3"), plugin.asked());
        assertEquals("n1 " + (20 + more), next(cycle));
        assertEquals(List.of("n1"), plugin.asked());
        cluster.putNode(node("n2").label("a", "b").build());
        assertEquals("n1 " + (30 + more), next(cycle));
        assertEquals(List.of("n1", "n2"), plugin.asked());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNodeThatCannotBeScoredMattersWhenItIsFeasible(boolean normalizes) {
        Counting plugin = new Counting("A", normalizes);
        plugin.rejected = "n3";
        plugin.broken = "n3";
        SchedulingCycle cycle = cycle(plugin);
        int more = normalizes ? 1 : 0;
        for (int i = 0; i < 3; i++) {
            assertEquals("n1 " + (10 * i + more), next(cycle));
        }
        plugin.rejected = "n2";
        String error = next(cycle);
        assertEquals(error, next(cycle));
        assertEquals(true, error.contains("cannot tell"), error);
    }

    @Test
    void whoSkipsNowAndThenIsNotAddedThen() {
        for (int i = 0; i < 5; i++) {
            cluster.addPod(pod("old" + i).onNode("n3").build());
        }
        Counting plugin = new Counting("A", false);
        plugin.rejected = "n3";
        SchedulingCycle cycle = cycle(plugin, new Counting("B", false));
        assertEquals("n1 0", next(cycle));
        assertEquals("n1 20", next(cycle));
        plugin.skips = true;
        plugin.rejected = "";
        assertEquals("n3 50", next(cycle));
        plugin.skips = false;
        assertEquals("n3 120", next(cycle));
    }
}
