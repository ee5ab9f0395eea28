package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.modern.PluginAlgorithms.PluginSource;
import io.policyscheduler.framework.modern.PluginAlgorithms.ScorePriority;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScorePriorityTest {
    private final PolicyFixture fixture =
            new PolicyFixture().node("n1", "", "cpu: '1'").node("n2", "", "cpu: '1'");
    private final PodInfo pod = fixture.pod("p", "", "");

    /** Scores by the last letter of the node's name, and reverses the scores when normalizing. */
    private record Counting(Status before) implements PreScorePlugin, ScorePlugin {
        @Override
        public String name() {
            return "Counting";
        }

        @Override
        public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
            return before;
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return node.name().charAt(1) - '0';
        }

        @Override
        public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
            for (int i = 0; i < scores.length; i++) {
                scores[i] = MAX_SCORE - scores[i];
            }
            return Status.SUCCESS;
        }
    }

    private static ScorePriority priority(PluginFactory factory) {
        return new ScorePriority("Old", new PluginSource(factory, JsonNodeFactory.instance.missingNode()));
    }

    private PodScorer start(Status before) {
        return priority(handle -> new Counting(before)).start(fixture.context(pod), fixture.nodes());
    }

    private String scores(PodScorer scorer) {
        long[] scores = new long[2];
        scorer.scoreAll(fixture.nodes(), scores);
        String raw = Arrays.toString(scores);
        scorer.normalize(fixture.nodes(), scores);
        return raw + " " + Arrays.toString(scores);
    }

    @Test
    void scoresAsThePluginDoes() {
        PodScorer scorer = start(Status.SUCCESS);
        assertNull(scorer.error());
        assertEquals(true, scorer.normalizes());
        assertEquals("[1, 2] [99, 98]", scores(scorer));
    }

    @Test
    void hasNoOpinionWhereThePluginIsSkipped() {
        assertEquals("[0, 0] [0, 0]", scores(start(Status.SKIP)));
        assertNull(start(Status.SKIP).error());
    }

    @Test
    void tellsThePluginsError() {
        assertEquals("boom", start(Status.error("boom")).error());
    }

    @Test
    void hasTheOldNameAndNeedsAScore() {
        ScorePriority priority = priority(handle -> () -> "Idle");
        assertEquals("Old", priority.name());
        assertEquals(Scope.CLUSTER, priority.scope());
        PodContext context = fixture.context(pod);
        assertEquals(
                "Idle scores nothing",
                assertThrows(IllegalStateException.class, () -> priority.start(context, List.of()))
                        .getMessage());
    }
}
