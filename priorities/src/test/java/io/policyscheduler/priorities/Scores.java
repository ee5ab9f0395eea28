package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.cluster.ClusterState;
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
        }
        return list(scores);
    }

    private static long[] raw(PodScorer scorer, ClusterState cluster) {
        List<NodeInfo> nodes = cluster.nodes();
        long[] scores = new long[nodes.size()];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = scorer.score(nodes.get(i));
        }
        return scores;
    }

    private static List<Long> list(long[] scores) {
        List<Long> list = new ArrayList<>();
        for (long score : scores) {
            list.add(score);
        }
        return list;
    }
}
