package io.policyscheduler.priorities;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.List;

/** Runs one priority over all nodes of a cluster, in node order. */
final class Scores {
    private Scores() {}

    /** Scores before the reduce step. */
    static List<Long> raw(Priority priority, PodInfo pod, ClusterState cluster) {
        PodScorer scorer = priority.start(PodContext.of(pod, cluster), cluster.nodes());
        return list(raw(scorer, cluster));
    }

    /** Scores after the reduce step. */
    static List<Long> reduced(Priority priority, PodInfo pod, ClusterState cluster) {
        PodScorer scorer = priority.start(PodContext.of(pod, cluster), cluster.nodes());
        long[] scores = raw(scorer, cluster);
        if (scorer.normalizes()) {
            scorer.normalize(cluster.nodes(), scores);
            assertSameBySlot(scorer, cluster, scores);
        }
        return list(scores);
    }

    private static long[] raw(PodScorer scorer, ClusterState cluster) {
        List<NodeInfo> nodes = cluster.nodes();
        long[] scores = new long[nodes.size()];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = scorer.score(nodes.get(i));
        }
        if (!scorer.normalizes()) {
            assertSameBySlot(scorer, cluster, scores);
        }
        return scores;
    }

    /** Priorities that also score by index must give the same scores. */
    private static void assertSameBySlot(PodScorer scorer, ClusterState cluster, long[] scores) {
        ClusterIndex index = cluster.index();
        if (index == null) {
            return;
        }
        int[] slots = cluster.nodes().stream().mapToInt(index::ownSlotOf).toArray();
        long[] bySlot = new long[scores.length];
        if (scorer.scoreSlots(index, slots, slots.length, bySlot)) {
            assertArrayEquals(scores, bySlot, "by slot");
        }
    }

    private static List<Long> list(long[] scores) {
        List<Long> list = new ArrayList<>();
        for (long score : scores) {
            list.add(score);
        }
        return list;
    }
}
