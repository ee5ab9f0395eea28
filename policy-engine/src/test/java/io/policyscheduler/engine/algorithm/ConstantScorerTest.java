package io.policyscheduler.engine.algorithm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.PodScorer.ConstantScorer;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ConstantScorerTest {
    @Test
    void everyNodeScoresTheSameBeforeAndAfterNormalising() {
        PodScorer scorer = new ConstantScorer(100);
        NodeInfo node = new NodeInfo("n");
        long[] scores = {scorer.score(node), scorer.score(node)};
        scorer.normalize(List.of(node, node), scores);
        assertArrayEquals(new long[] {100, 100}, scores);
        assertEquals(OptionalLong.of(100), scorer.uniformScore());
        assertFalse(scorer.normalizes());
        assertNull(scorer.error());
    }

    @Test
    void otherScorersPromiseNothing() {
        PodScorer scorer = node -> 1;
        assertEquals(OptionalLong.empty(), scorer.uniformScore());
    }
}
